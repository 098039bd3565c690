"""A spoken turn of a coding session in, the statements worth keeping out, each with what it was read as.

A person's sentences are kept one by one, so that each can be replaced by what is said later; what says too little by
itself is kept with the one it belongs to. An agent's conclusion is kept in stretches, since its sentences lean on each
other.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pellucid.language.quoting.voices import pasted
from pellucid.language.sentences import is_closed, joined
from pellucid.language.statements.frames import tells_change
from pellucid.language.words import reading_length
from pellucid.observe.extract.classify import unhedged
from pellucid.observe.extract.durability import CATEGORY, DurabilityReading, load_table
from pellucid.observe.extract.polish import polish
from pellucid.observe.extract.referents import solid_words
from pellucid.observe.extract.statements import POSITIONS, ObservedStatement, is_question, is_unresolved, statements
from pellucid.observe.language import Language
from pellucid.observe.prose import ProseBlock, blocks, sentences
from pellucid.observe.setting import Hearing
from pellucid.observe.work.parts import Spoken
from pellucid.observe.work.records import recorded
from pellucid.observe.work.replies import without_offers

KEEP = 0.35
"""The chance of being worth keeping from which an agent's sentence is taken."""
KEEP_OF_PERSON = 0.5
"""The same of a person's: a rule that is lost has to be said again, an order too many is one line to read over."""
KEEP_OF_CUE = 0.2
"""The same where a cue of the language names it: `never`, `we decided` also stand in what others said, or once did."""
KEEP_OF_LAST = 0.25
"""The same of its last words before a person speaks, where nothing in them has more: one statement of them is taken."""
DECIDED = 0.5
"""The chance of being a decision from which an agent's statement is told as one."""
LONGEST = 420
"""Characters of a statement that is made of neighbouring sentences."""
FEWEST_WORDS = 4
BRIEF = 3
"""Sentences of a person's turn, at most, that are read together too: more are about more than one thing."""
BRIEF_LENGTH = 280
"""Characters of an agent's paragraph of as few sentences that is told to its end: those of a passage."""
PER_CONCLUSION = 4
"""Statements at most of one turn of an agent's, the surest; of a person's all are kept."""
PER_RECORD = 8
"""The same of an accepted plan, and of a summary of what went before: they are long, and nothing but conclusions."""

_ANNOUNCES = re.compile(r"[:：]\W{0,3}$")
_BOX = re.compile(r"\[.\]\s")
_LONGEST_HEADING = 70
_LABEL = re.compile(r"^[^.:!?]{2,40}[:：]$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or list item; `lead` is the heading or the line with a colon that it stands under, if any."""

    text: str
    lead: str
    block: int
    """Which paragraph or list it is of: units of one block may be told together."""
    listed: bool = False

    @property
    def whole(self) -> str:
        """The unit as it reads alone: a list item behind its lead."""
        return f"{self.lead} {self.text}" if self.lead and self.listed else self.text


def units(text: str) -> list[Unit]:
    """The units of a text in order; code, logs, tables and headings by themselves are none, nor are boxes to tick."""
    return list(_units(blocks(text)))


def _units(said: Sequence[ProseBlock]) -> Iterator[Unit]:
    """The sentences and list items of a text, each with the heading or sentence that leads it in."""
    lead, part = "", 0
    found = [block for block in said if not _BOX.match(block.text)]
    for at, block in enumerate(found):
        if block.marker == "none":
            part = at
            if _is_heading(block, found, at):
                lead = f"{block.text.rstrip(':：')}:"
                continue
            lead = ""
            spoken = sentences(block.text)
            for number, sentence in enumerate(spoken):
                if number == len(spoken) - 1 and _ANNOUNCES.search(sentence) and _next_is_item(found, at):
                    lead = sentence
                else:
                    yield Unit(_labelled(block, sentence), "", at)
        else:
            yield Unit(_labelled(block, block.text), lead, part, listed=True)


def _labelled(block: ProseBlock, sentence: str) -> str:
    """What opens with a label (`Root cause: …`) is read as a line of somebody's: the label is put back."""
    if block.speaker and block.text.startswith(sentence):
        return f"{block.speaker}: {sentence}"
    return sentence


def _next_is_item(found: Sequence[ProseBlock], at: int) -> bool:
    return at + 1 < len(found) and found[at + 1].marker != "none"


def _is_heading(block: ProseBlock, found: Sequence[ProseBlock], at: int) -> bool:
    if len(block.text) > _LONGEST_HEADING or at + 1 == len(found):
        return False
    return bool(_LABEL.match(block.text)) or not (is_closed(block.text) or _ANNOUNCES.search(block.text))


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A unit with its reading, and as it is told."""

    unit: Unit
    reading: DurabilityReading
    text: str


def stated(spoken: Spoken, taken: Collection[str] = ()) -> list[ObservedStatement]:
    """The statements of a turn, in its order, but the sentences (in small letters) that are `taken`: corrections."""
    if spoken.part == "record":
        return recorded(spoken.hearing.turn)
    if spoken.part == "person":
        return _of_person(spoken, taken)
    return _of_agent(spoken) if spoken.part == "conclusion" else []


def _of_person(spoken: Spoken, taken: Collection[str]) -> list[ObservedStatement]:
    """What a person's turn states: cued sentences, what reads as lasting, and what may change a memory.

    Nothing that was pasted.
    """
    hearing = spoken.hearing
    words = _without_quotes(pasted(hearing.turn.content)[1], spoken.before)
    own = replace(hearing, turn=replace(hearing.turn, content=words))
    cued = [each for each in statements(own) if _is_meant(each, hearing.language)]
    told, found = [_bare(each.text) for each in cued], units(own.turn.content)
    further = [
        _alone(read)
        for read in _stating_units(found, own, by_user=True)
        if read.reading.durable >= KEEP_OF_PERSON or tells_change(read.unit.text)
        if not any(_same(_bare(read.unit.text), each) for each in told)
    ]
    made = sorted(
        (each for each in (*cued, *further) if each.text.casefold() not in taken), key=lambda each: each.position
    )
    left = [unit for unit in found if polish(unit.text, own.language).casefold() not in taken]
    whole = _is_brief(found) and not any(unit.listed for unit in found)
    return _completed(made, left, own.language) if whole else made


def _without_quotes(words: str, before: Hearing | None) -> str:
    """A person's words without lines that repeat the agent's; all of them if nothing else is said: a choice."""
    said = _bare(before.turn.content) if before else ""
    lines = [(line, _bare(line)) for line in words.splitlines()]
    own = [line for line, bare in lines if bare.count(" ") < FEWEST_WORDS - 1 or bare not in said]
    return "\n".join(own) if any(map(str.strip, own)) else words


def _is_brief(found: Sequence[Unit]) -> bool:
    return 0 < len(found) <= BRIEF and len({unit.block for unit in found}) == 1 and not found[0].listed


def _completed(made: Sequence[ObservedStatement], found: Sequence[Unit], language: Language) -> list[ObservedStatement]:
    """The statements of a brief message (`made`), each with the sentences beside it that it needs.

    `No engine class.` belongs to the reason behind it, `Make it 6.` to what it settles; a statement that opens with a
    pronoun belongs to the sentence before it, be that a question.
    """
    out: list[ObservedStatement] = []
    held_by, waiting, before = dict[int, ObservedStatement](), "", ""
    beside = [each for each in made if held_by.setdefault(_place(each, found, language), each) is not each]
    for at, unit in enumerate(found):
        text, held = polish(unit.whole, language), held_by.pop(at, None)
        leans = held is not None and is_unresolved(held.text, language)
        if held and leans and out and not waiting:
            out[-1] = _with(out[-1], out[-1].text, held.text)
        elif held:
            out.append(_with(held, waiting or (before if leans else ""), held.text))
            waiting = ""
        elif _completes(unit, text, language):
            if out and _bare(text) not in _bare(out[-1].text):
                out[-1] = _with(out[-1], out[-1].text, text)
            waiting = "" if out else text
        before = f"{unit.text[:1].upper()}{unit.text[1:]}"
    return sorted([*out, *held_by.values(), *beside], key=lambda each: each.position)


def _place(statement: ObservedStatement, found: Sequence[Unit], language: Language) -> int:
    """Which sentence a statement was read from: the one that holds its words, else the first of its words."""
    own, said = _bare(statement.text), [_bare(polish(unit.whole, language)) for unit in found]
    holding = [at for at, each in enumerate(said) if own in each]
    return next(iter(holding or [at for at, each in enumerate(said) if each and each in own]), -1)


def _with(statement: ObservedStatement, *said: str) -> ObservedStatement:
    """The statement told with other sentences; its attributes are read in its own words."""
    text = joined(each for each in said if each)
    return replace(statement, text=text, own=statement.own or statement.text) if len(text) <= LONGEST else statement


def _completes(unit: Unit, text: str, language: Language) -> bool:
    """Whether a sentence names something, and is too short to be read alone or nearly worth keeping; no order, no
    question."""
    noise, lowered = language.noise, text.lower()
    if not text or not solid_words(text, language) or is_unresolved(text, language) or is_question(unit.text, language):
        return False
    if noise.task.search(lowered) or noise.transient.search(lowered) or noise.unmarked.search(lowered):
        return False
    short = reading_length(text) < FEWEST_WORDS
    return short or load_table().read(unit.whole, by_user=True).durable >= KEEP_OF_PERSON / 2


def _is_meant(cued: ObservedStatement, language: Language) -> bool:
    """Whether a sentence with a cue states what the cue says: it asks nothing, and does not read as of the moment."""
    if language.noise.unmarked.search(cued.text.lower()):
        return False
    return cued.category == "procedure" or load_table().read(cued.text, by_user=True).durable >= KEEP_OF_CUE


def _alone(read: ReadUnit) -> ObservedStatement:
    """The statement of one sentence of a person's."""
    lasts, position = read.reading.durable >= KEEP_OF_PERSON, read.unit.block * POSITIONS
    category = CATEGORY[read.reading.kind] if lasts else "correction"
    return ObservedStatement(read.text, category, _confidence(read.reading), 0.0, position, is_update=not lasts)


def _of_agent(spoken: Spoken) -> list[ObservedStatement]:
    """What an agent's turn says that lasts; of its last words at least the surest, if it may be worth keeping."""
    hearing = spoken.hearing
    told = _surest(hearing, KEEP, PER_CONCLUSION if hearing.turn.kind == "message" else PER_RECORD)
    return told or (_surest(hearing, KEEP_OF_LAST, 1) if spoken.closes else [])


def _surest(hearing: Hearing, least: float, most: int) -> list[ObservedStatement]:
    """The `most` surest statements of an agent's turn, of sentences at least this (`least`) likely to last."""
    found = list(_units(without_offers(blocks(hearing.turn.content))))
    read = _stating_units(found, hearing, by_user=False)
    made = [
        _joined_statement(run)
        for run in _statement_runs((each for each in read if not _led(each.unit)), least, hearing.language)
    ]
    for (_, lead), items in groupby(filter(_led, found), key=lambda unit: (unit.block, unit.lead)):
        listed = [each for each in read if _led(each.unit) and each.reading.durable >= least]
        made += _of_list(lead, list(items), listed)
    surest = sorted(made, key=lambda each: -each.confidence)[:most]
    return sorted((each for each in made if each in surest), key=lambda each: each.position)


def _led(unit: Unit) -> bool:
    return unit.listed and bool(unit.lead)


def _of_list(lead: str, items: Sequence[Unit], lasting: Sequence[ReadUnit]) -> Iterator[ObservedStatement]:
    """The statements of a list of which some items last: all items if they fit, else those, `…` for the others.

    `There are four reasons: …` with only one of them would not be true.
    """
    kept = [each for each in lasting if each.unit in items]
    whole = sum(len(each.text) + 2 for each in items) + len(lead) <= LONGEST
    told = [items] if whole else [[each.unit for each in run] for run in _in_room(kept, LONGEST - len(lead))]
    for part in told if kept else ():
        sure = [each for each in kept if each.unit in part]
        left = "" if len(part) == len(items) else "; …"
        text = f"{lead} {'; '.join(unit.text.rstrip('.;') for unit in part)}{left}"
        yield replace(_joined_statement(sure), text=text)


def _in_room(read: Iterable[ReadUnit], room: int) -> Iterator[list[ReadUnit]]:
    """The sentences in order as runs, each of at most `room` characters where one sentence does not exceed that."""
    run: list[ReadUnit] = []
    for each in read:
        if run and sum(len(one.unit.text) + 2 for one in [*run, each]) > room:
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _stating_units(found: Sequence[Unit], hearing: Hearing, *, by_user: bool) -> list[ReadUnit]:
    """The sentences and items that state something, in order; questions and an agent's next steps are left out.

    A sentence of a person's few is read by itself and, at twice the weight, with those behind it: `Only today, though.`
    """
    table, language, out = load_table(), hearing.language, list[ReadUnit]()
    brief = by_user and _is_brief(found)
    for at, unit in enumerate(found):
        text = polish(unit.whole, language)
        if text.isascii() and len(text.split()) < FEWEST_WORDS:
            continue
        if not by_user and _is_next_step(unit, language):
            continue
        reading = table.read(unit.whole, by_user=by_user)
        if not by_user:
            reading = replace(reading, durable=unhedged(unit.text, reading.durable, language))
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


def _statement_runs(found: Iterable[ReadUnit], least: float, language: Language) -> Iterator[list[ReadUnit]]:
    """Sentences worth keeping that stand together, as far as they are short enough to be told as one.

    A brief paragraph is told to its end: behind `Every job reloads all fonts.` stands why, behind what was
    found, that it is fixed. One that ends in a guess is a step of a search. A sentence that opens with a pronoun takes
    the one before it along.
    """
    for _, each in groupby(found, key=lambda read: read.unit.block):
        block = list(each)
        told = block[next((at for at, read in enumerate(block) if read.reading.durable >= least), len(block)) :]
        brief = len(block) <= BRIEF and sum(len(read.text) + 2 for read in block) <= BRIEF_LENGTH
        if len(block) > 1 and brief and language.noise.hedges.search(block[-1].text.lower()):
            continue
        if told and brief and not is_unresolved(told[0].text, language):
            yield told
            continue
        run: list[ReadUnit] = []
        before: ReadUnit | None = None
        for read in block:
            full = sum(len(each.text) + 2 for each in run) + len(read.text) > LONGEST
            if run and (full or read.reading.durable < least):
                yield run
                run = []
            if read.reading.durable >= least:
                leans = not run and before and is_unresolved(read.text, language)
                run = [*run, *([before] if leans and before else []), read]
            before = None if read.reading.durable >= least else read
        if run:
            yield run


def _joined_statement(run: list[ReadUnit]) -> ObservedStatement:
    """One statement of several sentences: their words joined, with the category and confidence of the surest."""
    surest = max(run, key=lambda read: read.reading.durable)
    text = joined(read.text for read in run)
    # an agent prefers, promises, rules nothing, and what it found out often reads a little like what it decided
    decided = surest.reading.kind == "decision" and surest.reading.of_kind >= DECIDED
    category = "decision" if decided else "fact"
    return ObservedStatement(text, category, _confidence(surest.reading), 0.0, run[0].unit.block * POSITIONS)


def _confidence(reading: DurabilityReading) -> float:
    return round(0.6 + 0.35 * reading.durable, 2)


def _bare(text: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in text.lower()).split())


def _same(one: str, other: str) -> bool:
    return one in other or other in one
