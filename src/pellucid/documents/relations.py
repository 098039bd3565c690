"""A heading, a header key or the first words of a line in, the kind of edge it announces out."""

import re
from dataclasses import dataclass

from pellucid.model.entity import EdgeType


@dataclass(frozen=True, slots=True)
class Relation:
    """A type of edge, and whether it leads from what is named to the one that names it (`superseded by`)."""

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


def attribute_of(key: str) -> str:
    """A header key in comparable form: lower-case, `-` for space and underscore."""
    return re.sub(r"[\s_-]+", "-", key.strip().casefold())


def of_key(key: str) -> Relation | None:
    """The edge that a header key announces."""
    return _KEYS.get(attribute_of(key))


def names_itself(key: str) -> bool:
    """Whether the value of a header key or an attribute is another name of the same thing."""
    return attribute_of(key) in _ALIASES


def of_heading(heading: str, level: int, trail: tuple[str, ...]) -> Relation | None:
    """The edge that the names under a heading mean, by it or by the nearest of those above it; None for a mention.

    Numbering and a colon are passed over. A heading under `Relationships` counts by its verb; what stands there under
    none is only related. What stands in sections of their own below an outermost `# References` is a chapter, and no
    list of references.
    """
    inner = [_plain(each) for each in (*trail, heading)]
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


def is_block(heading: str, trail: tuple[str, ...]) -> bool:
    """Whether lines under this heading begin with verbs of their own."""
    return _BLOCK in (_plain(each) for each in (*trail, heading))


def by_line(text: str, default: Relation) -> list[tuple[int, Relation]]:
    """Where in a Relationships block which edge begins to be meant: (offset, relation), ascending.

    A line that begins with a verb sets it (`- **Depends on:** SPEC-034`); it holds for what is further indented, and,
    where that line is no list item itself, until another line does or a paragraph begins.
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


def _plain(heading: str) -> str:
    text = re.sub(r"[\s_-]+", " ", heading.strip().strip("*_`").casefold()).strip()
    return _NUMBERING.sub("", text, count=1).rstrip(": ").strip("*_` ")
