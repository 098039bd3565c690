"""A spoken turn of a coding session in, the statements worth keeping out, each with what it was read as.

A person's sentences are kept one by one, so that each can be replaced by what is said later; an agent's conclusion is
kept in stretches, since its sentences lean on each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pellucid.language.quoting.voices import pasted
from pellucid.language.sentences import joined
from pellucid.language.statements.frames import tells_change
from pellucid.observe.extract.durability import CATEGORY, DurabilityReading, load_table
from pellucid.observe.extract.polish import polish
from pellucid.observe.extract.statements import POSITIONS, ObservedStatement, is_question, is_unresolved, statements
from pellucid.observe.language import Language
from pellucid.observe.setting import Hearing
from pellucid.observe.work.parts import Spoken
from pellucid.observe.work.records import recorded
from pellucid.observe.work.units import Unit, units

KEEP = 0.5
"""The chance of being worth keeping from which an agent's sentence is taken."""
KEEP_OF_PERSON = 0.45
"""The same of a person's: a rule that is lost has to be said again, an order too many is one line to read over."""
LONGEST = 420
"""Characters of a statement that is made of neighbouring sentences."""
FEWEST_WORDS = 4
BRIEF = 3
"""Sentences of a person's turn, at most, that are read together too: more are about more than one thing."""
PER_CONCLUSION = 4
"""Statements at most of one turn of an agent's, the surest; of a person's all are kept."""
PER_RECORD = 8
"""The same of an accepted plan, and of a summary of what went before: they are long, and nothing but conclusions."""


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A unit with its reading, and as it is told."""

    unit: Unit
    reading: DurabilityReading
    text: str


def stated(spoken: Spoken) -> list[ObservedStatement]:
    """The statements of a turn, in its order."""
    if spoken.part == "narration":
        return []
    if spoken.part == "record":
        return recorded(spoken.hearing.turn)
    return _of_person(spoken.hearing) if spoken.part == "person" else _of_agent(spoken.hearing)


def _of_person(hearing: Hearing) -> list[ObservedStatement]:
    """What the cues of the language name, what else reads as worth keeping, and what may change something that is kept.

    Nothing that was pasted.
    """
    own = replace(hearing, turn=replace(hearing.turn, content=pasted(hearing.turn.content)[1]))
    asked = hearing.language.noise.unmarked
    cued = [each for each in statements(own) if not asked.search(each.text.lower())]
    told = [_bare(each.text) for each in cued]
    further = [
        _alone(read)
        for read in _read(units(own.turn.content), own, by_user=True)
        if read.reading.durable >= KEEP_OF_PERSON or tells_change(read.unit.text)
        if not any(_same(_bare(read.unit.text), each) for each in told)
    ]
    return sorted([*cued, *further], key=lambda each: each.position)


def _alone(read: ReadUnit) -> ObservedStatement:
    """The statement of one sentence of a person's."""
    lasts, position = read.reading.durable >= KEEP_OF_PERSON, read.unit.block * POSITIONS
    category = CATEGORY[read.reading.kind] if lasts else "correction"
    return ObservedStatement(read.text, category, _confidence(read.reading), 0.0, position, is_update=not lasts)


def _of_agent(hearing: Hearing) -> list[ObservedStatement]:
    found = _read(units(hearing.turn.content), hearing, by_user=False)
    made = [_joined(run) for run in _runs(found, hearing.language)]
    most = PER_CONCLUSION if hearing.turn.kind == "message" else PER_RECORD
    surest = sorted(made, key=lambda each: -each.confidence)[:most]
    return [each for each in made if each in surest]


def _read(found: Sequence[Unit], hearing: Hearing, *, by_user: bool) -> list[ReadUnit]:
    """The units that state something, in their order; a question is one only where a person corrects by asking.

    A sentence of a person's few is read by itself and, at twice the weight, with those behind it: `Only today, though.`
    """
    table, language, out = load_table(), hearing.language, list[ReadUnit]()
    brief = by_user and len(found) <= BRIEF and len({unit.block for unit in found}) == 1 and not found[0].listed
    for at, unit in enumerate(found):
        text = polish(unit.whole, language)
        if text.isascii() and len(text.split()) < FEWEST_WORDS:
            continue
        if not by_user and _is_next_step(unit, language):
            continue
        reading = table.read(unit.whole, by_user=by_user)
        asks = is_question(unit.text, language) or language.noise.unmarked.search(unit.text.lower())
        if asks and not (by_user and reading.kind == "correction"):
            continue
        if brief and at + 1 < len(found):
            onward = table.read(" ".join(each.whole for each in found[at:]), by_user=True).durable
            reading = replace(reading, durable=(reading.durable + 2 * onward) / 3)
        out.append(ReadUnit(unit, reading, text))
    return out


def _is_next_step(unit: Unit, language: Language) -> bool:
    """Whether an agent says what it is about to do, or offers to: in the sentence, or in what announces its list."""
    lead = unit.lead.lower() if unit.listed else ""
    return any(map(language.noise.intent.search, (unit.text.lower(), lead))) or (
        bool(lead) and is_question(lead.rstrip(":："), language)
    )


def _runs(found: Iterable[ReadUnit], language: Language) -> Iterator[list[ReadUnit]]:
    """Sentences worth keeping that stand together, as far as they are short enough to be told as one.

    One that opens with a pronoun takes the sentence before it along.
    """
    for _, block in groupby(found, key=lambda read: read.unit.block):
        run: list[ReadUnit] = []
        before: ReadUnit | None = None
        for read in block:
            full = sum(len(each.text) + 2 for each in run) + len(read.text) > LONGEST
            if run and (full or read.reading.durable < KEEP):
                yield run
                run = []
            if read.reading.durable >= KEEP:
                leans = not run and before and not read.unit.listed and is_unresolved(read.text, language)
                run = [*run, *([before] if leans and before else []), read]
            before = None if read.reading.durable >= KEEP else read
        if run:
            yield run


def _joined(run: list[ReadUnit]) -> ObservedStatement:
    """One statement: the words of its sentences, a lead once, the kind of the surest."""
    surest = max(run, key=lambda read: read.reading.durable)
    first = run[0]
    if first.unit.listed and first.unit.lead:
        text = first.text + "".join(f"; {read.unit.text.rstrip('.;')}" for read in run[1:])
    else:
        text = joined(read.text for read in run)
    category = "decision" if surest.reading.kind == "decision" else "fact"  # an agent prefers, promises, rules nothing
    return ObservedStatement(text, category, _confidence(surest.reading), 0.0, first.unit.block * POSITIONS)


def _confidence(reading: DurabilityReading) -> float:
    return round(0.6 + 0.35 * reading.durable, 2)


def _bare(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.lower()).split())


def _same(one: str, other: str) -> bool:
    return one in other or other in one
