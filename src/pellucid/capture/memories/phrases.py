"""A Markdown phrase in, its plain words out, or the reason why it says nothing."""

import re
from collections.abc import Iterator

from pellucid.language.words import content_words, reading_length, words

LONGEST = 2000
"""Characters of one statement; a longer text is cut where a sentence ends."""

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
ENOUGH = 8
"""Words from which a sentence is taken to say what it is about."""


def plain(text: str) -> str:
    """The words without emphasis, images, tags and local link targets; code spans stay as they are."""
    parts = _CODE_SPAN.split(text)
    parts[::2] = [_without_links_and_tags(part) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _without_links_and_tags(part: str) -> str:
    """A text with pictures and HTML tags left out, links as their words, and bold as plain words."""
    part = _IMAGE.sub("", _LINKED_IMAGE.sub("", part))
    part = _LINK.sub(lambda link: _linked(link.group(1), link.group(2)), part)
    part = _WIKI.sub(lambda wiki: wiki.group(2) or wiki.group(1), part)
    return _STRONG.sub(r"\2", _TAG.sub(" ", part))


def _linked(label: str, target: str) -> str:
    return f"{label} ({target})" if "://" in target and label != target else label


def nothing_said(text: str) -> str | None:
    """Why a phrase states nothing: `badge`, `table-of-contents`, `placeholder`, `boilerplate`, `markup`; else None."""
    bare = text.strip()
    if not bare:
        return "placeholder"
    if link := _ONLY_LINK.fullmatch(bare):
        return "table-of-contents" if link.group(1).startswith("#") else None
    said = plain(bare)
    if not said:
        return "badge" if "![" in bare or "<img" in bare.lower() else "markup"
    if _FURNITURE.fullmatch(said.strip("_*")) or _ABOUT_ITSELF.fullmatch(said):
        return "boilerplate"
    return "placeholder" if _PLACEHOLDER.fullmatch(bare) and not bare.startswith(("**", "__", "[[")) else None


def stands_alone(text: str, about: str, enough: int = ENOUGH) -> bool:
    """Whether a statement is clear without the heading `about`: it names that itself, or has `enough` words."""
    if _ANAPHOR.match(text):
        return False
    named = content_words(about)
    return reading_length(text) >= enough or bool(named and set(named) <= set(words(text)))


def pieces(text: str, longest: int = LONGEST) -> Iterator[str]:
    """A text in parts of at most `longest` characters, cut where sentences end, if they do."""
    part = ""
    for sentence in _SENTENCE_END.split(text) if len(text) > longest else [text]:
        while len(sentence) > longest:
            if part:
                yield part
                part = ""
            yield sentence[:longest]
            sentence = sentence[longest:]  # noqa: PLW2901 - a sentence without an end is cut where it must be
        if part and len(part) + len(sentence) + 1 > longest:
            yield part
            part = ""
        part = f"{part} {sentence}".strip()
    if part:
        yield part
