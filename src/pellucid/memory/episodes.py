"""A segment and what came of it in, the file of its episode out: header, span, topic, members, artifacts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pellucid.clock import Clock
from pellucid.language.quoting.pasted import own_words
from pellucid.language.quoting.voices import mostly_foreign
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
    """The file of a new episode, and its moments: the segment's turns, or none if `keeping` is None.

    Of a verbatim episode the topic is how its first person's turn starts; of another, whose turns are gone and must
    leave no word behind, the words of the memories that came of it. Neither doubted turns, nor those that were
    forgotten, nor memories in quarantine name the episode.
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
    """The turns as moments, one a passage, with ids in their order; what a tool printed stays in one piece.

    A summary of earlier turns, and a title, are nothing that was said: they would only repeat it.
    """
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
    """Whose words a turn's passages are, where its role does not say it."""
    if turn.role == "user" and mostly_foreign(turn.content):
        return "pasted"
    if turn.relayed and turn.role != "tool":
        return "assistant_output"
    return "system_memory" if turn.kind == "note" else None


def said(turns: Iterable[Turn], *, tools: bool) -> Iterator[str]:
    """The passages that turns are kept as, where nothing of them was forgotten."""
    return (passage for turn in turns for passage in _passages(turn, tools=tools))


def _passages(turn: Turn, *, tools: bool) -> list[str]:
    """What is kept of a turn, in short stretches; nothing of titles and summaries, nor of a tool unless `tools`."""
    if turn.kind in UNSAID or (turn.role == "tool" and not tools):
        return []
    if turn.role == "tool":
        return [spoken(turn)]
    return passages(spoken(turn) if tools else undrawn(spoken(turn)))


def spoken(turn: Turn) -> str:
    """A turn as it is kept: with its speaker's name, where the transcript has one."""
    return f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content


def _topic_of(turns: Sequence[Turn], keeping: TurnsKept) -> str:
    """A one-line name for a stretch of turns: how its title, its first person's turn or its first turn starts.

    Neither a doubted turn nor one that was forgotten names it.
    """
    telling = sorted(enumerate(turns), key=lambda each: (each[1].kind != "title", each[1].role != "user"))
    for number, turn in telling:
        if number not in keeping.doubted and keeping.permitted([spoken(turn)]):
            line = " ".join((own_words(turn.content) or turn.content).split())
            short = line if len(line) <= TOPIC_CHARS else line[:TOPIC_CHARS].rsplit(" ", 1)[0] + " …"
            return short or "Untitled"
    return "Untitled"


def topic_words(memories: Iterable[Memory]) -> str:
    """What memories are about: the words that stand in most of them, tags counting more, in order of appearance."""
    weight = Counter[str]()
    for memory in memories:
        weight.update(word for word in content_words(memory.content) if word[0].isalpha())
        weight.update(dict.fromkeys(memory.tags, _TAG_WEIGHT))
    best = {word for word, _ in weight.most_common(TOPIC_WORDS)}
    return " ".join(word for word in weight if word in best)[:TOPIC_CHARS] or "untitled"
