"""A text and the path of its document in, the documents that it links to out: by path, by a label, or `[[by name]]`."""

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


def find_links(text: str, path: str) -> Iterator[Named]:
    """Yield the documents that a text links to: by a path relative to `path`, by a wiki link, by a `:doc:` role.

    `path` is that of the text's document. The name of a linked file is its path relative to the documents' root (a
    target that begins with `/` is relative to that), its anchor the part after `#`. A wiki link gives the name as
    written. Left out are files outside of that root or with another suffix than documents have, URLs, and redacted
    names.
    """
    if "[" not in text and "<" not in text and ":doc:`" not in text:
        return
    for found in _TARGET.finditer(text):
        if found["wiki"]:
            name = " ".join(found["wiki"].split())
        else:
            name = _resolve_path(found["path"] or _doc_role_path(found["doc"], path), path)
        if name and not name.startswith(_REDACTED):
            yield Named(name, node_key(name), *found.span(), (found["part"] or found["id"] or "").strip())


def find_definitions(text: str, path: str) -> Iterator[tuple[str, Named]]:
    """Yield each label that a text defines for a document (`[label]: a.md`, `.. _label: a.rst`), with that document.

    The label is lower-case with single spaces. Documents are named, and left out, as by `find_links`; the span is that
    of the definition.
    """
    if "]:" not in text and ".. _" not in text:
        return
    for found in _DEFINITION.finditer(text):
        name = _resolve_path(found["path"], path)
        if name and not name.startswith(_REDACTED):
            yield (
                _label_key(found["label"] or found["name"]),
                Named(name, node_key(name), *found.span(), found["id"] or ""),
            )


def find_labels(text: str, path: str) -> Iterator[tuple[str, int, int]]:
    """Yield each label that a text uses, with the start and end of its use: `[text][label]`, `[label][]`, `[label]`;
    `label_` in reStructuredText.

    The label is in the form that `find_definitions` gives it; the beginning of a definition is left out. `path`, by its
    suffix, decides whether the text is reStructuredText.
    """
    for found in (_LABELLED_RST if _is_rst(path) else _LABELLED).finditer(text):
        line = text.rfind("\n", 0, found.start()) + 1
        if not _DEFINES.match(text, line) or found.start() - line > _INDENTED:
            yield _label_key(found["label"] or found["text"]), *found.span()


def find_paths(text: str, path: str) -> Iterator[Named]:
    """Yield the documents that a header value (`text`) names by paths relative to `path`, the document's own, or from
    the root if they begin with `/`; named as by `find_links`, those outside of the root left out.
    """
    for found in _PATH.finditer(text):
        if name := _resolve_path(found["path"], path):
            yield Named(name, node_key(name), *found.span())


def _label_key(text: str) -> str:
    """Return a label in comparable form: lower-case, without backticks, with single spaces."""
    return " ".join(text.strip("`").split()).casefold()


def _doc_role_path(target: str, path: str) -> str:
    """Return the path that the target of a `:doc:` role means, not yet resolved. A target without a document's suffix
    gets one: that of the document at `path` if that is reStructuredText, else `.rst`.
    """
    name = target.strip()
    return name if format_of(name) else name + (splitext(path)[1] if _is_rst(path) else ".rst")


def _is_rst(path: str) -> bool:
    """Whether the document at a path is reStructuredText, by its suffix."""
    document_format = format_of(path)
    return document_format is not None and document_format.name == "rst"


def _resolve_path(target: str, path: str) -> str:
    """Return a link target, its percent signs decoded, as a path relative to the documents' root: from the root if it
    begins with `/`, else from the folder of `path`; empty if it leads out of the root.
    """
    target_path = unquote(target).strip()
    joined = target_path.lstrip("/") if target_path.startswith("/") else f"{dirname(path)}/{target_path}"
    resolved = normpath(joined.lstrip("/"))
    return "" if resolved.startswith("../") else resolved
