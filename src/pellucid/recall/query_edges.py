"""A query in, the edges it asks for out: what something depends on, what depends on it, what replaced it."""

import re
from dataclasses import dataclass

from pellucid.model.entity import EdgeType

DEPENDENCY: tuple[EdgeType, ...] = ("DEPENDS_ON", "IMPLEMENTS", "EXTENDS")
"""What something stands upon, from the strongest tie on."""
_READ = 2_000


@dataclass(frozen=True, slots=True)
class AskedEdges:
    """Edges that a query asks for: of which types, and whether from the named thing (`out`) or to it.

    `transitive`: those of what they lead to, too.
    """

    types: tuple[EdgeType, ...]
    out: bool = True
    transitive: bool = False


_UPON = AskedEdges(DEPENDENCY, out=True, transitive=True)
_UPON_IT = AskedEdges(DEPENDENCY, out=False, transitive=True)
_THING = r"(?:\S+\s+){0,5}?\S+"
_CUES: tuple[tuple[AskedEdges, str], ...] = (
    (
        _UPON_IT,
        r"""
        \b(?:what|which|who|anything|everything|all|specs?|docs?|documents?|modules?|services?)
        (?:\s+(?!do(?:es)?\b|did\b)\S+){0,3}?\s+(?:depend(?:s|ed)?|relies|rely|builds?|rests?)\s+(?:up)?on\s+[\w"'`]
        |\b(?:what|which|who)(?:\s+(?!do(?:es)?\b|did\b)\S+){0,3}?\s+(?:requires?|needs?|uses?|consumes?)\s+(?-i:[A-Z]{2,}[-\s#]*\d)
        |\b(?:dependents|dependants|consumers|reverse\s+dependenc(?:y|ies))\b|\bdownstream\b|\bblast\s+radius\b
        |\brequired\s+by\b|\bdepended\s+(?:up)?on\s+by\b|\bneeded\s+(?:by|for)\s+what\b
        |what\s+(?:would\s+)?(?:breaks?|(?:is|be|gets?)\s+affected)\b|\bimpact\s+of\s+(?:a\s+)?chang
        |\bwas\s+hängt\s+(?:alles\s+)?(?:von|an)\b|\bwer\s+(?:braucht|benötigt)\b|\bqu[eé]\s+depende\s+de\b
        |\bqu['’]est-ce\s+qui\s+dépend\b|に依存(?:している|する)(?:もの|のは)|(?:什么|哪些)\S{0,8}依赖
        """,
    ),
    (
        _UPON,
        rf"""
        \bdepend(?:s|ing|ed)?\s+(?:up)?on\b|\bdependenc(?:y|ies)\b|\bdepends?\b
        |\bprereq(?:uisite)?s?\b|\bpre-?conditions?\b|\bupstream\b|\brequirements?\s+of\b
        |what\s+(?:does|do|did|would)\s+{_THING}\s+(?:require|need|rely\s+on|build\s+(?:up)?on|rest\s+(?:up)?on|assume)\b
        |what\s+is\s+{_THING}\s+(?:based|built)\s+(?:up)?on\b|what\s+(?:is|are)\s+(?:required|needed)\s+(?:by|for)\b
        |\bwovon\s+hängt\b|\babhängigkeit(?:en)?\b|\bvoraussetzung(?:en)?\b|\bde\s+qu[eé]\s+depende\b|\bdependencias?\b
        |\bde\s+quoi\s+dépend\b|\bdépendances?\b|依存(?:先|関係)|(?:何|なに)に依存|依赖(?:什么|哪些|项|关系)
        """,
    ),
    (AskedEdges(("SUPERSEDES",), out=False), r"\b(?:what|which|who)\b.{0,40}\b(?:supersede[sd]?|replace[sd]?|obsolete[sd]?)\s+(?-i:[A-Z])|\b(?:superseded|replaced|obsoleted)\s+by\b|\bsuccessors?\s+(?:of|to)\b"),  # noqa: E501
    (AskedEdges(("SUPERSEDES",)), r"\b(?:supersedes?|replaces?|obsoletes?|predecessors?)\b"),
    (AskedEdges(("IMPLEMENTS",), out=False), r"\b(?:what|which|who)\s+(?:\S+\s+){0,2}?implement(?:s|ed)?\s+(?-i:[A-Z])|\bimplemented\s+by\b|\bimplementations?\s+of\b"),  # noqa: E501
    (AskedEdges(("IMPLEMENTS",)), r"\bwhat\s+(?:does|do|did)\s+\S+\s+implement\b"),
    (AskedEdges(("EXTENDS",), out=False), r"\b(?:what|which)\s+(?:\S+\s+){0,2}?extend(?:s|ed)?\s+(?-i:[A-Z])|\bextended\s+by\b|\bextensions?\s+(?:of|to)\b"),  # noqa: E501
    (AskedEdges(("EXTENDS",)), r"\bwhat\s+(?:does|do|did)\s+\S+\s+extend\b"),
    (AskedEdges(("REFERENCES", "MENTIONS"), out=False), r"\b(?:what|which|who)\s+(?:\S+\s+){0,2}?(?:refer(?:s|ence[sd]?)?(?:\s+to)?|cites?|mentions?|links?\s+to)\s+(?-i:[A-Z])|\b(?:referenced|cited|mentioned)\s+by\b"),  # noqa: E501
    (AskedEdges(("REFERENCES", "MENTIONS")), r"\bwhat\s+(?:does|do|did)\s+\S+\s+(?:refer(?:ence)?(?:\s+to)?|cite|mention|link\s+to)\b"),  # noqa: E501
)  # fmt: skip
CUES = tuple((asked, re.compile(pattern, re.IGNORECASE | re.VERBOSE)) for asked, pattern in _CUES)
"""In the order they are tried: `what depends on X` before `depends on`."""


def asked_edges(text: str) -> AskedEdges | None:
    """The edges that a query asks for; None where it asks for none. Only the first 2,000 characters are read."""
    return next((asked for asked, pattern in CUES if pattern.search(text[:_READ])), None)
