"""A text and the path of its document in, the documents it links to out: by path, by a label, or `[[by name]]`."""

import re
from collections.abc import Iterator
from os.path import splitext
from posixpath import dirname, normpath
from urllib.parse import unquote

from pellucid.documents.formats.suffixes import SUFFIX, format_of
from pellucid.documents.names.naming import Named
from pellucid.model.entity import node_key

_FILE = rf"(?P<path>[^\s()<>#:?]{{1,300}}{SUFFIX})(?:#(?P<id>[\w.-]{{1,120}}))?"
_TARGET = re.compile(
    r":doc:`(?:[^`<>]{0,200}<)?(?P<doc>[^`<>#\n]{1,300})>?`"
    rf"|(?:(?:\[[^\[\]\n]{{0,200}})?\]\(<?|`[^<>`\n]{{0,200}}<){_FILE}>?"
    r"|\[\[(?P<wiki>[^\[\]|#\n]{1,120})(?:#(?P<part>[^\[\]|\n]{1,120}))?(?:\|[^\[\]\n]{0,200})?\]\]",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^(?:[ ]{0,3}\[(?!\^)(?P<label>[^\[\]\n]{1,200})\]:\s*<?|[ \t]*\.\.[ \t]_(?P<name>`?[^:`\n]{1,200}`?):\s+)"
    rf"{_FILE}>?(?=\s|$)",
    re.IGNORECASE | re.MULTILINE,
)
_DEFINES = re.compile(r" {0,3}\[[^\[\]\n]{1,200}\]:")
_INDENTED = 3
_LABELLED = re.compile(
    r"(?<![\\\[\]])\[(?P<text>[^\[\]]{1,200})\](?:\[(?P<label>[^\[\]]{0,200})\])?(?![\[(])", re.IGNORECASE
)
_LABELLED_RST = re.compile(
    r"(?<![`\w])`(?P<label>[^`<>]{1,200})`_(?![\w`])"
    r"|(?<![\w`])(?P<text>[A-Za-z0-9](?:[\w.+-]{0,98}[A-Za-z0-9])?)_(?![\w`])"
)
_REDACTED = "redacted:"
_PATH = re.compile(rf"(?:^|(?<=[\s,;\[\"'(]))(?P<path>[\w.@+/-]{{1,300}}{SUFFIX})(?=$|[\s,;\]\"')])", re.IGNORECASE)


def links_in(text: str, path: str) -> Iterator[Named]:
    """The document files that a text links to: by paths relative to `path`, wiki links, `:doc:` roles."""
    if "[" not in text and "<" not in text and ":doc:`" not in text:
        return
    for found in _TARGET.finditer(text):
        if found["wiki"]:
            name = " ".join(found["wiki"].split())
        else:
            name = _resolved_path(found["path"] or _doc_role_path(found["doc"], path), path)
        if name and not name.startswith(_REDACTED):
            yield Named(name, node_key(name), *found.span(), (found["part"] or found["id"] or "").strip())


def definitions_in(text: str, path: str) -> Iterator[tuple[str, Named]]:
    """The labels that a text gives to document files (`[label]: a.md`, `.. _label: a.rst`), each with its target."""
    if "]:" not in text and ".. _" not in text:
        return
    for found in _DEFINITION.finditer(text):
        name = _resolved_path(found["path"], path)
        if name and not name.startswith(_REDACTED):
            yield (
                _label_key(found["label"] or found["name"]),
                Named(name, node_key(name), *found.span(), found["id"] or ""),
            )


def labels_in(text: str, path: str) -> Iterator[tuple[str, int, int]]:
    """The labels that a text uses, each with its span: `[text][label]`, `[label][]`, `[label]`; `label_` in rst."""
    for found in (_LABELLED_RST if _is_rst(path) else _LABELLED).finditer(text):
        line = text.rfind("\n", 0, found.start()) + 1
        if not _DEFINES.match(text, line) or found.start() - line > _INDENTED:
            yield _label_key(found["label"] or found["text"]), *found.span()


def paths_in(text: str, path: str) -> Iterator[Named]:
    """The document files that a header value names by paths relative to `path`."""
    for found in _PATH.finditer(text):
        if name := _resolved_path(found["path"], path):
            yield Named(name, node_key(name), *found.span())


def _label_key(text: str) -> str:
    """A label in comparable form."""
    return " ".join(text.strip("`").split()).casefold()


def _doc_role_path(target: str, path: str) -> str:
    """The file that a `:doc:` role names; its missing suffix is taken to be that of the document at `path`."""
    name = target.strip()
    return name if format_of(name) else name + (splitext(path)[1] if _is_rst(path) else ".rst")


def _is_rst(path: str) -> bool:
    own = format_of(path)
    return own is not None and own.name == "rst"


def _resolved_path(target: str, path: str) -> str:
    """A link target as a path from the documents' root; empty where it leads out of their folder."""
    plain = unquote(target).strip()
    joined = plain.lstrip("/") if plain.startswith("/") else f"{dirname(path)}/{plain}"
    out = normpath(joined.lstrip("/"))
    return "" if out.startswith("..") else out
