"""A heading, a header key or the first words of a line in, the kind of edge it announces out."""

import re
from dataclasses import dataclass

from pellucid.model.entity import EdgeType


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge type; `inverse` means that it leads from the named document to the naming one (`superseded by`)."""

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
_NUMBERING = re.compile(r"(?:§\s*)?(?:\d{1,4}(?:\.\d{1,4}){0,6}\.?|[a-z]\.)\s+")
_LEAD = re.compile(
    r"(?P<item>[ \t]*+(?:[-*+|]|\d{1,3}[.)])[ \t]++)?[ \t]*+[*_`]{0,3}(?P<verb>"
    + "|".join(re.escape(each).replace(r"\ ", r"[\s_-]{1,3}") for each in sorted(_VERBS, key=len, reverse=True))
    + r")(?![\w-])",
    re.IGNORECASE,
)
_ITEM = re.compile(r"([ \t]*)(?:[-*+|]|\d{1,3}[.)])[ \t]+")


def normal_key(key: str) -> str:
    """A header key in comparable form: lower-case, `-` for spaces and underscores."""
    return re.sub(r"[\s_-]+", "-", key.strip().casefold())


def relation_of_key(key: str) -> Relation | None:
    """The relation that a header key such as `depends-on` announces; None for any other key."""
    return _KEYS.get(normal_key(key))


def is_alias_key(key: str) -> bool:
    """Whether the value of a header key or an attribute is another name of the same thing (`aka`)."""
    return normal_key(key) in _ALIASES


def relation_of_heading(heading: str, level: int, trail: tuple[str, ...]) -> Relation | None:
    """The relation of the names under a heading, by it or by the nearest one above it; None for mere mentions.

    `level` is the heading's, `trail` has the headings above it. A heading under `Relationships` counts by its verb;
    without one, names there are only related. Elsewhere a heading below level 3 says nothing itself, and an outermost
    `# References` with sections of its own is a chapter, not a list of references.
    """
    inner = [_normal_heading(each) for each in (*trail, heading)]
    within = _BLOCK in inner
    for depth in range(len(inner) - 1, -1, -1):
        if inner[depth] == _BLOCK:
            return _RELATES
        table = _VERBS if within and _BLOCK in inner[:depth] else _HEADINGS
        own = depth == len(inner) - 1
        chapter = depth == 0 and not own and len(trail) == level - 1  # no heading is left out: the first is of level 1
        if chapter and table.get(inner[depth]) == _REFERENCES:
            continue
        if (found := table.get(inner[depth])) and not (own and level > 3 and table is _HEADINGS):
            return found
    return None


def is_relationships_block(heading: str, trail: tuple[str, ...]) -> bool:
    """Whether the heading or one above it is `Relationships`, whose lines begin with verbs of their own."""
    return _BLOCK in (_normal_heading(each) for each in (*trail, heading))


def relations_by_offset(text: str, default: Relation) -> list[tuple[int, Relation]]:
    """The relations of the names in a Relationships block, each as (offset from which it applies, relation), ascending.

    A line that begins with a verb sets it (`- **Depends on:** SPEC-034`) for what is further indented or, if it is no
    list item itself, until another line does or a paragraph begins. `default` applies elsewhere.
    """
    out = [(0, default)]
    offset, held, apart = 0, -1, False
    for line in text.splitlines(keepends=True):
        item = _ITEM.match(line)
        indent = len(item[1].expandtabs(4)) if item else -1
        if lead := _LEAD.match(line):
            out.append((offset, _VERBS[" ".join(re.split(r"[\s_-]+", lead["verb"].casefold()))]))
            held = indent
        elif (item and 0 <= indent <= held) or (apart and line.strip() and not item and not line[0].isspace()):
            out.append((offset, default))  # the next item, or a paragraph of its own
            held = -1
        apart = not line.strip()
        offset += len(line)
    return out


def _normal_heading(heading: str) -> str:
    """A heading lower-case, without numbering, emphasis and colon, `-` and `_` as spaces: `## 2. Depends_on:` is
    `depends on`."""
    text = re.sub(r"[\s_-]+", " ", heading.strip().strip("*_`").casefold()).strip()
    return _NUMBERING.sub("", text, count=1).rstrip(": ").strip("*_` ")
