"""A person's turn in, what it corrects or takes back out: `Actually it is 600` said after `The TTL is 300 s`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid.language.sentences import QUESTION_MARKS, closing_mark
from pellucid.model.observation import Resolution
from pellucid.observe.attributes import Attribution, read_attribution
from pellucid.observe.extract.polish import polish
from pellucid.observe.extract.statements import POSITIONS, is_question, is_unresolved
from pellucid.observe.language import Language
from pellucid.observe.prose import blocks, sentences
from pellucid.observe.setting import Hearing
from pellucid.observe.substitute import substitute

REACH = 4
"""How many turns before a correction may have said what it corrects."""
NEAR = 40
"""How many sentences before it, of those turns and of its own, may be what a correction corrects."""
_LONGEST = 240
_CLOSING = " .!。！…"
_EDGES = _CLOSING + ",、，\"'"
_MEASURE = re.compile(r"^[$€£¥]?\d[\d.,:]* ?(?:[^\W\d]+|%)$")
"""A number with its unit."""
_ARTICLE = re.compile(r"^(?:the|an?|der|die|das|el|la)\s+(?=[a-zß-ÿ])")


@dataclass(frozen=True, slots=True)
class SaidSentence:
    """A sentence, where it stands in its turn (as a `Statement`'s position), and who said it."""

    raw: str
    position: int
    hearing: Hearing

    @property
    def text(self) -> str:
        """Without its closing mark."""
        return self.raw.strip(_CLOSING)


@dataclass(frozen=True, slots=True)
class Resolved:
    """One correction or retraction, told so that it stands alone.

    `source` is the earlier sentence it leans on. `heard` are the sentences of this turn that it stands for.
    """

    text: str
    resolves: Resolution
    source: SaidSentence | None = None
    position: int = 0
    heard: tuple[str, ...] = ()


def resolutions(before: Sequence[Hearing], hearing: Hearing) -> tuple[Resolved, ...]:
    """What a person corrects or takes back in this turn; nothing of an assistant's turn is ever one."""
    language = hearing.language
    if hearing.turn.role != "user" or not language.resolutions.sign.search(hearing.turn.content.lower()):
        return ()
    earlier = _earlier(before, hearing)[-NEAR:]
    found: list[Resolved] = []
    here: list[SaidSentence] = []
    for parts in _marked_sentences(_sentences_of(hearing), language):
        resolved = _resolve(parts, earlier, here[-NEAR:], hearing)
        if resolved:
            found.append(resolved)
        here.append(SaidSentence(resolved.text, parts[0].position, hearing) if resolved else parts[-1])
    return tuple(found)


def lone_correction(text: str, language: Language) -> Resolution | None:
    """What a text that is one sentence and names no subject corrects (`Actually it is 600 seconds`), else None."""
    said = text.strip(_CLOSING)
    alone = [sentence for block in blocks(text) for sentence in sentences(block.text)]
    if len(alone) != 1 or is_question(alone[0], language) or not language.resolutions.sign.search(said.lower()):
        return None
    made = _correction(said, (), language)
    return made.resolves if made and made.resolves.value else None


def _resolve(
    parts: tuple[SaidSentence, ...], earlier: Sequence[SaidSentence], here: Sequence[SaidSentence], hearing: Hearing
) -> Resolved | None:
    """What a sentence corrects or takes back of those before it; None if it does neither, or only asks.

    `earlier` are the sentences of former turns, `here` those before it in its own turn.
    """
    said = ", ".join(part.text for part in parts)
    if len(said) > _LONGEST or not hearing.language.resolutions.sign.search(said.lower()):
        return None
    if is_question(parts[-1].raw, hearing.language):
        return None
    made = _retraction(said, here, hearing) or _correction(said, [*earlier, *here], hearing.language)
    if not made:
        return None
    replaced = (made.source.raw,) if made.source and made.source.hearing is hearing else ()
    heard = (*(part.raw for part in parts), *replaced)
    return Resolved(made.text, made.resolves, made.source, parts[0].position, heard)


def _sentences_of(hearing: Hearing) -> list[SaidSentence]:
    """The sentences of a turn with their places in it."""
    return [
        SaidSentence(sentence, at * POSITIONS + number, hearing)
        for at, block in enumerate(blocks(hearing.turn.content))
        for number, sentence in enumerate(sentences(block.text))
    ]


def _marked_sentences(spoken: Sequence[SaidSentence], language: Language) -> Iterator[tuple[SaidSentence, ...]]:
    """The sentences, a bare mark (`Scratch that.`) together with the one behind it."""
    at = 0
    while at < len(spoken):
        bare = language.resolutions.mark.fullmatch(f"{spoken[at].text},")
        width = 2 if bare and at + 1 < len(spoken) else 1
        yield tuple(spoken[at : at + width])
        at += width


def _earlier(before: Sequence[Hearing], hearing: Hearing) -> list[SaidSentence]:
    near = [each for each in before if 0 < hearing.turn.ordinal - each.turn.ordinal <= REACH]
    return [said for each in near for said in _sentences_of(each) if closing_mark(said.raw) not in QUESTION_MARKS]


def _retraction(said: str, here: Sequence[SaidSentence], hearing: Hearing) -> Resolved | None:
    """What a sentence takes back: what it names itself, else the sentence before it; None if nothing."""
    for pattern in hearing.language.resolutions.retractions:
        if found := pattern.search(said):
            last = here[-1].text if here else ""
            about = (found.groupdict().get("about") or last).strip(_EDGES)
            return Resolved(said, Resolution(kind="retraction", about=about)) if about else None
    return None


def _correction(said: str, told: Sequence[SaidSentence], language: Language) -> Resolved | None:
    """What a sentence corrects, by the first pattern that leads to a whole statement; None if none does.

    A correction without a subject is the last resort.
    """
    subjectless: Resolved | None = None
    for pattern in language.resolutions.corrections:
        found = pattern.search(said)
        groups = found.groupdict() if found else {}
        old = _bare(groups.get("old") or "", language)
        whole = groups.get("whole")
        made = _whole_correction(whole, old, told, language) if whole else None
        if not whole and groups.get("new"):
            new = _bare(groups["new"], language)
            made = _elliptic_correction(new, old, told, language)
            subjectless = subjectless or _subjectless_correction(said, new, old)
        if made:
            return made
    return subjectless


def _elliptic_correction(new: str, old: str, told: Sequence[SaidSentence], language: Language) -> Resolved | None:
    """The latest sentence told that a bare correction (`it is 600`) fits, with the new value; None where none fits."""
    for earlier in reversed(told) if new else ():
        spoken_in = earlier.hearing.language
        text = polish(earlier.text, spoken_in)
        made = substitute(text, new, old, language) if text and not is_unresolved(text, spoken_in) else None
        if made:
            return Resolved(made.text, Resolution(kind="correction", about=made.old), earlier)
    return None


def _subjectless_correction(said: str, new: str, old: str) -> Resolved | None:
    """A correction whose subject is in no sentence near it: its value, if that tells by itself what kind it is of."""
    if not _MEASURE.match(new):
        return None
    return Resolved(said, Resolution(kind="correction", about=old, value=new))


def _whole_correction(text: str, old: str, told: Sequence[SaidSentence], language: Language) -> Resolved | None:
    """A correction that names its own subject, and the old value or an attribute; None for any other text."""
    said = polish(language.resolutions.contrast.sub("", text), language)
    if not said or is_unresolved(said, language):
        return None
    now = read_attribution(said, language)
    about = old or _old_value(now, told, language)
    return Resolved(said, Resolution(kind="correction", about=about)) if about or now.entity else None


def _old_value(now: Attribution, told: Sequence[SaidSentence], language: Language) -> str:
    """What the same attribute was said to be before; empty if nothing else was said."""
    for earlier in reversed(told) if now.entity else ():
        then = read_attribution(polish(earlier.text, language), language)
        for attribute in now.attributes.keys() & then.attributes.keys() if then.entity == now.entity else ():
            if then.attributes[attribute] != now.attributes[attribute]:
                return then.attributes[attribute]
    return ""


def _bare(value: str, language: Language) -> str:
    return _ARTICLE.sub("", language.clauses.after_value.sub("", value)).strip(_EDGES)
