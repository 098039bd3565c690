"""Inline markup in, the words that a reader sees out: links as their text, code and emphasis without their signs."""

import html
import re
from collections.abc import Callable

_MOST = 2_000
"""Characters that are read: on hostile input the patterns below can take time with the square of their number."""
_MARKED = re.compile(r"[`*_\[<&~\\{]")
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*+(?:-->|(?P<open>\Z))", re.DOTALL)
_LINK = re.compile(
    r"!?\[([^\[\]]*)\](?:\(\s*+<?((?:[^()\s<>]|\([^()\s]*\))*+)>?(?:\s++[\"'(][^\"')]*[\"')])?\s*+\)|\[[^\[\]]*\])"
)
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^<>\s]*)>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_STARS = re.compile(r"(?<!\\)(\*{1,3})(?=[^\s*])(.+?)(?<=[^\s*\\])\1")
_BARS = re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])(.+?)(?<=[^\s_\\])\1(?!\w)")
_STRUCK = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{:?\s*+[#.][^{}]*\}\s*$")
_ROLE = re.compile(r":[A-Za-z][\w:.+-]{0,60}:`([^`]+)`")
_TICKED = re.compile(r"``(.+?)``|`([^`]+)`_{0,2}")
_TARGET = re.compile(r"(?<!\s)\s*+<[^<>]*>$")
_SUBSTITUTED = re.compile(r"\|(\S(?:[^|]*\S)?)\|")

ResolveLink = Callable[[str, str], str]
"""The text and the target of a link in, the words to put in place of the link out."""


def plain_markdown(text: str, resolve: ResolveLink | None = None) -> str:
    """Return the first 2,000 characters of one line of Markdown as plain words: without markup, HTML tags and closed
    comments, with HTML entities (`&amp;`) as their characters, and each run of blanks as one.

    A link becomes its text, or the words that `resolve` gives for its text and target (an empty target for a reference
    link); a wiki link its label.
    """
    if not _MARKED.search(text):
        return " ".join(text[:_MOST].split())
    codes: list[str] = []

    def set_aside(found: re.Match[str]) -> str:
        """Append the code of a match to `codes`, so that no later pattern changes it, and return a placeholder."""
        codes.append(found[2])
        return "\0"

    text = _CODE.sub(set_aside, text[:_MOST].replace("\0", ""))
    text = _AUTOLINK.sub(r"\1", _COMMENT.sub(lambda found: "" if found["open"] is None else found[0], text))
    text = _WIKI.sub(r"\1", text)
    for _ in range(2):  # a picture may stand within a link
        text = _LINK.sub(lambda found: resolve(found[1], found[2] or "") if resolve else found[1], text)
    text = html.unescape(_TAG.sub("", _ATTRIBUTES.sub("", text)))
    for pattern, kept in ((_STARS, r"\2"), (_STARS, r"\2"), (_BARS, r"\2"), (_STRUCK, r"\1")):
        text = pattern.sub(kept, text)
    rest = iter(codes)
    text = re.sub("\0", lambda _: next(rest, ""), _ESCAPE.sub(r"\1", text))
    return " ".join(text.split())


def plain_rst(text: str) -> str:
    """Return the first 2,000 characters of one line of reStructuredText as plain words; a role or link becomes its
    text.
    """
    text = _ROLE.sub(lambda found: _TARGET.sub("", found[1]) or found[1], text[:_MOST])
    text = _TICKED.sub(lambda found: found[1] or _TARGET.sub("", found[2]) or found[2], text)
    text = _SUBSTITUTED.sub(r"\1", _STARS.sub(r"\2", text))
    return " ".join(re.sub(r"\\(.)", r"\1", text).split())
