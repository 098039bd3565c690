"""A heading, a header key or the first words of a line in, the kind of edge that it announces out."""

import re
from dataclasses import dataclass

from pellucid.model.entity import EdgeType


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge type; with `inverse`, the edge leads from the named document to the naming one (`superseded by`)."""

    type: EdgeType
    inverse: bool = False


MENTIONS = Relation("MENTIONS")
_DEPENDS, _IMPLEMENTS, _EXTENDS = Relation("DEPENDS_ON"), Relation("IMPLEMENTS"), Relation("EXTENDS")
_REFERENCES, _RELATES, _SUPERSEDES = Relation("REFERENCES"), Relation("RELATES_TO"), Relation("SUPERSEDES")
_SUPERSEDED = Relation("SUPERSEDES", inverse=True)

_HEADINGS: dict[str, Relation] = {
    "references": _REFERENCES,
    "reference": _REFERENCES,
    "related": _REFERENCES,
    "implements": _IMPLEMENTS,
    "depends on": _DEPENDS,
    "dependencies": _DEPENDS,
    "requires": _DEPENDS,
    "extends": _EXTENDS,
    "supersedes": _SUPERSEDES,
    "superseded by": _SUPERSEDED,
    "complements": _RELATES,
    "informs": _RELATES,
}
_KEYED: dict[Relation, str] = {
    _DEPENDS: "requires depends-on dependson dependencies after",
    _IMPLEMENTS: "implements",
    _EXTENDS: "extends updates amends",
    _SUPERSEDES: "supersedes replaces obsoletes",
    _SUPERSEDED: "superseded-by replaced-by obsoleted-by supersededby replacedby obsoletedby",
    _REFERENCES: "references refs",
    _RELATES: "related relates-to see-also complements informs",
}
_KEYS = {key: relation for relation, keys in _KEYED.items() for key in keys.split()}
_VERBS: dict[str, Relation] = {
    **{key.replace("-", " "): relation for key, relation in _KEYS.items() if key != "after"},
    **_HEADINGS,
    "related": _RELATES,
    "related to": _RELATES,
    "reference": _REFERENCES,
    "depends upon": _DEPENDS,
    "builds on": _DEPENDS,
    "required by": Relation("DEPENDS_ON", inverse=True),
    "implemented by": Relation("IMPLEMENTS", inverse=True),
    "extended by": Relation("EXTENDS", inverse=True),
    "referenced by": Relation("REFERENCES", inverse=True),
}
_ALIASES = frozenset({"alias", "aliases", "also-known-as", "aka", "formerly", "renamed-from", "former-name"})
_BLOCK = "relationships"
_SUCCEEDED = re.compile(
    r"(?<!not )\b(?:superseded|replaced|obsoleted)\s+by\b|\bin\s+favou?r\s+of\b|\bprefers?\b|\bmoved\s+to\b",
    re.IGNORECASE,
)
_END_OF_CLAUSE = re.compile(r"[.;](?:\s|$)")
_NUMBERING = re.compile(r"(?:§\s*)?(?:\d{1,4}(?:\.\d{1,4}){0,6}\.?|[a-z]\.)\s+")
_LEAD = re.compile(
    r"(?P<item>[ \t]*+(?:[-*+|]|\d{1,3}[.)])[ \t]++)?[ \t]*+[*_`]{0,3}(?P<verb>(?a:"
    + "|".join(re.escape(each).replace(r"\ ", r"(?u:[\s_-]{1,3})") for each in sorted(_VERBS, key=len, reverse=True))
    + r"))(?![\w-])",
    re.IGNORECASE,
)
"""A verb at the beginning of a line, after a list sign and emphasis: `- **Depends on`."""
_ITEM = re.compile(r"([ \t]*)(?:[-*+|]|\d{1,3}[.)])[ \t]+")
"""The indentation and the sign of a list item."""


def normal_key(key: str) -> str:
    """Return a header key in the form in which keys are compared: lower-case, `-` for spaces and underscores. The form
    in which they are kept is `documents.header.key_name`."""
    return re.sub(r"[\s_-]+", "-", key.strip().casefold())


def relation_of_key(key: str) -> Relation | None:
    """Return the relation that a header key such as `depends-on` announces, in any spelling of case and separators;
    None for a key not in `_KEYS`.
    """
    return _KEYS.get(normal_key(key))


def relation_in_field(key: str, value: str) -> tuple[Relation, str] | None:
    """Return the relation that a header field announces, and the part of its value that names documents; None if it
    announces none.

    Either the key announces it (`depends-on`): that part is then the whole value. Or the key ends in `status` or
    `reason`, and words in the value announce a successor: that part is the rest of their clause, as in
    `withdrawal-reason: Superseded by EIP-7702`.
    """
    if relation := relation_of_key(key):
        return relation, value
    if not normal_key(key).endswith(("status", "reason")) or not (found := _SUCCEEDED.search(value)):
        return None
    return _SUPERSEDED, _END_OF_CLAUSE.split(value[found.end() :])[0]


def is_alias_key(key: str) -> bool:
    """Whether a key of a header, or the name of an attribute, says that its value is another name of the same thing: it
    is one of `_ALIASES` (`aka`, `formerly`), in any spelling of case and separators.
    """
    return normal_key(key) in _ALIASES


def relation_of_heading(heading: str, level: int, trail: tuple[str, ...]) -> Relation | None:
    """Return the relation of the names under a heading: that of this heading or of the nearest one above it that has
    one; None for mere mentions.

    `level` is the heading's, `trail` has the headings above it, outermost first. Under `Relationships` a heading counts
    by its verb, and without a verb names are `RELATES_TO`. Elsewhere a heading of level 4 or more counts for nothing
    itself, and an outermost `# References` of level 1 with subsections is a chapter, not a list of references.
    """
    headings = [_normal_heading(each) for each in (*trail, heading)]
    in_block = _BLOCK in headings
    for depth in range(len(headings) - 1, -1, -1):
        if headings[depth] == _BLOCK:
            return _RELATES
        table = _VERBS if in_block and _BLOCK in headings[:depth] else _HEADINGS
        is_own = depth == len(headings) - 1
        is_chapter = (
            depth == 0 and not is_own and len(trail) == level - 1
        )  # no heading is left out: the first is of level 1
        if is_chapter and table.get(headings[depth]) == _REFERENCES:
            continue
        if (found := table.get(headings[depth])) and not (is_own and level > 3 and table is _HEADINGS):
            return found
    return None


def is_relationships_block(heading: str, trail: tuple[str, ...]) -> bool:
    """Whether the heading or one above it (`trail`) is `Relationships`: lines there begin with verbs of their own."""
    return _BLOCK in (_normal_heading(each) for each in (*trail, heading))


def relations_by_offset(text: str, default: Relation) -> list[tuple[int, Relation]]:
    """Return the relations in a Relationships block as (offset from which the relation applies, relation), ascending;
    of two with the same offset the later applies.

    A line that begins with a verb (`- **Depends on:** SPEC-034`) sets the relation, up to the next such line, a new
    paragraph or, if the line is an item, the next item that is not indented further. `default` applies elsewhere.
    """
    relations = [(0, default)]
    offset, verb_indent, after_blank = 0, -1, False
    for line in text.splitlines(keepends=True):
        item = _ITEM.match(line)
        indent = len(item[1].expandtabs(4)) if item else -1
        if lead := _LEAD.match(line):
            relations.append((offset, _VERBS[" ".join(re.split(r"[\s_-]+", lead["verb"].casefold()))]))
            verb_indent = indent
        elif (item and 0 <= indent <= verb_indent) or (
            after_blank and line.strip() and not item and not line[0].isspace()
        ):
            relations.append((offset, default))  # the next item, or a paragraph of its own
            verb_indent = -1
        after_blank = not line.strip()
        offset += len(line)
    return relations


def _normal_heading(heading: str) -> str:
    """Return a heading in comparable form: `depends on` for `2. **Depends_on:**`.

    It is lower-case, without numbering, emphasis and colon, and with spaces for `-` and `_`.
    """
    text = re.sub(r"[\s_-]+", " ", heading.strip().strip("*_`").casefold()).strip()
    return _NUMBERING.sub("", text, count=1).rstrip(": ").strip("*_` ")
