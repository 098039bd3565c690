"""An observation and its segment in, whose words it has out: those of its turns, pasted, or repeated from a tool.

An assistant that repeats a tool's output, and a person who pastes a page, are not the source of those words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from pellucid.language.quoting.voices import foreign_and_own
from pellucid.language.sentences import sentences
from pellucid.language.statements.negation import polarity
from pellucid.language.words import content_words, words
from pellucid.model.memory import SOURCE_CLASS_OF, SOURCE_CLASSES, SourceClass
from pellucid.model.observation import Evidence, MemoryObservation
from pellucid.model.turn import Turn
from pellucid.observe.importance import without_speaker
from pellucid.text_cache import text_cache

ECHOED = 0.6
"""The share of a statement's content words in one passage from which that passage counts as its source."""
QUOTED = 0.8
"""The same share for a pasted passage of a person's own turn, from which the statement was read word for word."""
VERBATIM_WORDS = 12
"""Words in a row that nobody types again: a person's sentence of so many words from a tool's output was pasted."""
AGAIN = 0.7
"""The share of a memory's content words from which a statement only repeats the memory."""
_OPENING = re.compile(r"^[^:,;—–]{1,60}[:,;—–]\s+")
"""An opening of repeated words: `As we know: `, `From memory, `."""
_WEB = re.compile(r"web|fetch|brows|search_?(?:engine|results)|google|bing|http|url|crawl|scrape", re.IGNORECASE)
_SUBAGENT = re.compile(r"^(?:task|agent|sub_?agent|delegate|spawn_?agent|dispatch_?agent)\b", re.IGNORECASE)
_WIDEST = 1000
"""Turns of one range of evidence that are examined; a segment has far fewer."""


def source_class(evidence: Iterable[Evidence], turns: Mapping[int, Turn]) -> SourceClass:
    """Return the least trusted source class of the turns that evidence names; `web_content` if none of them is known.

    `turns` maps ordinals to turns; numbers without a turn are passed over. An agent's call of a tool counts as
    `assistant_output`. Of a range, the first 1,001 numbers are examined.
    """
    classes: Iterable[SourceClass] = (
        "assistant_output" if turns[at].kind == "call" else turn_source_class(turns[at])
        for part in evidence
        for at in range(part.start, min(part.end, part.start + _WIDEST) + 1)
        if at in turns
    )
    return least_trusted(classes) or "web_content"


def least_trusted(classes: Iterable[SourceClass]) -> SourceClass | None:
    """Return the least trusted of some source classes; None if there are none."""
    return max(classes, key=SOURCE_CLASSES.index, default=None)


def turn_source_class(turn: Turn) -> SourceClass:
    """Return the source class of a turn's words, by its role and tool: `user_input`, `web_content`, `tool_output`, ….

    What a program hands over as a message (`relayed`, in another role than `tool`) is `assistant_output`. Else a note,
    a text in which nobody speaks to an assistant, is `system_memory`, whatever its role.
    """
    if turn.relayed and turn.role != "tool":
        return "assistant_output"
    if turn.kind == "note":
        return "system_memory"
    if turn.role != "tool":
        return SOURCE_CLASS_OF[turn.role]
    if _SUBAGENT.search(turn.tool or ""):
        return "subagent_trace"
    return "web_content" if _WEB.search(turn.tool or "") else "tool_output"


def reject_repetition(observation: MemoryObservation, served: Mapping[str, str]) -> MemoryObservation:
    """Return an agent's observation as rejected if it only repeats a memory that a recall gave its session.

    `served` maps the ids of those memories to their contents. It repeats a memory if, with or without an opening such
    as `As we know:`, it has at least three content words, all of them stand in the memory in the same order, they are
    at least 70 % of the memory's, and both deny or affirm. Any other observation, and one that is not accepted or not
    of the class `assistant_output`, is returned unchanged.
    """
    if observation.source_class != "assistant_output" or not observation.judge_accepted:
        return observation
    text = observation.fact.content
    wordings = [content_words(each) for each in dict.fromkeys((text, _OPENING.sub("", text, count=1))) if each]
    for memory_id, content in served.items():
        memory_words = content_words(content)
        repeats = any(_repeats(each, memory_words) for each in wordings)
        if repeats and polarity(text).denied == polarity(content).denied:
            reason = f"recalled: a recall gave these words to this session, as {memory_id}"
            rejected = {"verdict": "reject", "verdict_reason": reason, "judge_accepted": False}
            return observation.model_copy(update=rejected)
    return observation


def _repeats(statement_words: Sequence[str], memory_words: Sequence[str]) -> bool:
    """Whether all words of a statement stand in a memory in the same order, and are at least 3 and 70 % as many."""
    rest = iter(memory_words)  # `in` consumes it, so that the order counts
    return len(statement_words) >= max(3, AGAIN * len(memory_words)) and all(word in rest for word in statement_words)


def with_echoed_source(observation: MemoryObservation, turns: Sequence[Turn]) -> MemoryObservation:
    """Return the observation with the source class of the tool output or pasted text that it repeats.

    `_person_source` and `_agent_source` say what counts as repeated; only tool outputs before the last turn of its
    evidence count, but not that of a command that made a commit in the evidence. Unchanged if it repeats none, if its
    class is neither `user_input` nor `assistant_output`, or if its evidence names none of `turns`.
    """
    own = observation.source_class
    if own not in ("user_input", "assistant_output"):
        return observation
    by_ordinal = {turn.ordinal: turn for turn in turns}
    ordinals = by_ordinal.keys() & observation.fact.cited
    if not ordinals:
        return observation
    text = without_speaker(observation.fact.content)
    evidence = [by_ordinal[at] for at in sorted(ordinals)]
    records = {turn.key or "" for turn in evidence if turn.kind == "commit"}
    before = [
        turn
        for turn in turns
        if turn.ordinal < max(ordinals)
        and turn.role == "tool"
        and turn.kind != "call"
        and not _is_output(turn, records)
    ]
    if own == "user_input":
        found = _person_source(text, evidence, before)
    else:
        people = [turn for turn in turns if turn.role == "user" and turn.ordinal < max(ordinals)]
        found = _agent_source(text, before, people, copies=not records)  # a command's turn holds the same words
    return observation.model_copy(update={"source_class": found}) if found else observation


def _is_output(turn: Turn, records: Iterable[str]) -> bool:
    """Whether a tool's turn is the output of the command that made one of the commits with these keys (`records`).

    git prints a commit's subject back, so that this output is no other source of its words.
    """
    return bool(turn.key) and any(key.startswith(f"{turn.key}.commit") for key in records)


def _person_source(text: str, turns: Iterable[Turn], before: Sequence[Turn]) -> SourceClass | None:
    """Return the true source class of a person's statement: `pasted`, or that of earlier tool output.

    `pasted` if, in one of `turns` (those of the evidence), the pasted lines have at least 80 % of its content words and
    the person's own lines fewer. Else, for a statement of at least twelve words, the least trusted class of the tool
    outputs in `before` that have it word for word. None for the person's own words.
    """
    wanted = set(content_words(text))
    for turn in turns:
        inside, outside = foreign_and_own(turn.content)
        if turn.role == "user" and inside and _share(wanted, inside) >= QUOTED > _share(wanted, outside):
            return "pasted"
    run = words(text)
    if len(run) < VERBATIM_WORDS:
        return None
    return least_trusted(turn_source_class(turn) for turn in before if _has_in_a_row(run, turn.content))


def _agent_source(text: str, before: Sequence[Turn], people: Sequence[Turn], *, copies: bool) -> SourceClass | None:
    """Return the least trusted source class of the tool outputs in `before` that an agent's statement repeats; None if
    none.

    An output is repeated if two neighbouring sentences of it have at least 60 % of the statement's content words or,
    with `copies`, if it has a sentence of at least twelve words of the statement word for word. None also if the own
    words of a turn of `people` have such two sentences.
    """
    wanted = set(content_words(text))
    if not before or any(_passage_share(wanted, foreign_and_own(turn.content)[1]) >= ECHOED for turn in people):
        return None
    runs = [words(each) for each in _pieces(text)] if copies else []
    copied = [run for run in runs if len(run) >= VERBATIM_WORDS]
    return least_trusted(
        turn_source_class(turn)
        for turn in before
        if _passage_share(wanted, turn.content) >= ECHOED or any(_has_in_a_row(run, turn.content) for run in copied)
    )


def _has_in_a_row(run: Sequence[str], text: str) -> bool:
    """Whether a text has these words, spelled as `words` returns them, one after the other."""
    return f" {' '.join(run)} " in _row(text)


@text_cache(256)
def _row(text: str) -> str:
    """Return a text's words (`words`) joined by single spaces, with one before and one after (` hello world `), so that
    a run of words can be looked up in it; cached, as every later statement is compared with a tool's output."""
    return f" {' '.join(words(text))} "


def _passage_share(wanted: set[str], text: str) -> float:
    """Return the largest share (0 to 1) of wanted words in two neighbouring sentences; 0 if the whole text has under 60
    %."""
    lowered = text.casefold()
    if sum(word in lowered for word in wanted) < ECHOED * len(wanted):
        return 0.0
    pieces = ["", *_pieces(text)]
    return max((_share(wanted, f"{one} {two}") for one, two in pairwise(pieces)), default=0.0)


def _pieces(text: str) -> list[str]:
    """Return the pieces of a text, in order, cut at line ends and at ends of sentences; blank lines are left out."""
    return [each for line in re.split(r"\n+", text) for each in sentences(line) or (line,) if each]


def _share(wanted: set[str], text: str) -> float:
    """Return the share (0 to 1) of the wanted words that are content words of a text; 0 if `wanted` is empty."""
    return len(wanted.intersection(content_words(text))) / len(wanted) if wanted else 0.0
