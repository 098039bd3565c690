"""A query in, the edges that it asks for out: what something depends on, what depends on it, what replaced it.

`What is required by SPEC-3` asks for what SPEC-3 requires, `what is SPEC-3 required by` for what requires it: in the
first the thing named acts, in the second the verb is done to it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from pellucid.model.entity import EdgeType

DEPENDENCY: tuple[EdgeType, ...] = ("DEPENDS_ON", "IMPLEMENTS", "EXTENDS")
"""The edges to what something builds on, from the strongest tie on."""
_READ = 2_000

Verb = Literal["depend", "supersede", "implement", "extend", "refer"]
_NAMELESS = r"(?:\s+(?!\S*\d)\S+)"
"""A word that is not an id: `documents` in `which documents`."""

_ENGLISH: dict[Verb, str] = {
    "depend": r"(?:required|needed|used|consumed|presupposed|(?:depended|relied)\s+(?:up)?on)",
    "supersede": r"(?:superseded|replaced|obsoleted)",
    "implement": r"implemented",
    "extend": r"(?:extended|amended|updated)",
    "refer": r"(?:referenced|cited|mentioned|linked(?:\s+to)?|referred\s+to)",
}
_GERMAN: dict[Verb, str] = {
    "depend": r"(?:benötigt|gebraucht|vorausgesetzt|verwendet)",
    "supersede": r"(?:ersetzt|abgelöst)",
    "implement": r"(?:implementiert|umgesetzt)",
    "extend": r"(?:erweitert|ergänzt)",
    "refer": r"(?:referenziert|zitiert|erwähnt|genannt)",
}
_SPANISH: dict[Verb, str] = {
    "depend": r"(?:requerid|necesitad|usad|utilizad)[oa]s?",
    "supersede": r"(?:re(?:e)?mplazad|su(?:b)?stituid)[oa]s?",
    "implement": r"implementad[oa]s?",
    "extend": r"(?:extendid|ampliad)[oa]s?",
    "refer": r"(?:referenciad|citad|mencionad)[oa]s?",
}
_FRENCH: dict[Verb, str] = {
    "depend": r"(?:requis|exigé|utilisé)e?s?",
    "supersede": r"(?:remplacé)e?s?",
    "implement": r"(?:implémenté)e?s?",
    "extend": r"(?:étendu)e?s?",
    "refer": r"(?:référencé|cité|mentionné)e?s?",
}
_JAPANESE: dict[Verb, str] = {
    "depend": r"(?:依存さ|必要とさ|要求さ|使用さ|使わ)れ",
    "supersede": r"(?:置き換えら|置換さ|取って代わら)れ",
    "implement": r"実装され",
    "extend": r"拡張され",
    "refer": r"(?:参照|引用|言及)され",
}
_CHINESE: dict[Verb, str] = {
    "depend": r"(?:依赖|需要|要求|使用)",
    "supersede": r"(?:取代|替代|替换)",
    "implement": r"实现",
    "extend": r"扩展",
    "refer": r"(?:引用|提及|提到)",
}

_WHO = r"(?:what|which|whom|who)\b"
_IS = r"(?:is|are|was|were|be|been|being|gets?|got)"
_ONLY = r"(?:(?:\w{1,20}ly|not|also|now|still|already|ever|being|been)\s+){0,2}"
_SOMETHING = (
    r"(?:anything|everything|all|those|ones?|things?|specs?|specifications?|docs?|documents?|modules?|services?|adrs?"
    r"|rfcs?|components?|packages?|parts?|contracts?|sections?|dependenc(?:y|ies))"
)
_WIRD = r"(?:(?:wird|werden|wurden?|ist|sind|war|waren)\s+)?"
_EST = r"(?:est|sont|fut|furent|étai(?:en)?t|(?:a|ont)\s+été)"
_QUI = r"\b(?:qu['’]est-ce\s+qui|qu(?:i|oi|el(?:le)?s?))\b"
_WAS = r"(?:qu[eé]|cu[aá]l(?:es)?|qui[eé]n(?:es)?)\b"


@dataclass(frozen=True, slots=True)
class AskedEdges:
    """The edges that a query asks for: their types, and whether they go from the named thing (`out`) or to it.

    `transitive`: whether the edges of what these lead to are asked for, too.
    """

    types: tuple[EdgeType, ...]
    out: bool = True
    transitive: bool = False


_UPON = AskedEdges(DEPENDENCY, out=True, transitive=True)
_UPON_IT = AskedEdges(DEPENDENCY, out=False, transitive=True)
_SUPERSEDES, _SUPERSEDES_IT = AskedEdges(("SUPERSEDES",)), AskedEdges(("SUPERSEDES",), out=False)
_IMPLEMENTS, _IMPLEMENTS_IT = AskedEdges(("IMPLEMENTS",)), AskedEdges(("IMPLEMENTS",), out=False)
_EXTENDS, _EXTENDS_IT = AskedEdges(("EXTENDS",)), AskedEdges(("EXTENDS",), out=False)
_REFERS, _REFERS_TO_IT = AskedEdges(("REFERENCES", "MENTIONS")), AskedEdges(("REFERENCES", "MENTIONS"), out=False)
_PASSIVE: dict[Verb, tuple[AskedEdges, AskedEdges]] = {
    "depend": (_UPON, _UPON_IT),
    "supersede": (_SUPERSEDES, _SUPERSEDES_IT),
    "implement": (_IMPLEMENTS, _IMPLEMENTS_IT),
    "extend": (_EXTENDS, _EXTENDS_IT),
    "refer": (_REFERS, _REFERS_TO_IT),
}
"""The edges that a verb in the passive asks for: if the thing named acts, and if the verb is done to that thing."""
_THING = r"(?:\S+\s+){0,5}?\S+"
_ACTS = r"\b(?:what|which|who)(?:\s+(?!do(?:es)?\b|did\b|[^\s\d]*\d)\S+){0,6}?\s+"
"""The thing asked for acts: `which of the specs` before a verb, with no name and no `does` between."""
_DOES = rf"\b(?:what|which)\s+(?:(?!do(?:es)?\b|did\b)\S+\s+){{0,3}}?(?:do(?:es)?|did)\s+{_THING}"
_NAME = r"(?:(?-i:(?=[A-Z]))|(?=the\b|\S*\d|\w{1,12}\s+\#?\d))"
_REFER = r"(?:refer(?:s|ence[sd]?)?(?:\s+to)?|cite[sd]?|mention(?:s|ed)?|link(?:s|ed)?\s+to)"
_CUES: tuple[tuple[AskedEdges, str], ...] = (
    (_UPON_IT, rf"{_ACTS}(?:requires?\s+{_NAME}|(?:is|are|was|were)\s+(?:based|built)\s+(?:up)?on\s+(?=\S))"),
    (
        _UPON_IT,
        r"""
        \b(?:what|which|who|anything|everything|all|specs?|docs?|documents?|modules?|services?)
        (?:\s+(?!do(?:es)?\b|did\b)\S+){0,3}?\s+(?:depend(?:s|ed)?|relies|rely|builds?|rests?)\s+(?:up)?on\s+(?=[\w"'`])
        |\b(?:what|which|who)(?:\s+(?!do(?:es)?\b|did\b)\S+){0,3}?\s+(?:needs?|uses?|consumes?)\s+(?-i:[A-Z]{2,}[-\s#]*\d)
        |\b(?:dependents|dependants|consumers|reverse\s+dependenc(?:y|ies))\b|\bdownstream\b|\bblast\s+radius\b
        |\bneeded\s+for\s+what\b
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
        |{_DOES}\s+require\b|\brequires\s+(?:what|which)\b
        |what\s+is\s+{_THING}\s+(?:based|built)\s+(?:up)?on\b|what\s+(?:is|are)\s+(?:required|needed)\s+for\b
        |\bwovon\s+hängt\b|\babhängigkeit(?:en)?\b|\bvoraussetzung(?:en)?\b|\bde\s+qu[eé]\s+depende\b|\bdependencias?\b
        |\bde\s+quoi\s+dépend\b|\bdépendances?\b|依存(?:先|関係)|(?:何|なに)に依存|依赖(?:什么|哪些|项|关系)
        """,
    ),
    (_SUPERSEDES_IT, rf"{_ACTS}(?:supersede[sd]?|replace[sd]?|obsolete[sd]?)\s+{_NAME}|\bsuccessors?\s+(?:of|to)\b"),
    (_SUPERSEDES, r"\b(?:supersedes?|replaces?|obsoletes?|predecessors?)\b"),
    (_IMPLEMENTS_IT, rf"{_ACTS}implement(?:s|ed)?\s+{_NAME}|\bimplementations?\s+of\b"),
    (_IMPLEMENTS, rf"{_DOES}\s+implement\b|\bimplements\s+(?:what|which)\b"),
    (_EXTENDS_IT, rf"{_ACTS}(?:extend(?:s|ed)?|amend(?:s|ed)?)\s+{_NAME}|\bextensions?\s+(?:of|to)\b"),
    (_EXTENDS, rf"{_DOES}\s+(?:extend|amend)\b|\b(?:extends|amends)\s+(?:what|which)\b"),
    (_REFERS_TO_IT, rf"{_ACTS}{_REFER}\s+{_NAME}"),
    (_REFERS, rf"{_DOES}\s+{_REFER}|\b(?:refers\s+to|references|cites|mentions|links\s+to)\s+(?:what|which)\b"),
)
CUES = tuple((asked, re.compile(pattern, re.IGNORECASE | re.VERBOSE)) for asked, pattern in _CUES)
"""In the order they are tried: `what depends on X` before `depends on`."""


UNKNOWN = "nothing is known "
"""Begins the reason of a graph leg that knows none of the edges asked for, or nothing of that time."""
# `context.abstain.says_unknown` knows a leg's report by these beginnings: the reason is what a receipt keeps of it.
NOT_YET = f"{UNKNOWN}of it before "
"""Begins the reason if the query asks for a time before all that is known of what it names; a date follows."""
_VERBS: dict[EdgeType, str] = {
    "DEPENDS_ON": "depends on",
    "SUPERSEDES": "replaces",
    "IMPLEMENTS": "implements",
    "EXTENDS": "extends",
    "REFERENCES": "refers to",
}
"""The verb of each type of edge, for `reason_for_no_edge`."""

ABSENT = "no document here is the one named"
"""The reason if the query names a document that is missing in a numbered series known here."""


def reason_for_no_edge(asked: AskedEdges) -> str:
    """Return the reason for the graph leg's report if the named thing has none of the asked edges, by the verb of their
    first type: `nothing is known that replaces it`, or `nothing is known that it replaces` if they lead from it."""
    verb = _VERBS[asked.types[0]]
    return f"{UNKNOWN}that it {verb}" if asked.out else f"{UNKNOWN}that {verb} it"


def reason_with_names(reason: str, names: Iterable[str]) -> str:
    """Return a graph leg's reason of unknown names (`ABSENT`, or one that begins with `UNKNOWN`), with these names in
    place of `it` or `the one named`, joined by `or`; unchanged without names; empty for a reason of another kind."""
    named = " or ".join(names)
    if reason == ABSENT:
        return f"no document here is {named}" if named else reason
    return re.sub(r"\bit\b", named or "it", reason) if reason.startswith(UNKNOWN) else ""


def asked_edges(text: str) -> AskedEdges | None:
    """Return the edges that a query asks for, by its first 2,000 characters; None if it asks for none."""
    found = _find_asked_edges(text[:_READ])
    return found[0] if found else None


def text_beside_edges(text: str, names: Iterable[str]) -> str:
    """Return the text after the words that ask for edges, without these names and the word after each.

    `What does EIP-4844 require for gas accounting` also asks for `for gas accounting`. Empty if the text asks for no
    edges in its first 2,000 characters.
    """
    found = _find_asked_edges(text[:_READ])
    text = text[found[1][1] :] if found else ""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)(?:[ \t]+\w+)?", " ", text, flags=re.IGNORECASE)
    return text.strip()


def _find_asked_edges(text: str) -> tuple[AskedEdges, tuple[int, int]] | None:
    """Return the edges that a text asks for, and the span of the words that ask; None if it asks for none."""
    if found := find_passive(text):
        verb, done_to_it, span = found
        return _PASSIVE[verb][done_to_it], span
    matches = ((asked, pattern.search(text)) for asked, pattern in CUES)
    return next(((asked, match.span()) for asked, match in matches if match), None)


def _pattern_by_what(verb: Verb) -> str:
    """Return a pattern as text, for all languages, of `By what is SPEC-3 required`, which asks for the thing
    that acts."""
    en, de, es, fr = _ENGLISH[verb], _GERMAN[verb], _SPANISH[verb], _FRENCH[verb]
    return "|".join(
        (
            rf"\bby\s+{_WHO}.{{0,60}}?\b{en}\b",
            rf"\b{en}\s+by\s+{_WHO}",
            rf"\b(?:(?:von|durch)\s+(?:was|wem|welche[rnms]?)|wovon|wodurch)\b.{{0,60}}?\b{de}\b",
            rf"\bpor\s+{_WAS}.{{0,60}}?\b{es}\b",
            rf"\b{es}\s+por\s+{_WAS}",
            rf"\bpar\s+(?:quoi|qui|quel(?:le)?s?)\b.{{0,60}}?\b{fr}\b",
            rf"\b{fr}\s+par\s+(?:quoi|qui|quel(?:le)?s?)\b",
            rf"(?:何|なに|どれ|誰|だれ|どの\S{{1,8}}?)に(?:よって|より)?{_JAPANESE[verb]}",
            rf"被\s*(?:什么|哪|谁).{{0,8}}?{_CHINESE[verb]}",
        )
    )


def _pattern_named_acts(verb: Verb) -> str:
    """Return a pattern as text, for all languages, of `What is required by SPEC-3`: it is SPEC-3 that requires."""
    en, de, es, fr = _ENGLISH[verb], _GERMAN[verb], _SPANISH[verb], _FRENCH[verb]
    return "|".join(
        (
            rf"\b{_WHO}(?:{_NAMELESS}{{0,5}}?\s+{_IS}|['’]s)\s+{_ONLY}{en}\s+by\s+(?=\S)",
            rf"\b{_SOMETHING}\s+(?:(?:that|which)\s+)?(?:{_IS}\s+)?{_ONLY}{en}\s+by\s+(?=\S)",
            rf"\A\W*{en}\s+by\s+(?=\S)",
            rf"\b(?:was|wer|welche[rsnm]?)\b{_NAMELESS}{{0,3}}?\s+{_WIRD}(?:alles\s+)?(?:von|durch)\s+.{{1,60}}?\s{de}\b",
            rf"(?<!\bpor\s)\b{_WAS}{_NAMELESS}{{0,3}}?\s+(?:es|son|fue|fueron|est[aá]n?|h[ae]n?\s+sido)\s+{es}\s+por\s+\S",
            rf"(?<!\bpar\s){_QUI}{_NAMELESS}{{0,3}}?\s+{_EST}\s+{fr}\s+par\s+\S",
            rf"に(?:よって|より)?{_JAPANESE[verb]}",
            rf"被\s*\S.{{0,30}}?{_CHINESE[verb]}",
        )
    )


def _pattern_named_undergoes(verb: Verb) -> str:
    """Return a pattern as text, for all languages, of `SPEC-3 is required by`: the verb is done to the thing named."""
    return "|".join(
        (
            rf"\b{_ENGLISH[verb]}\s+by\b",
            rf"\b{_GERMAN[verb]}\s+(?:von|durch)\b",
            rf"\b{_SPANISH[verb]}\s+por\b",
            rf"\b{_FRENCH[verb]}\s+par\b",
            rf"被\s*{_CHINESE[verb]}",
        )
    )


@cache
def _passives() -> tuple[tuple[Verb, bool, re.Pattern[str]], ...]:
    """Return each passive as its verb, whether the verb is done to the thing named (if not, that thing acts), and its
    pattern, in the order they are tried."""
    verbs: tuple[Verb, ...] = get_args(Verb)
    return tuple(
        (verb, done_to_it, re.compile(make_pattern(verb), re.IGNORECASE))
        for make_pattern, done_to_it in (
            (_pattern_by_what, True),
            (_pattern_named_acts, False),
            (_pattern_named_undergoes, True),
        )
        for verb in verbs
    )


_BY = re.compile(r"by\b|von\b|durch\b|wodurch\b|por\b|par\b|に|被", re.IGNORECASE)


def find_passive(text: str) -> tuple[Verb, bool, tuple[int, int]] | None:
    """Return the first of `_passives` that occurs in a text, not the one that stands first: the verb, whether it is
    done to the thing named, and the span (start, end). None if the text has none."""
    if not _BY.search(text):
        return None
    for verb, done_to_it, pattern in _passives():
        if match := pattern.search(text):
            return verb, done_to_it, match.span()
    return None
