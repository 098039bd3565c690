"""What a model claims to have heard in, facts that really stand in the turns out, or the reason each claim is dropped.

Nothing a model says is believed. A claim must quote one of at most three turns, and may say nothing that its quote,
those turns and the speakers' names do not hold. Some true claims are lost this way; an invented one must not pass.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pellucid.language.numbers import figures
from pellucid.language.spelling import entity_key, normalise
from pellucid.language.words import content_words, stop_words, words
from pellucid.model.memory import Category
from pellucid.model.observation import Evidence, ExtractedFact, Resolution
from pellucid.model.turn import Turn
from pellucid.observe.importance import spoken
from pellucid.observe.language import detect_language
from pellucid.observe.model.ground import Ground, ModelClaim, clauses, ground_of
from pellucid.observe.model.hostile import is_hostile, is_order

DropReason = Literal[
    "turns-outside",
    "too-many-turns",
    "not-quoted",
    "empty",
    "too-long",
    "hidden-characters",
    "instruction",
    "script",
    "wrong-speaker",
    "unsupported",
    "number-not-said",
    "identifier-not-said",
    "name-not-said",
    "polarity",
    "retraction-not-said",
    "duplicate",
    "over-max-facts",
    "entity-not-said",
    "tag-not-said",
    "attribute-not-said",
]
"""The last three take a part off a fact and leave the rest."""

LONGEST_CONTENT = 500
LONGEST_NAME = 60
MOST_TAGS = 5
SUPPORT = 0.5
"""The share of a claim's content words that must stand in its turns."""
_SEVERAL_SENTENCES: frozenset[Category] = frozenset({"procedure", "reasoning_trace"})
"""Numbers of these may stand anywhere in the evidence, of the others only in a quoted sentence."""

_LABEL = re.compile(
    r"^(?:(?:the|der|die|el|la) )?(?:user|assistant|speaker|usuari[oa]|(?:be)?nutzer(?:in)?)\b:? ?", re.IGNORECASE
)
_LABELS = frozenset({"user", "assistant", "speaker", "usuario", "usuaria", "nutzer", "benutzer"})
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|none|nobody|nothing|neither|nor|avoid\w*|refus\w*|stop\w*|instead of|rather than|nicht"
    r"|kein\w*|niemals|nie|ohne|nichts|niemand|weder|vermeid\w*|(?:an)?statt|nunca|jamás|sin|nada|nadie|ning[uú]n\w*"
    r"|tampoco|evita\w*|en (?:vez|lugar) de|pas|jamais|sans|au lieu d[eu])\b"
    r"|不|没|沒|无|無|勿|别(?!的)|ない|なく|ません|ず(?=に|\s|$)"
)
_IDIOM = re.compile(
    r"\b(?:can not wait|not (?:only|just)|why not|no (?:problem|worries|doubt|wonder)"
    r"|(?:\w+) not (?:you|i|we|they|he|she|it)$)"
)
"""Negations that deny nothing."""
_CALLED = re.compile(
    r"(?:(?<=^)|(?<=[,;:–—] )|(?<=\b[Hh]ey )|(?<=\b[Hh]i )|(?<=\b[Ww]ow )|(?<=\b[Tt]hanks ))"
    r"[^\W\d_][\w-]+(?=[,!.?;:]|$)"
)
_STEP = re.compile(r"^[^\S\n]*+\(?\d{1,2}[.)]\s", re.MULTILINE)
_PART = re.compile(r"[^\s,;!?()\[\]{}\"“”«»„`]+")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_JOINED = re.compile(r"\w[/@_#\\]\w|[^\W\d]\.[^\W\d]|[a-zß-ÿ][A-ZÀ-Þ]|\d[^\W\d]{3,}|[^\W\d]-?\d")
_JOINERS = frozenset("\u200c\u200d")
"""Invisible signs that some scripts and emoji need: taken over where the turns have them. No others are."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A fact that stands, and why parts of its claim do not."""

    fact: ExtractedFact
    lost: tuple[DropReason, ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    claim: ModelClaim
    ground: Ground
    content: str

    @property
    def unlabelled(self) -> str:
        """The content without `User:` or `The user` in front."""
        return _LABEL.sub("", self.content) or self.content


def check(claim: ModelClaim, turns: Sequence[Turn]) -> Checked | DropReason:
    """The fact of a claim about `turns` (all that were shown), or the first reason why it is none."""
    ground = ground_of(claim, turns)
    if isinstance(ground, str):
        return ground
    case = _Case(claim, ground, _tidy(claim.content, claim.category))
    for rule in _RULES:
        if reason := rule(case):
            return reason
    return _checked_fact(case)


def culprits(claim: ModelClaim, turns: Sequence[Turn], reason: DropReason) -> list[str]:
    """The words for which a claim was dropped; none where the reason is not about words."""
    ground = ground_of(claim, turns)
    if isinstance(ground, str) or reason not in _TELLING:
        return []
    return list(dict.fromkeys(_TELLING[reason](_Case(claim, ground, _tidy(claim.content, claim.category)))))


def _tidy(content: str, category: Category) -> str:
    lines = [" ".join(line.split()) for line in content.strip().splitlines()]
    return ("\n" if category == "procedure" else " ").join(filter(None, lines))


def _by_form(case: _Case) -> DropReason | None:
    """Why a claim's text may not be kept as it is: empty, too long, with hidden characters; None if it may."""
    if not content_words(case.content):
        return "empty"
    if len(case.content) > LONGEST_CONTENT:
        return "too-long"
    allowed = _JOINERS.intersection(case.ground.heard) | {"\n"}
    hidden = any(unicodedata.category(char)[0] == "C" and char not in allowed for char in case.content)
    return "hidden-characters" if hidden else None


def _by_intent(case: _Case) -> DropReason | None:
    """`instruction` where a claim would order its reader about, unless a person gave that order; else None."""
    claim = case.claim
    parts = [claim.entity or "", *claim.tags, *(f"{pair.name} {pair.value}" for pair in claim.attributes)]
    if any(is_hostile(text) for text in (case.content, *parts, *case.ground.sentences)):
        return "instruction"
    by_a_person = any(turn.role == "user" for turn in case.ground.voices)
    return "instruction" if not by_a_person and is_order(spoken(case.content)) else None


def _by_script(case: _Case) -> DropReason | None:
    return None if _scripts(case.unlabelled) <= _scripts(case.ground.near) else "script"


def _scripts(text: str) -> set[str]:
    """The first words of the Unicode names of its letters: LATIN, CYRILLIC, CJK, but also FULLWIDTH, MATHEMATICAL."""
    return {unicodedata.name(char, "?").split()[0] for char in set(text) if char.isalpha()}


def _by_speaker(case: _Case) -> DropReason | None:
    """Why a claim may not name its speaker: that one neither spoke nor was spoken to or of; None if it may.

    A tool tells nothing in a user's name.
    """
    if case.unlabelled != case.content:
        return None if any(turn.role != "tool" for turn in case.ground.voices) else "wrong-speaker"
    first = next(iter(words(re.split(r"[\s:'’]", case.content, maxsplit=1)[0])), "")
    theirs = {word for turn in case.ground.voices for word in words(turn.speaker or "")}
    is_other = first in case.ground.speakers - theirs and not any(
        _is_about(first, said) for said in case.ground.sentences
    )
    return "wrong-speaker" if is_other else None


def _is_about(name: str, sentence: str) -> bool:
    """Whether a sentence tells something of somebody, by name or as `you`; calling them (`Hey Nadia!`) does not."""
    called = _CALLED.sub(" ", sentence)
    return name in words(called) or bool(detect_language(sentence).noise.you.search(sentence.lower()))


def _by_support(case: _Case) -> DropReason | None:
    """`unsupported` where too few of a claim's words stand in the turns it quotes; else None."""
    own = _LABELS | case.ground.speakers
    said = [word for word in content_words(case.content) if word not in own and not word[0].isdigit()]
    said = said or [word for word in content_words(case.content) if word not in own]
    if not said or not _shared_words(content_words(case.content), words(" ".join(case.ground.sentences))):
        return "unsupported"
    return None if len(_shared_words(said, words(case.ground.heard))) >= SUPPORT * len(said) else "unsupported"


def _shared_words(said: Sequence[str], heard: Sequence[str]) -> list[str]:
    """The words of `said` that are heard, in any inflection: a common beginning of four letters and most of both."""
    by_beginning: dict[str, set[str]] = {}
    for word in heard:
        by_beginning.setdefault(word[:4], set()).add(word)
    return [word for word in said if any(_have_one_stem(word, other) for other in by_beginning.get(word[:4], ()))]


def _have_one_stem(one: str, other: str) -> bool:
    """Whether two words begin alike for long enough to be forms of one; numbers only if they are equal."""
    if one == other:
        return True
    common = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return common >= max(4, 0.6 * max(len(one), len(other))) and not any(sign.isdigit() for sign in one + other)


def _by_number(case: _Case) -> DropReason | None:
    return "number-not-said" if _unsaid_numbers(case) else None


def _unsaid_numbers(case: _Case) -> list[str]:
    """The claim's numbers that its source does not hold."""
    anywhere = case.claim.category in _SEVERAL_SENTENCES
    heard = set(figures(case.ground.heard if anywhere else "\n".join(case.ground.sentences)))
    heard |= {number[:4] for number in heard if re.match(r"\d{4}-\d\d", number)}
    said = _STEP.sub("", case.content) if case.claim.category == "procedure" else case.content
    return [number for number in figures(said) if number not in heard]


def _by_name(case: _Case) -> DropReason | None:
    if _unsaid_identifiers(case):
        return "identifier-not-said"
    return "name-not-said" if _unsaid_names(case) else None


def _unsaid_identifiers(case: _Case) -> list[str]:
    heard = case.ground.near.casefold()
    parts = [part.strip(".:'’*_") for part in _PART.findall(case.unlabelled)]
    return [part for part in parts if _JOINED.search(part) and part.casefold() not in heard]


def _unsaid_names(case: _Case) -> list[str]:
    """The claim's capitalised names that stand nowhere near its source."""
    known = [*words(case.ground.near.casefold()), *stop_words()]
    return [
        name
        for name in _capitalised_words(case.unlabelled)
        if len(_shared_words(words(name), known)) < len(words(name))
    ]


def _capitalised_words(content: str) -> list[str]:
    """Capitalised words; of German, where every noun has a capital, only the first word and acronyms."""
    german = detect_language(content).code == "de"
    found = _WORD.findall(content)
    return [word for at, word in enumerate(found) if word[0].isupper() and (not german or at == 0 or word.isupper())]


def _by_polarity(case: _Case) -> DropReason | None:
    """A `not` may neither be lost nor added."""
    return "polarity" if _turned_round(case) else None


def _turned_round(case: _Case) -> list[str]:
    """The words that either the claim or its quote denies, and the other does not: the claim says the opposite.

    What is said without a `not` may take no word that is only said with one; what is said with one must have its like,
    the quoted clause that shares most words, said with one too.
    """
    heard = [clause for sentence in case.ground.sentences for clause in clauses(sentence)]
    denied, stated = (words(" ".join(filter(None, part))) for part in zip(*map(_by_sign, heard), strict=True))
    for clause in clauses(case.unlabelled):
        if not _is_negated(clause):
            from_denied = _shared_words(content_words(clause), denied)
            if lost := [word for word in from_denied if word not in _shared_words(from_denied, stated)]:
                return lost
        elif not _is_negated(max(heard, key=lambda other: len(_shared_words(words(clause), words(other))))):
            return [clause]
    return []


def _by_sign(clause: str) -> tuple[str, str]:
    return (clause, "") if _is_negated(clause) else ("", clause)


def _is_negated(clause: str) -> bool:
    return bool(_NEGATION.search(_IDIOM.sub(" ", clause)))


def _by_resolution(case: _Case) -> DropReason | None:
    """Why what a claim takes back may not be: a tool said it, or its words do not name it; None if it may."""
    resolves = case.claim.resolves
    if resolves is None or resolves.kind == "correction" or _resolution(case):
        return None
    return "retraction-not-said"


def _resolution(case: _Case) -> Resolution | None:
    """What the claim corrects or takes back; None where it says nothing of that, a tool said it, or no one named it."""
    resolves = case.claim.resolves
    if resolves is None or any(turn.role in {"tool", "system"} for turn in case.ground.turns):
        return None
    about = " ".join(resolves.about.split())
    named = content_words(about)
    if len(about) > LONGEST_CONTENT or len(_shared_words(named, words(case.ground.heard))) < len(named):
        return None
    if resolves.kind == "retraction" and not named:
        return None
    return Resolution(kind=resolves.kind, about=about)


_RULES: tuple[Callable[[_Case], DropReason | None], ...] = (
    _by_form,
    _by_intent,
    _by_script,
    _by_speaker,
    _by_support,
    _by_number,
    _by_name,
    _by_polarity,
    _by_resolution,
)


_TELLING: Mapping[DropReason, Callable[[_Case], list[str]]] = {
    "number-not-said": _unsaid_numbers,
    "identifier-not-said": _unsaid_identifiers,
    "name-not-said": _unsaid_names,
    "polarity": _turned_round,
}


def _checked_fact(case: _Case) -> Checked:
    """The fact of a claim that passed every check, and what of it was left out: entity, tags, attributes not said."""
    claim, turns = case.claim, case.ground.turns
    entity, tags = _entity(case), [tag for tag in _tags(claim.tags) if _is_near(tag, case.ground)]
    attributes = dict(_attributes(case)) if entity else {}
    fact = ExtractedFact(
        category=claim.category,
        content=case.content,
        confidence=min(1.0, max(0.0, claim.confidence)),
        tags=tuple(tags[:MOST_TAGS]),
        entity_ref=entity,
        structured_attributes=attributes,
        evidence=(Evidence(source=turns[0].session_id, start=turns[0].ordinal, end=turns[-1].ordinal),),
        resolves=_resolution(case),
    )
    lost: list[DropReason] = [
        *(["entity-not-said"] if claim.entity and not entity else []),
        *["tag-not-said" for _ in claim.tags[len(tags) :]],
        *["attribute-not-said" for _ in claim.attributes[len(attributes) :]],
    ]
    return Checked(fact, tuple(lost))


def _is_near(name: str, ground: Ground) -> bool:
    return len(_shared_words(words(name), words(ground.near))) == len(words(name))


def _entity(case: _Case) -> str | None:
    entity = " ".join((case.claim.entity or "").split())
    fits = words(entity) and len(entity) <= LONGEST_NAME and _is_near(entity, case.ground)
    return entity if fits else None


def _tags(given: Sequence[str]) -> list[str]:
    tidy = (" ".join(tag.split()).casefold() for tag in given)
    return list(dict.fromkeys(tag for tag in tidy if words(tag) and len(tag) <= LONGEST_NAME))


def _attributes(case: _Case) -> Iterator[tuple[str, str]]:
    """The claim's attributes as (name, value): names of at most three plain words, values from a quoted sentence."""
    heard = f" {normalise(' '.join(case.ground.sentences))} "
    for pair in case.claim.attributes:
        name, value = entity_key(pair.name), " ".join(pair.value.split())
        plain = len(name) <= LONGEST_NAME and re.fullmatch(r"\w+(?:-\w+){0,2}", name)
        if plain and value and f" {normalise(value)} " in heard:
            yield name, value
