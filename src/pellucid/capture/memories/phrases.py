"""A Markdown phrase in, its plain words out, or the reason why it says nothing."""

import re
from collections.abc import Iterator

from pellucid.language.words import content_words, reading_length, words

LONGEST = 2000  # characters of one statement; a longer text is cut where a sentence ends

_CODE_SPAN = re.compile(r"((?<!`)`{1,3}(?!`)[^`\n]{1,500}`{1,3}(?!`))")
_IMAGE = re.compile(r"!\[[^\[\]]{0,500}\]\([^()]{0,1000}\)")
_LINKED_IMAGE = re.compile(r"\[\s{0,8}!\[[^\[\]]{0,500}\]\([^()]{0,1000}\)\s{0,8}\]\([^()]{0,1000}\)")
_LINK = re.compile(r"\[([^\[\]]{1,500})\]\(\s{0,8}<?([^()\s>]{0,1000})>?[^()]{0,500}\)")
_WIKI = re.compile(r"!?\[\[([^\[\]|]{1,300})(?:\|([^\[\]]{1,300}))?\]\]")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,500}?)(?<=\S)\1")
_TAG = re.compile(
    r"</?(?:a|b|br|center|code|details|div|em|h[1-6]|hr|i|img|kbd|p|picture|source|span|strong|sub|summary|sup|u)\b"
    r"[^<>]{0,1000}>",
    re.IGNORECASE,
)
_ONLY_LINK = re.compile(r"\[[^\[\]]{1,500}\]\(([^()\s]{0,1000})\)")
_PLACEHOLDER = re.compile(
    r"[([<{_*]+[^()\[\]<>{}*]{1,300}[)\]>}_*]+[.:]?"
    r"|(?:tbd|todo|n/?a|none(?: yet)?|empty|nothing(?: here)?(?: yet)?|\.{3}|…|-+|[^\w]+)[.:]?",
    re.IGNORECASE,
)
_ABOUT_ITSELF = re.compile(
    r"(?:this|the following) (?:file|document|page|note)\b.{0,120}"
    r"\b(?:guidance|guidelines|instructions|context|memory|memories|overview|ground truth)\b.{0,200}",
    re.IGNORECASE,
)
_FURNITURE = re.compile(
    r"(?:last )?(?:updated|modified|edited|generated)(?: on| at| by)?:.{0,60}|last (?:updated|modified|edited)\b.{0,40}"
    r"|table of contents|contents|saved memories|manage memories|delete all|memory updated",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n+")
_ANAPHOR = re.compile(
    r"(?:this|that|these|those|it|its|they|them|he|she|also|both|same|there|here|then|otherwise|instead)\b",
    re.IGNORECASE,
)
ENOUGH = 8  # words from which a sentence is assumed to name its subject


def plain_words(text: str) -> str:
    """Return a Markdown phrase on one line, each run of white space as one blank, without bold marks, images, inline
    HTML tags and the marks of links. A link becomes its label, followed by its target in brackets if that is a web
    address. Other marks (`#`, `-`, `*italic*`) and code spans stay."""
    parts = _CODE_SPAN.split(text)
    parts[::2] = [_without_links_and_tags(part) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _without_links_and_tags(part: str) -> str:
    """Return a text without images, HTML tags and bold marks, links as their label (and web address)."""
    part = _IMAGE.sub("", _LINKED_IMAGE.sub("", part))
    part = _LINK.sub(_link_words, part)
    part = _WIKI.sub(lambda wiki: wiki.group(2) or wiki.group(1), part)
    return _STRONG.sub(r"\2", _TAG.sub(" ", part))


def _link_words(link: re.Match[str]) -> str:
    """Return a link's label, followed by its target in brackets if that is a web address other than the label."""
    label, target = link.groups()
    return f"{label} ({target})" if "://" in target and label != target else label


def empty_reason(text: str) -> str | None:
    """Return why a phrase states nothing; None if it states something.

    The reasons are `placeholder` (nothing, `TBD`, `none yet`, a text in brackets), `table-of-contents` (a link to `#…`
    alone), `badge` (images alone), `markup` (nothing but tags) and `boilerplate` (`Last updated: …`, `This file
    contains instructions …`).
    """
    bare = text.strip()
    if not bare:
        return "placeholder"
    if link := _ONLY_LINK.fullmatch(bare):
        return "table-of-contents" if link.group(1).startswith("#") else None
    phrase = plain_words(bare)
    if not phrase:
        return "badge" if "![" in bare or "<img" in bare.lower() else "markup"
    if _FURNITURE.fullmatch(phrase.strip("_*")) or _ABOUT_ITSELF.fullmatch(phrase):
        return "boilerplate"
    return "placeholder" if _PLACEHOLDER.fullmatch(bare) and not bare.startswith(("**", "__", "[[")) else None


def stands_alone(text: str, heading: str, min_words: int = ENOUGH) -> bool:
    """Whether a statement is clear without its heading: it has `min_words` words, or all content words of the heading.

    A statement that begins with a pronoun or the like (`this`, `also`, `then`) is never clear.
    """
    if _ANAPHOR.match(text):
        return False
    subject = set(content_words(heading))
    return reading_length(text) >= min_words or bool(subject and subject <= set(words(text)))


def split_long_text(text: str) -> Iterator[str]:
    """Yield a text in parts of at most `LONGEST` (2,000) characters, cut at the ends of sentences where possible.

    A text that is not longer is yielded whole, stripped; nothing if it is empty then. In one that is split, the line
    ends between sentences become spaces, and a sentence that is longer itself is cut anywhere.
    """
    part = ""
    for sentence in _SENTENCE_END.split(text) if len(text) > LONGEST else [text]:
        while len(sentence) > LONGEST:
            if part:
                yield part
                part = ""
            yield sentence[:LONGEST]
            sentence = sentence[LONGEST:]  # noqa: PLW2901 - a sentence without an end is cut where it must be
        if part and len(part) + len(sentence) + 1 > LONGEST:
            yield part
            part = ""
        part = f"{part} {sentence}".strip()
    if part:
        yield part
