"""A model's claims about turns in, the facts that the turns bear out, or the reasons to drop a claim, out.

Nothing a model says is believed. A claim must quote one of at most three turns, and must say nothing beyond its quote,
those turns and the speakers' names. Some true claims are lost this way; an invented one must not pass.
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
from pellucid.observe.importance import without_speaker
from pellucid.observe.language import detect_language
from pellucid.observe.model.ground import ClaimSource, ModelClaim, clauses, source_of_claim
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
"""The last three remove a part of a fact and leave the rest."""

LONGEST_CONTENT = 500
LONGEST_NAME = 60
MOST_TAGS = 5
SUPPORT = 0.5
"""The share of a claim's content words that its turns must have."""
_SEVERAL_SENTENCES: frozenset[Category] = frozenset({"procedure", "reasoning_trace"})
"""Categories whose numbers can be anywhere in the evidence; those of others must be in a quoted sentence."""

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
"""Invisible signs that some scripts and emoji need: a claim can have them if the turns have them, and no others."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The fact of a claim that passed, and the reasons why parts of the claim were left out."""

    fact: ExtractedFact
    lost: tuple[DropReason, ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    """A claim under check, with its source, and its content tidied."""

    claim: ModelClaim
    source: ClaimSource
    content: str

    @property
    def unlabelled(self) -> str:
        """The content without `User:` or `The user` in front; all of it if nothing else is there."""
        return _LABEL.sub("", self.content) or self.content


def check(claim: ModelClaim, turns: Sequence[Turn]) -> Checked | DropReason:
    """Return the fact of a claim about `turns`, all that the model was shown, or the first reason to drop the claim.
    The fact comes as a `Checked`: without the claim's entity, tags and attributes that nobody said, which do not drop
    the claim. The reasons are checked in the order of `_RULES`, after those of `source_of_claim`."""
    case = _make_case(claim, turns)
    if isinstance(case, str):
        return case
    for rule in _RULES:
        if reason := rule(case):
            return reason
    return _checked_fact(case)


def culprits(claim: ModelClaim, turns: Sequence[Turn], reason: DropReason) -> list[str]:
    """Return the words of a claim for which it was dropped, each once. They are unsaid numbers, identifiers or names,
    or (for `polarity`) wrongly negated or affirmed words or clauses. `[]` if the `reason` is none of these four, or if
    `turns` have nothing that the claim quotes."""
    case = _make_case(claim, turns)
    if isinstance(case, str) or reason not in _CULPRITS:
        return []
    return list(dict.fromkeys(_CULPRITS[reason](case)))


def _make_case(claim: ModelClaim, turns: Sequence[Turn]) -> _Case | DropReason:
    """Return the claim with its source and tidied content, or the reason to drop it of `source_of_claim`. Tidied:
    single blanks, no blank lines; lines are joined, except those of a procedure."""
    source = source_of_claim(claim, turns)
    if isinstance(source, str):
        return source
    lines = [" ".join(line.split()) for line in claim.content.strip().splitlines()]
    content = ("\n" if claim.category == "procedure" else " ").join(filter(None, lines))
    return _Case(claim, source, content)


def _check_form(case: _Case) -> DropReason | None:
    """Return the reason to drop a claim that is empty, too long or has hidden characters; else None. Empty is a text
    without content words, too long one of over 500 characters. Hidden are control and format characters (Unicode
    category C), except line ends, and joiners that the claim's turns have, too."""
    if not content_words(case.content):
        return "empty"
    if len(case.content) > LONGEST_CONTENT:
        return "too-long"
    allowed = _JOINERS.intersection(case.source.heard) | {"\n"}
    hidden = any(unicodedata.category(char)[0] == "C" and char not in allowed for char in case.content)
    return "hidden-characters" if hidden else None


def _check_intent(case: _Case) -> DropReason | None:
    """Return `instruction` for a claim that tries to instruct a model, or orders its reader about; else None. The first
    (`is_hostile`: content, entity, tags, attributes or quoted sentences) is dropped whoever said it; an order
    (`is_order`: content) only if no quoted turn is a user's."""
    claim = case.claim
    parts = [claim.entity or "", *claim.tags, *(f"{pair.name} {pair.value}" for pair in claim.attributes)]
    if any(is_hostile(text) for text in (case.content, *parts, *case.source.sentences)):
        return "instruction"
    by_person = any(turn.role == "user" for turn in case.source.voices)
    return "instruction" if not by_person and is_order(without_speaker(case.content)) else None


def _check_script(case: _Case) -> DropReason | None:
    """Return `script` for a claim with letters of a script that its turns, the two before and the speakers' names lack.
    Else None. A label in front, such as `User:`, is not checked."""
    return None if _scripts(case.unlabelled) <= _scripts(case.source.near) else "script"


def _scripts(text: str) -> set[str]:
    """Return the scripts of a text's letters, as the first words of their Unicode names: LATIN, CYRILLIC, FULLWIDTH."""
    return {unicodedata.name(char, "?").split()[0] for char in set(text) if char.isalpha()}


def _check_speaker(case: _Case) -> DropReason | None:
    """Return `wrong-speaker` for a claim that begins with the name of a speaker who has nothing to do with it; else
    None. A speaker has to do with it who spoke a quoted turn, or whom a quoted sentence names (not only calls) or
    addresses as `you`. A claim that begins with a label (`User:`) is dropped only if all turns with the quote are a
    tool's."""
    if case.unlabelled != case.content:
        is_spoken = any(turn.role != "tool" for turn in case.source.voices)  # a tool says nothing in a user's name
        return None if is_spoken else "wrong-speaker"
    first = next(iter(words(re.split(r"[\s:'’]", case.content, maxsplit=1)[0])), "")
    theirs = {word for turn in case.source.voices for word in words(turn.speaker or "")}
    is_other = first in case.source.speakers - theirs and not any(
        _is_about(first, said) for said in case.source.sentences
    )
    return "wrong-speaker" if is_other else None


def _is_about(name: str, sentence: str) -> bool:
    """Whether a sentence names a person (`name`, one lower-case word) other than to call them (`Hey Nadia!`), or has
    the word `you`.
    """
    called = _CALLED.sub(" ", sentence)
    return name in words(called) or bool(detect_language(sentence).noise.you.search(sentence.lower()))


def _check_support(case: _Case) -> DropReason | None:
    """Return `unsupported` for a claim whose words its source does not have; else None. It must share a content word
    with its quoted sentences. At least half (`SUPPORT`) of its content words must be in the text of its turns;
    speakers' names and labels do not count (a claim of nothing else is unsupported), nor do numbers unless there is
    nothing else.
    """
    own = _LABELS | case.source.speakers
    claimed = [word for word in content_words(case.content) if word not in own]
    claimed = [word for word in claimed if not word[0].isdigit()] or claimed
    if not claimed or not _shared_words(content_words(case.content), words(" ".join(case.source.sentences))):
        return "unsupported"
    return None if len(_shared_words(claimed, words(case.source.heard))) >= SUPPORT * len(claimed) else "unsupported"


def _shared_words(claimed_words: Sequence[str], known_words: Sequence[str]) -> list[str]:
    """Return the claimed words that are among the known words or are forms of one (`_have_one_stem`), in order."""
    by_beginning: dict[str, set[str]] = {}
    for word in known_words:
        by_beginning.setdefault(word[:4], set()).add(word)
    return [
        word for word in claimed_words if any(_have_one_stem(word, other) for other in by_beginning.get(word[:4], ()))
    ]


def _have_one_stem(one: str, other: str) -> bool:
    """Whether two words are equal, or begin with the same letters: at least four, and 60 % of the longer word. Words
    with digits must be equal."""
    if one == other:
        return True
    common = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return common >= max(4, 0.6 * max(len(one), len(other))) and not any(sign.isdigit() for sign in one + other)


def _unsaid_numbers(case: _Case) -> list[str]:
    """Return the claim's numbers that its quoted sentences lack (for procedures and reasoning traces: all its turns). A
    year counts as said if a date of that year was. The step numbers of a procedure are not checked."""
    anywhere = case.claim.category in _SEVERAL_SENTENCES
    heard = set(figures(case.source.heard if anywhere else "\n".join(case.source.sentences)))
    heard |= {number[:4] for number in heard if re.match(r"\d{4}-\d\d", number)}
    content = _STEP.sub("", case.content) if case.claim.category == "procedure" else case.content
    return [number for number in figures(content) if number not in heard]


def _unsaid_identifiers(case: _Case) -> list[str]:
    """Return the claim's identifiers (paths, addresses, `camelCase`) that nobody said, in any case of letters. Said is
    what stands anywhere in the claim's turns, the two turns before or the speakers' names."""
    heard = case.source.near.casefold()
    parts = [part.strip(".:'’*_") for part in _PART.findall(case.unlabelled)]
    return [part for part in parts if _JOINED.search(part) and part.casefold() not in heard]


def _unsaid_names(case: _Case) -> list[str]:
    """Return the claim's capitalised words that nobody said, except stop words; other forms of a said word count as
    said. Said is what stands in the claim's turns, the two turns before or the speakers' names. German nouns are not
    checked."""
    known = [*words(case.source.near.casefold()), *stop_words()]
    return [
        name
        for name in _capitalised_words(case.unlabelled)
        if len(_shared_words(words(name), known)) < len(words(name))
    ]


def _capitalised_words(content: str) -> list[str]:
    """Return the words of a text with a capital first; of a German text only the first word and all-capital words."""
    german = detect_language(content).code == "de"
    found = _WORD.findall(content)
    return [word for at, word in enumerate(found) if word[0].isupper() and (not german or at == 0 or word.isupper())]


def _negated_words(case: _Case) -> list[str]:
    """Return the words, or the clause, that only one of claim and quoted sentences negates; `[]` if they agree. A
    claimed clause without a negation must have no content word that the quoted sentences have in negated clauses only.
    Of a negated clause, the quoted clause that shares most words with it must be negated, too. Only the first clause at
    fault is reported."""
    heard = [clause for sentence in case.source.sentences for clause in clauses(sentence)]
    denied, stated = (words(" ".join(each for each in heard if _is_negated(each) is sign)) for sign in (True, False))
    for clause in clauses(case.unlabelled):
        if not _is_negated(clause):
            # what is said only in negated clauses must not be claimed without the negation
            from_denied = _shared_words(content_words(clause), denied)
            if lost := [word for word in from_denied if word not in _shared_words(from_denied, stated)]:
                return lost
        elif not _is_negated(max(heard, key=lambda other: len(_shared_words(words(clause), words(other))))):
            return [clause]
    return []


def _is_negated(clause: str) -> bool:
    """Whether a clause has a word of negation outside of idioms that deny nothing (`not only`, `no problem`)."""
    return bool(_NEGATION.search(_IDIOM.sub(" ", clause)))


_CULPRITS: Mapping[DropReason, Callable[[_Case], list[str]]] = {
    "number-not-said": _unsaid_numbers,
    "identifier-not-said": _unsaid_identifiers,
    "name-not-said": _unsaid_names,
    "polarity": _negated_words,
}


def _check_words(case: _Case) -> DropReason | None:
    """Return the reason to drop a claim with a number, identifier or name that nobody said, or another polarity; else
    None. `polarity` is for a claim that negates what its source affirms, or the reverse (`_negated_words`)."""
    return next((reason for reason, culprits_in in _CULPRITS.items() if culprits_in(case)), None)


def _check_retraction(case: _Case) -> DropReason | None:
    """Return `retraction-not-said` for a claim that takes back something, of which `_checked_resolution` leaves
    nothing. None for any other claim: a correction without a sound reference stays, as a plain fact."""
    resolves = case.claim.resolves
    if resolves is None or resolves.kind == "correction" or _checked_resolution(case):
        return None
    return "retraction-not-said"


def _checked_resolution(case: _Case) -> Resolution | None:
    """Return what the claim corrects or retracts; None if it does neither, or the reference to it is not borne out. It
    is not if one of the claim's turns is a tool's or the system's, if the words that name the earlier statement have
    over 500 characters or are not all in the claim's turns, or if a retraction names nothing."""
    resolves = case.claim.resolves
    if resolves is None or any(turn.role in {"tool", "system"} for turn in case.source.turns):
        return None
    about = " ".join(resolves.about.split())
    named = content_words(about)
    if len(about) > LONGEST_CONTENT or len(_shared_words(named, words(case.source.heard))) < len(named):
        return None
    if resolves.kind == "retraction" and not named:
        return None
    return Resolution(kind=resolves.kind, about=about)


_RULES: tuple[Callable[[_Case], DropReason | None], ...] = (
    _check_form,
    _check_intent,
    _check_script,
    _check_speaker,
    _check_support,
    _check_words,
    _check_retraction,
)


def _checked_fact(case: _Case) -> Checked:
    """Return the fact of a claim that passed all checks, without the entity, tags and attributes that nobody said.
    `lost` has one reason for each part left out: entity, tag or attribute. Without an entity there are no attributes.
    Of more than five tags the first five stay; the others are not in `lost`, nor are repeated tags. The confidence is
    cut to 0 to 1. The evidence is the claim's turns, without a quote."""
    claim, turns = case.claim, case.source.turns
    entity, claimed_tags = _claimed_entity(case), dict.fromkeys(" ".join(tag.split()).casefold() for tag in claim.tags)
    tags = [tag for tag in claimed_tags if _is_said(tag, case.source)]
    attributes = dict(_checked_attributes(case)) if entity else {}
    fact = ExtractedFact(
        category=claim.category,
        content=case.content,
        confidence=min(1.0, max(0.0, claim.confidence)),
        tags=tuple(tags[:MOST_TAGS]),
        entity_ref=entity,
        structured_attributes=attributes,
        evidence=(Evidence(source=turns[0].session_id, start=turns[0].ordinal, end=turns[-1].ordinal),),
        resolves=_checked_resolution(case),
    )
    lost: list[DropReason] = [
        *(["entity-not-said"] if claim.entity and not entity else []),
        *["tag-not-said" for _ in range(len(tags), len(claimed_tags))],
        *["attribute-not-said" for _ in claim.attributes[len(attributes) :]],
    ]
    return Checked(fact, tuple(lost))


def _is_said(name: str, source: ClaimSource) -> bool:
    """Whether a name has 1 to 60 characters and a word, and all its words are in the claim's turns, the two turns
    before or the speakers' names, in any form (`_have_one_stem`)."""
    named = words(name)
    return 0 < len(named) == len(_shared_words(named, words(source.near))) and len(name) <= LONGEST_NAME


def _claimed_entity(case: _Case) -> str | None:
    """Return the claim's entity; None if it names none, or if that was not said or is overlong (`_is_said`)."""
    entity = " ".join((case.claim.entity or "").split())
    return entity if _is_said(entity, case.source) else None


def _checked_attributes(case: _Case) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of the claim's attributes with a plain name, and a value that a quoted sentence has word for
    word. A plain name is one to three words of letters and digits joined by `-`, of at most 60 characters, in the form
    of `entity_key`."""
    heard = f" {normalise(' '.join(case.source.sentences))} "
    for pair in case.claim.attributes:
        name, value = entity_key(pair.name), " ".join(pair.value.split())
        plain = len(name) <= LONGEST_NAME and re.fullmatch(r"\w+(?:-\w+){0,2}", name)
        if plain and value and f" {normalise(value)} " in heard:
            yield name, value
