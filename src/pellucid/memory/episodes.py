"""A segment and what came of it in, the file of its episode out: header, span, topic, members, artifacts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pellucid.clock import Clock
from pellucid.language.quoting.pasted import own_words
from pellucid.language.quoting.voices import is_mostly_foreign
from pellucid.language.words import content_words
from pellucid.memory.passages import passages, undrawn
from pellucid.model.artifact import Artifact
from pellucid.model.memory import Episode, Memory, Moment, SourceClass
from pellucid.model.turn import Segment, Turn
from pellucid.store.records import FileWrite
from pellucid.vault.markdown import episode_path, render_episode

TOPIC_CHARS = 80
TOPIC_WORDS = 5
_TAG_WEIGHT = 3
"""What a word is worth as a tag of a memory, against standing in one."""


UNSAID = ("recap", "title")
"""Kinds of turns that are nothing that was said: they only repeat it."""


@dataclass(frozen=True, slots=True)
class TurnsKept:
    """How the turns of a segment are kept: those whose numbers in it are `doubted` begin in quarantine."""

    doubted: Collection[int] = ()
    tools: bool = True
    """Whether what tools were told and printed is kept, too."""
    permitted: Callable[[list[str]], list[str]] = list
    """Which passages may be kept: what was forgotten may not come back."""


EVERY_TURN = TurnsKept()


def episode_write(
    segment: Segment,
    namespace: str,
    clock: Clock,
    *,
    id: str | None = None,  # noqa: A002  # the id of an episode
    memories: Sequence[Memory] = (),
    artifacts: Iterable[Artifact] = (),
    keeping: TurnsKept | None = EVERY_TURN,
) -> tuple[FileWrite, tuple[Moment, ...]]:
    """The file of a new episode, and its moments: the passages of the segment's turns, or none if `keeping` is None.

    `memories` and `artifacts` are what came of the segment. An episode with moments takes its topic from its turns;
    another, which must leave no word of them behind, from its memories, those in quarantine aside.
    """
    moments = tuple(_moments(segment.turns, clock, keeping)) if keeping else ()
    now, turns = clock.now(), segment.turns
    open_ones = [memory for memory in memories if memory.trust_zone != "quarantine"]
    dated = [turn.at for turn in turns if turn.at]
    episode = Episode(
        id=id or clock.new_id("ep"),
        namespace=namespace,
        created=now,
        updated=now,
        session_id=segment.session_id,
        topic=_topic_of(turns, keeping) if keeping else topic_words(open_ones),
        started=min(dated, default=None),
        ended=max(dated, default=None),
        turns=f"{turns[0].ordinal}-{turns[-1].ordinal}",
        signal=segment.signal,
        agent=turns[0].agent,
        members=tuple(memory.id for memory in memories),
        artifacts=tuple(str(artifact) for artifact in artifacts),
    )
    return FileWrite(episode_path(episode), render_episode(episode, moments)), moments


def _moments(turns: Sequence[Turn], clock: Clock, keeping: TurnsKept) -> Iterator[Moment]:
    """The passages of turns as moments, with ids in their order."""
    for number, turn in enumerate(turns):
        kept = keeping.permitted(_passages(turn, tools=keeping.tools))
        for words, id_ in zip(kept, sorted(clock.new_id("mem") for _ in kept), strict=True):
            yield Moment(
                id=id_,
                turn=turn.ordinal,
                role=turn.role,
                at=turn.at,
                content=words,
                trust_zone="quarantine" if number in keeping.doubted else None,
                source_class=_source_class(turn),
            )


def _source_class(turn: Turn) -> SourceClass | None:
    """The source class of a turn's passages; None where it follows from the turn's role."""
    if turn.role == "user" and is_mostly_foreign(turn.content):
        return "pasted"
    if turn.relayed and turn.role != "tool":
        return "assistant_output"
    return "system_memory" if turn.kind == "note" else None


def kept_passages(turns: Iterable[Turn], *, tools: bool) -> Iterator[str]:
    """The passages that turns are kept as, before what was forgotten is left out; of tools only if `tools`."""
    return (passage for turn in turns for passage in _passages(turn, tools=tools))


def _passages(turn: Turn, *, tools: bool) -> list[str]:
    """The passages that a turn is kept as; none of titles and summaries, nor of a tool unless `tools`.

    What a tool printed is one passage. Without `tools`, diagrams are left out, too.
    """
    if turn.kind in UNSAID or (turn.role == "tool" and not tools):
        return []
    if turn.role == "tool":
        return [_turn_text(turn)]
    return passages(_turn_text(turn) if tools else undrawn(_turn_text(turn)))


def _turn_text(turn: Turn) -> str:
    """The text of a turn, behind its speaker's name where the transcript has one."""
    return f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content


def _topic_of(turns: Sequence[Turn], keeping: TurnsKept) -> str:
    """The first words of the session's title, else of the first user's turn, else of the first turn.

    Neither a doubted turn nor one that was forgotten names it; `Untitled` if no other is left.
    """
    best_first = sorted(enumerate(turns), key=lambda each: (each[1].kind != "title", each[1].role != "user"))
    for number, turn in best_first:
        if number not in keeping.doubted and keeping.permitted([_turn_text(turn)]):
            line = " ".join((own_words(turn.content) or turn.content).split())
            short = line if len(line) <= TOPIC_CHARS else line[:TOPIC_CHARS].rsplit(" ", 1)[0] + " …"
            return short or "Untitled"
    return "Untitled"


def topic_words(memories: Iterable[Memory]) -> str:
    """A topic for memories: the five words that most of them have, tags counting more, in order of appearance."""
    weight = Counter[str]()
    for memory in memories:
        weight.update(word for word in content_words(memory.content) if word[0].isalpha())
        weight.update(dict.fromkeys(memory.tags, _TAG_WEIGHT))
    best = {word for word, _ in weight.most_common(TOPIC_WORDS)}
    return " ".join(word for word in weight if word in best)[:TOPIC_CHARS] or "untitled"
