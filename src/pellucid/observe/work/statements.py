"""A spoken turn of a coding session in, the statements worth keeping out, each with its category and confidence.

A person's sentences are kept singly, so that a later statement can replace one of them; a sentence that says too little
alone is kept with its neighbour. An agent's conclusion is kept in stretches, since its sentences depend on each other.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pellucid.language import lexicon
from pellucid.language.quoting.voices import foreign_and_own
from pellucid.language.sentences import join_sentences, mask_code, sentences
from pellucid.language.statements.frames import tells_change
from pellucid.language.words import reading_length, words
from pellucid.observe.extract.batches import batches
from pellucid.observe.extract.classify import hedged_confidence
from pellucid.observe.extract.durability import CATEGORY, DurabilityReading, load_table
from pellucid.observe.extract.polish import capitalised, polish
from pellucid.observe.extract.referents import solid_words
from pellucid.observe.extract.statements import (
    POSITIONS,
    ObservedStatement,
    is_question,
    is_step,
    is_unresolved,
    statements,
)
from pellucid.observe.language import Language
from pellucid.observe.prose import blocks
from pellucid.observe.setting import TurnContext
from pellucid.observe.work.parts import WorkTurn
from pellucid.observe.work.records import statements_of_record
from pellucid.observe.work.replies import without_offers
from pellucid.observe.work.units import Unit, joined_items, units, without_final_colon

KEEP = 0.35
"""The durability from which an agent's sentence is kept."""
KEEP_OF_PERSON = 0.5
"""The same for a person's sentence: a lost rule has to be said again, a superfluous order is one line to skip."""
KEEP_OF_TASK = 0.7
"""The same for a person's sentence that opens like an order of the moment (`let's get …`)."""
KEEP_OF_CUE = 0.2
"""The same for a person's sentence with a cue such as `never`: quotations and stories have those words, too."""
KEEP_OF_LAST = 0.25
"""The same for the one statement of an agent's last words before a person speaks, if none reaches `KEEP`."""
DECIDED = 0.5
"""The probability from which an agent's statement is kept as a decision."""
LONGEST = 420
"""Characters of a statement that is made of neighbouring sentences."""
LONGEST_PAIR = 560
"""The same of a paragraph of two sentences, which would be cut in halves."""
LONGEST_LIST = 630
"""The same of a list that is told whole."""
FEWEST_WORDS = 4
BRIEF = 3
"""The most sentences of a turn or paragraph that are read as one: more are about more than one thing."""
BRIEF_LENGTH = 280
"""Characters of the longest agent's paragraph, of at most `BRIEF` sentences, that is kept to its end."""
PER_CONCLUSION = 4
"""The most statements of one turn of an agent, the surest; of a person's turn all are kept."""
PER_RECORD = 8
"""The same for an accepted plan or a recap, which are long and consist of conclusions."""

_QUOTATION = re.compile('["“”„«].*["“”»]')


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A unit with its durability reading and its polished text."""

    unit: Unit
    reading: DurabilityReading
    text: str
    at: int = 0
    """Its position among the turn's units."""
    is_parted: bool = False
    """Whether an agent's next step was left out before it, so that it does not go on where the unit before it ended."""


def statements_of_turn(turn: WorkTurn, taken: Collection[str]) -> list[ObservedStatement]:
    """Return a turn's statements in order, by the part it plays: of narration none, of a record (answers, a commit)
    all, of a conclusion the surest (`_statements_of_agent`), of a person's turn all whose casefolded text is not in
    `taken`."""
    if turn.part == "record":
        return statements_of_record(turn.context.turn)
    if turn.part == "person":
        return _statements_of_person(turn, taken)
    return _statements_of_agent(turn) if turn.part == "conclusion" else []


def _statements_of_person(turn: WorkTurn, taken: Collection[str]) -> list[ObservedStatement]:
    """Return the sentences of a person's turn that are worth keeping or can change a memory, in order, as statements:
    those with a cue (words that make a statement of a category) that are meant as one (`_is_meant`), durable ones
    (`_least_durable`), and those that tell of a change; nothing pasted, quoted, or in `taken` (casefolded). In a brief
    turn they are completed (`_completed`); in an objection, a procedure becomes a correction."""
    context = turn.context
    typed = _without_quotes(foreign_and_own(context.turn.content)[1], turn.before)
    own = replace(context, turn=replace(context.turn, content=typed))
    cued = [each for each in statements(own) if _is_meant(each, context.language)]
    cued_words, found = [_bare(each.text) for each in cued], list(units(blocks(typed)))
    further = [
        _statement_alone(read)
        for read in _stating_units(found, own, by_user=True)
        if read.reading.durable >= _least_durable(read.unit.text, own) or tells_change(read.unit.text)
        if not any(_bare(read.unit.text) in each or each in _bare(read.unit.text) for each in cued_words)
    ]
    made = sorted(
        (each for each in (*cued, *further) if each.text.casefold() not in taken), key=lambda each: each.position
    )
    if context.language.noise.objection.search(
        typed.strip().lower()
    ):  # it tells what is otherwise, and not how to do it
        made = [replace(each, category="correction") if each.category == "procedure" else each for each in made]
    left = [unit for unit in found if polish(unit.text, own.language).casefold() not in taken]
    whole = _is_brief(found) and not any(unit.listed for unit in found)
    return _completed(made, left, own.language) if whole else made


def _least_durable(text: str, context: TurnContext) -> float:
    """Return the durability (the probability that a sentence is worth keeping) from which the sentence `text` of a
    person is kept: 0.7 if it tells a step of the work at hand, else 0.5.
    """
    return KEEP_OF_TASK if is_step(text.lower(), context) else KEEP_OF_PERSON


def _without_quotes(typed: str, before: TurnContext | None) -> str:
    """Return a person's words without lines of four words or more that the turn `before` has; all if none would be
    left."""
    quotable = _bare(before.turn.content) if before else ""
    lines = [(line, _bare(line)) for line in typed.splitlines()]
    own = [line for line, bare in lines if bare.count(" ") < FEWEST_WORDS - 1 or bare not in quotable]
    return "\n".join(own) if any(map(str.strip, own)) else typed


def _is_brief(turn_units: Sequence[Unit]) -> bool:
    """Whether the units of a turn are one to three sentences of one paragraph, and no list items."""
    return 0 < len(turn_units) <= BRIEF and len({unit.block for unit in turn_units}) == 1 and not turn_units[0].listed


def _completed(
    made: Sequence[ObservedStatement], turn_units: Sequence[Unit], language: Language
) -> list[ObservedStatement]:
    """Return the statements of a brief message (`made`), each with the neighbouring sentences that it needs, in order.
    A sentence that says too little alone goes to the statement before it, at the beginning to the next; a statement
    that opens with a pronoun is put behind the one before it, or takes along the sentence (even a question) before it.
    """
    out: list[ObservedStatement] = []
    # `waiting`: a complement at the beginning of the message, for the first statement; `before`: the unit before
    by_unit, waiting, before = dict[int, ObservedStatement](), "", ""
    beside = [each for each in made if by_unit.setdefault(_find_unit(each, turn_units, language), each) is not each]
    for at, unit in enumerate(turn_units):
        text, statement = polish(unit.whole, language), by_unit.pop(at, None)
        leans = statement is not None and is_unresolved(statement.text, language)
        if statement and leans and out and not waiting:
            out[-1] = _with_text(out[-1], out[-1].text, statement.text)
        elif statement:
            out.append(_with_text(statement, waiting or (before if leans else ""), statement.text))
            waiting = ""
        elif _is_complement(unit, text, language):
            if out and _bare(text) not in _bare(out[-1].text):
                out[-1] = _with_text(out[-1], out[-1].text, text)
            waiting = "" if out else text
        before = capitalised(unit.text)
    return sorted([*out, *by_unit.values(), *beside], key=lambda each: each.position)


def _find_unit(statement: ObservedStatement, turn_units: Sequence[Unit], language: Language) -> int:
    """Return the position of the unit that a statement was read from (a cued one does not know it); -1 if none fits.
    That is the first unit that has the statement's words, else the first whose words the statement has."""
    own, texts = _bare(statement.text), [_bare(polish(unit.whole, language)) for unit in turn_units]
    holding = [at for at, each in enumerate(texts) if own in each]
    return next(iter(holding or [at for at, each in enumerate(texts) if each and each in own]), -1)


def _with_text(statement: ObservedStatement, *parts: str) -> ObservedStatement:
    """Return the statement with the sentences of `parts` as its text, its first text as `own`; unchanged if the new
    text has over 420 characters (`LONGEST`)."""
    text = join_sentences(each for each in parts if each)
    return replace(statement, text=text, own=statement.own or statement.text) if len(text) <= LONGEST else statement


def _is_complement(unit: Unit, text: str, language: Language) -> bool:
    """Whether a sentence (`text`, polished) completes its neighbour: it has under four words and is no order, or a
    probability of being worth keeping of at least 0.25. Never a question, a task, a passing state or an open pronoun.
    """
    noise, lowered = language.noise, text.lower()
    if not text or not solid_words(text, language) or is_unresolved(text, language) or is_question(unit.text, language):
        return False
    if noise.task.search(lowered) or noise.transient.search(lowered) or noise.unmarked.search(lowered):
        return False
    short = reading_length(text) < FEWEST_WORDS and not _is_order(lowered)
    return short or load_table().read(unit.whole, by_user=True).durable >= KEEP_OF_PERSON / 2


def _is_order(lowered: str) -> bool:
    """Whether a short lower-case text begins with a verb that tells to do something (`run tests`). With a number or a
    pronoun (`make it 6`) it says how something shall be, and is no order."""
    found = words(lowered)
    does = bool(found) and found[0] in lexicon.words("verbs", "many", "placing")
    return does and not any(word.isdigit() or word in lexicon.words("pointing") for word in found)


def _is_meant(cued: ObservedStatement, language: Language) -> bool:
    """Whether a person's sentence with a cue (such as `never`) is meant as a statement: it has not the word order of a
    question and, unless a procedure, is worth keeping with a probability of at least 0.2 (`KEEP_OF_CUE`)."""
    if language.noise.unmarked.search(cued.text.lower()):
        return False
    return cued.category == "procedure" or load_table().read(cued.text, by_user=True).durable >= KEEP_OF_CUE


def _statement_alone(read: ReadUnit) -> ObservedStatement:
    """Return the statement of one sentence of a person: of its own category if it is worth keeping with a probability
    of at least 0.5, else a correction marked as an update."""
    lasts, position = read.reading.durable >= KEEP_OF_PERSON, read.unit.block * POSITIONS
    category = CATEGORY[read.reading.kind] if lasts else "correction"
    return ObservedStatement(read.text, category, _confidence(read.reading), position=position, is_update=not lasts)


def _statements_of_agent(turn: WorkTurn) -> list[ObservedStatement]:
    """Return the surest statements of an agent's turn, at most 4; 8 of an accepted plan or a recap. If none is worth
    keeping with a probability of 0.35 (`KEEP`), the surest one from 0.25 on of its last words before a person speaks;
    else none."""
    context = turn.context
    found = _surest_statements(context, KEEP, PER_CONCLUSION if context.turn.kind == "message" else PER_RECORD)
    return found or (_surest_statements(context, KEEP_OF_LAST, 1) if turn.closes else [])


def _surest_statements(context: TurnContext, min_durability: float, max_count: int) -> list[ObservedStatement]:
    """Return at most `max_count` statements of an agent's turn, those with the highest confidence, in the order of the
    turn. They are made of prose and lists with sentences whose durability (the probability of being worth keeping) is
    at least `min_durability`; offered options, and quotations in a recap, are left out."""
    spoken = units(without_offers(blocks(context.turn.content)))
    if context.turn.kind == "recap":  # what it quotes whole, a person said in a turn
        spoken = (unit for unit in spoken if not _QUOTATION.fullmatch(unit.text.strip()))
    found = [replace(unit, text=_lasting_words(unit.text, context.language)) for unit in spoken]
    read = _stating_units(found, context, by_user=False)
    prose = list(_rejoined([each for each in read if not _has_lead(each.unit)], found, context.language))
    made = [_joined_statement(run) for run in _statement_runs(prose, min_durability, context.language)]
    lasting = [each for each in read if _has_lead(each.unit) and each.reading.durable >= min_durability]
    for (_, lead), items in groupby(filter(_has_lead, found), key=lambda unit: (unit.block, unit.lead)):
        made += _statements_of_list(lead, list(items), lasting)
    surest = sorted(made, key=lambda each: -each.confidence)[:max_count]
    return sorted((each for each in made if each in surest), key=lambda each: each.position)


def _rejoined(read_units: Iterable[ReadUnit], turn_units: Sequence[Unit], language: Language) -> Iterator[ReadUnit]:
    """Yield an agent's units, with the question before a unit put in front of its text, and marked as parted
    (`is_parted`) if a next step was left out before them. A question is no statement, but its answer means nothing
    without it. It is added only if no next step is in between, and the unit goes on in the same paragraph or opens with
    a pronoun. `turn_units` are all units of the turn."""
    last = ReadUnit(Unit("", "", -1), load_table().read("", by_user=False), "", -1)
    for read in read_units:
        between = [each for each in turn_units[last.at + 1 : read.at] if each.block == read.unit.block]
        answers = between and not read.unit.listed and is_question(between[-1].text, language)
        asked = between[-1].text if answers else ""
        steps = any(_is_next_step(each, language) or language.noise.offer.match(each.text) for each in between)
        goes_on = not steps and (last.unit.block == read.unit.block or is_unresolved(read.text, language))
        last = read
        yield replace(read, text=f"{asked} {read.text}" if asked and goes_on else read.text, is_parted=steps)


def _has_lead(unit: Unit) -> bool:
    """Whether a unit is a list item under a heading or a sentence that announces its list."""
    return unit.listed and bool(unit.lead)


def _statements_of_list(lead: str, items: Sequence[Unit], lasting: Sequence[ReadUnit]) -> Iterator[ObservedStatement]:
    """Yield the statements of a list under `lead`, each beginning with that; nothing if no item is in `lasting`
    (durable). One statement of all items if that has at most 630 characters. Else, if at least half of the items are
    durable, these alone with `; …`, in as many statements as needed; otherwise nothing."""
    kept = [each for each in lasting if each.unit in items]
    whole = sum(len(each.text) + 2 for each in items) + len(lead) <= LONGEST_LIST
    if not whole and 2 * len(kept) < len(items):
        return
    runs = batches(kept, lambda each: len(each.unit.text) + 2, LONGEST - len(lead))
    parts = [items] if whole else [[each.unit for each in run] for run in runs]
    for part in parts if kept else ():
        sure = [each for each in kept if each.unit in part]
        left = "" if len(part) == len(items) else "; …"
        yield replace(_joined_statement(sure), text=f"{lead} {joined_items(part)}{left}")


def _stating_units(turn_units: Sequence[Unit], context: TurnContext, *, by_user: bool) -> list[ReadUnit]:
    """Return the units that state something, with their durability (the probability of being worth keeping). Left out
    are questions (except a person's corrections), an agent's next steps, and ASCII texts of under four words. `by_user`
    says whether a person said them."""
    table, language, out = load_table(), context.language, list[ReadUnit]()
    brief = by_user and _is_brief(turn_units)
    for at, whole in enumerate(turn_units):
        unit = whole if whole.listed else replace(whole, text=without_final_colon(whole.text))
        text = polish(unit.whole, language)
        if text.isascii() and len(text.split()) < FEWEST_WORDS:
            continue
        if not by_user and (not unit.text or _is_next_step(unit, language)):
            continue
        reading = table.read(unit.whole, by_user=by_user)
        if not by_user:
            reading = replace(reading, durable=hedged_confidence(unit.text, reading.durable, language))
        asks = is_question(unit.text, language) or language.noise.unmarked.search(unit.text.lower())
        if asks and not (by_user and reading.kind == "correction"):
            continue
        if brief and at + 1 < len(turn_units):  # read with what follows, too: `Only today, though.`
            onward = table.read(" ".join(each.whole for each in turn_units[at:]), by_user=True).durable
            reading = replace(reading, durable=(reading.durable + 2 * onward) / 3)
        out.append(ReadUnit(unit, reading, text, at))
    return out


def _lasting_words(text: str, language: Language) -> str:
    """Return an agent's words without sentences on how its work stands, and without a next step behind a dash."""
    lasting = " ".join(each for each in sentences(text) if not language.noise.passing.search(mask_code(each).lower()))
    masked = mask_code(lasting)
    dash = max(masked.rfind(mark) for mark in (" — ", " – ", " - "))
    announces = dash > 0 and language.noise.intent.match(masked[dash + 3 :].lower())
    return lasting[:dash] if announces else lasting


def _is_next_step(unit: Unit, language: Language) -> bool:
    """Whether an agent announces its next step, in the sentence or its list's lead, or that lead is a question."""
    lead = unit.lead.lower() if unit.listed else ""
    return any(map(language.noise.intent.search, (unit.text.lower(), lead))) or (
        bool(lead) and is_question(lead.rstrip(":："), language)
    )


def _statement_runs(
    read_units: Iterable[ReadUnit], min_durability: float, language: Language
) -> Iterator[list[ReadUnit]]:
    """Yield runs of units, each to be one statement, from paragraphs that have a unit of at least `min_durability`. Of
    a brief paragraph (3 sentences, 280 characters) all from its first durable unit on; nothing if it ends in a guess.
    If it is longer, or that unit opens with a pronoun, its durable units as `_runs_of_stretch` puts them together."""
    for block in _stretches(read_units):
        rest = block[
            next((at for at, read in enumerate(block) if read.reading.durable >= min_durability), len(block)) :
        ]
        brief = len(block) <= BRIEF and sum(len(read.text) + 2 for read in block) <= BRIEF_LENGTH
        if len(block) > 1 and brief and language.noise.hedges.search(block[-1].text.lower()):
            continue
        if rest and brief and not is_unresolved(rest[0].text, language):
            yield rest
        else:
            yield from _runs_of_stretch(block, min_durability, language)


def _stretches(read_units: Iterable[ReadUnit]) -> Iterator[list[ReadUnit]]:
    """Yield the units of each block in lists, cut also where one is parted (a next step was left out) from that before
    it."""
    stretch: list[ReadUnit] = []
    for read in read_units:
        if stretch and (read.is_parted or read.unit.block != stretch[-1].unit.block):
            yield stretch
            stretch = []
        stretch.append(read)
    if stretch:
        yield stretch


def _runs_of_stretch(
    stretch: Sequence[ReadUnit], min_durability: float, language: Language
) -> Iterator[list[ReadUnit]]:
    """Yield the units with at least `min_durability`, neighbours together, in runs of at most 420 characters (560 if
    `stretch` has two sentences). A run whose first unit has a pronoun that points outside it begins with the unit
    before, whatever its durability."""
    run: list[ReadUnit] = []
    before: ReadUnit | None = None
    room = LONGEST_PAIR if len(stretch) == 2 else LONGEST  # the second of two sentences leans on the first
    for read in stretch:
        full = sum(len(each.text) + 2 for each in run) + len(read.text) > room
        if run and (full or read.reading.durable < min_durability):
            yield run
            run = []
        if read.reading.durable >= min_durability:
            leans = not run and before and is_unresolved(read.text, language)
            run = [*run, *([before] if leans and before else []), read]
        before = None if read.reading.durable >= min_durability else read
    if run:
        yield run


def _joined_statement(run: list[ReadUnit]) -> ObservedStatement:
    """Return several sentences as one statement, with the confidence of the most durable of them. It is a `decision` if
    that one is of this kind with a probability of at least 0.5 (`DECIDED`), else a `fact`."""
    surest = max(run, key=lambda read: read.reading.durable)
    text = join_sentences(read.text for read in run)
    # an agent prefers, promises, rules nothing, and what it found out often reads a little like what it decided
    decided = surest.reading.kind == "decision" and surest.reading.of_kind >= DECIDED
    category = "decision" if decided else "fact"
    return ObservedStatement(text, category, _confidence(surest.reading), position=run[0].unit.block * POSITIONS)


def _confidence(reading: DurabilityReading) -> float:
    """Return the confidence of a statement: 0.6 plus 0.35 times its durability (how probably it is worth keeping)."""
    return round(0.6 + 0.35 * reading.durable, 2)


def _bare(text: str) -> str:
    """Return the words of a text in lower case without punctuation, for comparison."""
    return " ".join("".join(char if char.isalnum() else " " for char in text.lower()).split())
