"""A text and the path of its document in, the documents it links to out: by relative path, or `[[by name]]`."""

import re
from collections.abc import Iterator
from posixpath import dirname, normpath
from urllib.parse import unquote

from pellucid.graph.naming import Named
from pellucid.model.entity import node_key

_SUFFIX = r"\.(?:md|markdown|rst)"
_TARGET = re.compile(
    rf"(?:(?:\[[^\[\]\n]{{0,200}})?\]\(<?|`[^<>`\n]{{0,200}}<)(?P<path>[^\s()<>#:?]{{1,300}}{_SUFFIX})(?:#(?P<id>[\w.-]{{1,120}}))?>?"
    r"|\[\[(?P<wiki>[^\[\]|#\n]{1,120})(?:#(?P<part>[^\[\]|\n]{1,120}))?(?:\|[^\[\]\n]{0,200})?\]\]",
    re.IGNORECASE,
)
_REDACTED = "redacted:"
_PATH = re.compile(rf"(?:^|(?<=[\s,;\[\"'(]))(?P<path>[\w.@+/-]{{1,300}}{_SUFFIX})(?=$|[\s,;\]\"')])", re.IGNORECASE)


def links_in(text: str, path: str) -> Iterator[Named]:
    """What a text links to: Markdown and reStructuredText files by paths relative to `path`, and wiki links."""
    if "[" not in text and "<" not in text:
        return
    for found in _TARGET.finditer(text):
        name = " ".join(found["wiki"].split()) if found["wiki"] else _resolved(found["path"], path)
        if name and not name.startswith(_REDACTED):
            yield Named(name, node_key(name), *found.span(), (found["part"] or found["id"] or "").strip())


def paths_in(text: str, path: str) -> Iterator[Named]:
    """The document files that a header's value names, by paths relative to `path`."""
    for found in _PATH.finditer(text):
        if name := _resolved(found["path"], path):
            yield Named(name, node_key(name), *found.span())


def _resolved(target: str, path: str) -> str:
    """The path of a link's target as the documents' own paths are; empty where it leaves their folder."""
    plain = unquote(target).strip()
    joined = plain.lstrip("/") if plain.startswith("/") else f"{dirname(path)}/{plain}"
    out = normpath(joined.lstrip("/"))
    return "" if out.startswith("..") else out
