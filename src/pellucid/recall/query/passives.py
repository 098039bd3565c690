"""A query in the passive in, its verb and whether it is done to the thing it names out: `required by SPEC-3`.

`What is required by SPEC-3` asks for what SPEC-3 requires, `what is SPEC-3 required by` for what requires it. Whatever
is asked for the one that acts (`by what`) is done to the thing named; else, where something is asked for or spoken of
that has no name, and a name follows `by`, the thing named acts; what else has `by` behind its verb is done to it.
"""

import re
from functools import cache
from typing import Literal, get_args

Verb = Literal["depend", "supersede", "implement", "extend", "refer"]
_NAMELESS = r"(?:\s+(?!\S*\d)\S+)"
"""A word that is no id: `documents` of `which documents`."""

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


def _by_whom(verb: Verb) -> str:
    """`By what is SPEC-3 required`: the one that acts is asked for."""
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


def _pattern_of_actor(verb: Verb) -> str:
    """`What is required by SPEC-3`: the thing named acts."""
    en, de, es, fr = _ENGLISH[verb], _GERMAN[verb], _SPANISH[verb], _FRENCH[verb]
    return "|".join(
        (
            rf"\b{_WHO}(?:{_NAMELESS}{{0,5}}?\s+{_IS}|['’]s)\s+{_ONLY}{en}\s+by\s+\S",
            rf"\b{_SOMETHING}\s+(?:(?:that|which)\s+)?(?:{_IS}\s+)?{_ONLY}{en}\s+by\s+\S",
            rf"\A\W*{en}\s+by\s+\S",
            rf"\b(?:was|wer|welche[rsnm]?)\b{_NAMELESS}{{0,3}}?\s+{_WIRD}(?:alles\s+)?(?:von|durch)\s+.{{1,60}}?\s{de}\b",
            rf"(?<!\bpor\s)\b{_WAS}{_NAMELESS}{{0,3}}?\s+(?:es|son|fue|fueron|est[aá]n?|h[ae]n?\s+sido)\s+{es}\s+por\s+\S",
            rf"(?<!\bpar\s){_QUI}{_NAMELESS}{{0,3}}?\s+{_EST}\s+{fr}\s+par\s+\S",
            rf"に(?:よって|より)?{_JAPANESE[verb]}",
            rf"被\s*\S.{{0,30}}?{_CHINESE[verb]}",
        )
    )


def _passive_pattern(verb: Verb) -> str:
    """`SPEC-3 is required by`: it is done to the thing named."""
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
def _passive_patterns() -> tuple[tuple[Verb, bool, re.Pattern[str]], ...]:
    """In the order they are tried: `by what` before `what … by`, and the bare `required by` last."""
    verbs: tuple[Verb, ...] = get_args(Verb)
    return tuple(
        (verb, done_to_it, re.compile(said(verb), re.IGNORECASE))
        for said, done_to_it in ((_by_whom, True), (_pattern_of_actor, False), (_passive_pattern, True))
        for verb in verbs
    )


_BY = re.compile(r"by\b|von\b|durch\b|wodurch\b|por\b|par\b|に|被", re.IGNORECASE)


def passive(text: str) -> tuple[Verb, bool, tuple[int, int]] | None:
    """The verb that a text has in the passive, whether that is done to the thing named, and where it says so.

    None where it has none.
    """
    if not _BY.search(text):
        return None
    for verb, done_to_it, pattern in _passive_patterns():
        if match := pattern.search(text):
            return verb, done_to_it, match.span()
    return None
