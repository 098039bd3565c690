"""An observation and its segment in, whose words they really are out: pasted, quoted, or read off a tool's output.

An assistant that repeats what a tool returned, and a person who pastes a page, did not say it themselves.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from pellucid.language.quoting.voices import pasted
from pellucid.language.sentences import sentences
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words, words
from pellucid.model.memory import SOURCE_CLASSES, SourceClass
from pellucid.model.observation import MemoryObservation
from pellucid.model.turn import Turn
from pellucid.observe.importance import spoken
from pellucid.observe.source import voice_of

ECHOED = 0.6
"""The share of a statement's content words in one passage from which it is taken to come from there."""
QUOTED = 0.8
"""The same for a pasted passage of a person's own turn, which the statement was read from word for word."""
VERBATIM_WORDS = 12
"""Words in a row that nobody types again: a person's sentence that stands so in a tool's output was pasted."""
AGAIN = 0.7
"""The least share of a memory's content words in a statement that only says it again."""
_OPENING = re.compile(r"^[^:,;—–]{1,60}[:,;—–]\s+")
"""What may stand before words that are said again: `As we know: `, `From memory, `."""


def said_again(observation: MemoryObservation, served: Mapping[str, str]) -> MemoryObservation:
    """The observation, rejected as no news where an agent only repeats what a recall gave its session.

    All its content words, behind an opening or without one, stand in one of the memories, in the same order, and are
    most of what that says; so that nothing changed, narrowed or denied is taken for a repetition.

    Args:
        observation: what was found in the session.
        served: what the recalls of the session gave, by the ids of the memories.
    """
    if observation.source_class != "assistant_output" or not observation.judge_accepted:
        return observation
    text = observation.fact.content
    wordings = [content_words(each) for each in dict.fromkeys((text, _OPENING.sub("", text, count=1))) if each]
    for memory_id, known in served.items():
        held = content_words(known)
        same = any(_stands_in(mine, held) for mine in wordings)
        if same and polarity(text).denied == polarity(known).denied:
            reason = f"recalled: a recall gave these words to this session, as {memory_id}"
            rejected = {"verdict": "reject", "verdict_reason": reason, "judge_accepted": False}
            return observation.model_copy(update=rejected)
    return observation


def _stands_in(mine: Sequence[str], held: Sequence[str]) -> bool:
    rest = iter(held)
    return len(mine) >= max(3, AGAIN * len(held)) and all(word in rest for word in mine)


def heard_from(observation: MemoryObservation, turns: Sequence[Turn]) -> MemoryObservation:
    """The observation with the source class of the words it repeats, where that is less trusted than its own.

    As it was where it repeats nobody's.
    """
    own = observation.source_class
    if own not in ("user_input", "assistant_output"):
        return observation
    said = {turn.ordinal: turn for turn in turns}
    ordinals = {at for part in observation.fact.evidence for at in range(part.start, part.end + 1) if at in said}
    if not ordinals:
        return observation
    text = spoken(observation.fact.content)
    records = {said[at].key or "" for at in ordinals if said[at].kind == "commit"}
    before = [
        turn
        for turn in turns
        if turn.ordinal < max(ordinals) and turn.role == "tool" and turn.kind != "call" and not _prints(turn, records)
    ]
    if own == "user_input":
        found = _of_person(text, [said[at] for at in sorted(ordinals)], before)
    else:
        people = [turn for turn in turns if turn.role == "user" and turn.ordinal < max(ordinals)]
        found = _of_assistant(text, before, people, copies=not records)  # a command's turn holds the same words
    return observation.model_copy(update={"source_class": found}) if found else observation


def _prints(turn: Turn, records: Iterable[str]) -> bool:
    """Whether a tool's turn is the result of the very command that was recorded: git prints a subject back."""
    return bool(turn.key) and any(key.startswith(f"{turn.key}.commit") for key in records)


def _of_person(text: str, turns: Iterable[Turn], before: Sequence[Turn]) -> SourceClass | None:
    """What class a person's statement takes over: `pasted`, or a tool's whose output was pasted; None for own words."""
    wanted = set(content_words(text))
    for turn in turns:
        inside, outside = pasted(turn.content)
        if turn.role == "user" and inside and _share(wanted, inside) >= QUOTED > _share(wanted, outside):
            return "pasted"
    run = words(text)
    if len(run) < VERBATIM_WORDS:
        return None
    return _lowest(turn for turn in before if _in_a_row(run, turn.content))


def _of_assistant(text: str, before: Sequence[Turn], people: Sequence[Turn], *, copies: bool) -> SourceClass | None:
    """The class of the tool whose output an agent's statement repeats; None where it repeats none, or a person.

    With `copies`, one copied sentence is enough.
    """
    wanted = set(content_words(text))
    if not before or any(_passage_share(wanted, pasted(turn.content)[1]) >= ECHOED for turn in people):
        return None
    runs = [words(each) for each in _passages(text)] if copies else []
    copied = [run for run in runs if len(run) >= VERBATIM_WORDS]
    return _lowest(
        turn
        for turn in before
        if _passage_share(wanted, turn.content) >= ECHOED or any(_in_a_row(run, turn.content) for run in copied)
    )


def _in_a_row(run: Sequence[str], text: str) -> bool:
    return f" {' '.join(run)} " in _row(text)


@lru_cache(256)
def _row(text: str) -> str:
    """The words of a tool's output, which every later statement of its segment is compared with."""
    return f" {' '.join(words(text))} "


def _lowest(turns: Iterable[Turn]) -> SourceClass | None:
    voices: set[SourceClass] = {voice_of(turn) for turn in turns}
    return max(voices, key=SOURCE_CLASSES.index) if voices else None


def _passage_share(wanted: set[str], text: str) -> float:
    """The largest share of the words that two neighbouring sentences or lines of a text hold."""
    folded = text.casefold()
    if sum(word in folded for word in wanted) < ECHOED * len(wanted):
        return 0.0
    pieces = ["", *_passages(text)]
    return max((_share(wanted, f"{one} {two}") for one, two in pairwise(pieces)), default=0.0)


def _passages(text: str) -> list[str]:
    """Sentences, and lines; a line of blanks parts what stands around it."""
    return [said for line in re.split(r"\n+", text) for said in sentences(line) or (line,) if said]


def _share(wanted: set[str], text: str) -> float:
    return len(wanted.intersection(content_words(text))) / len(wanted) if wanted else 0.0
