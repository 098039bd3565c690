"""A segment and the memories extracted from it in, its episode's file out: header, span, topic, members, artifacts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from pellucid.clock import Clock
from pellucid.language.quoting.pasted import own_words
from pellucid.language.quoting.voices import is_mostly_foreign
from pellucid.language.words import content_words
from pellucid.memory.erasure.tombstone import passage_keys
from pellucid.memory.passages import passages, undrawn
from pellucid.memory.trust.scope import Doubt
from pellucid.model.artifact import Artifact
from pellucid.model.memory import Episode, Memory, Moment, SourceClass
from pellucid.model.turn import Segment, Turn
from pellucid.store.records import FileWrite
from pellucid.vault.markdown import episode_path, render_episode

TOPIC_CHARS = 80
TOPIC_WORDS = 5
_TAG_WEIGHT = 3
"""The weight of a word as a tag of a memory; a word in a memory's text weighs 1."""


UNSAID = ("recap", "title")
"""Kinds of turns that nobody said: they only repeat what was said."""


@dataclass(frozen=True, slots=True)
class TurnsKept:
    """How the turns of a segment are kept."""

    doubted: Mapping[int, Doubt] = field(default_factory=dict[int, Doubt])
    """Maps the indices of turns, from 0, to what of them is doubted: passages with such words begin in quarantine."""
    tools: bool = True
    """Whether the calls and outputs of tools are kept, too."""
    tombstones: AbstractSet[bytes] = frozenset()
    """The keys of what was forgotten: such passages are left out."""
    secret: bytes = b""
    """The key of the vault, with which the tombstones were made."""

    def permitted(self, passages: list[str], namespace: str) -> list[str]:
        """Return the passages that were not forgotten in a namespace; one is left out if it, or one of its sentences of
        three content words or more, was.
        """
        if not self.tombstones:  # nearly always, and keys take time
            return passages
        return [each for each in passages if self.tombstones.isdisjoint(passage_keys(self.secret, namespace, each))]


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
    """Return the write of a new episode's file, and its moments: the passages of the turns; empty if `keeping` is None.

    The segment has at least one turn; `id` is the episode's, None for a new one. `memories` and `artifacts` are those
    extracted from the segment. The topic comes from the turns; but if `keeping` is None, no word of the turns stays,
    and it comes from the memories that are not in quarantine (`topic_words`). Nothing is written yet.
    """
    moments = tuple(_make_moments(segment.turns, namespace, clock, keeping)) if keeping else ()
    now, turns = clock.now(), segment.turns
    trusted = [memory for memory in memories if memory.trust_zone != "quarantine"]
    times = [turn.at for turn in turns if turn.at]
    episode = Episode(
        id=id or clock.new_id("ep"),
        namespace=namespace,
        created=now,
        updated=now,
        session_id=segment.session_id,
        topic=_topic_from_turns(turns, namespace, keeping) if keeping else topic_words(trusted),
        started=min(times, default=None),
        ended=max(times, default=None),
        turns=f"{turns[0].ordinal}-{turns[-1].ordinal}",
        signal=segment.signal,
        agent=turns[0].agent,
        members=tuple(memory.id for memory in memories),
        artifacts=tuple(str(artifact) for artifact in artifacts),
    )
    return FileWrite(episode_path(episode), render_episode(episode, moments)), moments


def _make_moments(turns: Sequence[Turn], namespace: str, clock: Clock, keeping: TurnsKept) -> Iterator[Moment]:
    """Yield the passages of turns as moments, with ascending ids. `keeping` says which passages are left out as
    forgotten in the namespace, which turns are doubted, so that passages with the doubted words begin in quarantine,
    and whether tools' turns are kept.
    """
    for number, turn in enumerate(turns):
        doubt = keeping.doubted.get(number)
        permitted = keeping.permitted(_passages(turn, tools=keeping.tools), namespace)
        for words, moment_id in zip(permitted, sorted(clock.new_id("mem") for _ in permitted), strict=True):
            yield Moment(
                id=moment_id,
                turn=turn.ordinal,
                role=turn.role,
                at=turn.at,
                content=words,
                trust_zone="quarantine" if doubt and doubt.covers(words) else None,
                source_class=_source_class(turn),
            )


def _source_class(turn: Turn) -> SourceClass | None:
    """Return the source class of a turn's passages: `pasted` if most of a user's turn is somebody else's words,
    `assistant_output` for a turn that an agent relayed, `system_memory` for a note; None if it follows from the role.

    A tool's name does not matter here; it does for statements made of the turn (`observe.source.turn_source_class`).
    """
    if turn.role == "user" and is_mostly_foreign(turn.content):
        return "pasted"
    if turn.relayed and turn.role != "tool":
        return "assistant_output"
    return "system_memory" if turn.kind == "note" else None


def kept_passages(turns: Iterable[Turn], *, tools: bool) -> Iterator[str]:
    """Yield the passages into which turns are cut to be kept, without titles and summaries, in order; those that were
    forgotten are among them. Tool turns are left out unless `tools`.
    """
    return (passage for turn in turns for passage in _passages(turn, tools=tools))


def _passages(turn: Turn, *, tools: bool) -> list[str]:
    """Return the passages that a turn is kept as; empty for titles and summaries, and for tool turns unless `tools`.

    A tool turn is one passage. Without `tools`, diagrams are left out, too.
    """
    if turn.kind in UNSAID or (turn.role == "tool" and not tools):
        return []
    if turn.role == "tool":
        return [_turn_text(turn)]
    return passages(_turn_text(turn) if tools else undrawn(_turn_text(turn)))


def _turn_text(turn: Turn) -> str:
    """Return the text of a turn, after its speaker's name if the transcript has one."""
    return f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content


def _topic_from_turns(turns: Sequence[Turn], namespace: str, keeping: TurnsKept) -> str:
    """Return the beginning of the session's title, else of the user's first turn, else of the first turn.

    It has at most 80 characters, of whole words, and ` …` if more follows; pasted words are passed over if there are
    others. Turns that `keeping` doubts or that were forgotten in the namespace are passed over; `Untitled` if no other
    is left.
    """
    candidates = sorted(enumerate(turns), key=lambda each: (each[1].kind != "title", each[1].role != "user"))
    for number, turn in candidates:
        if number not in keeping.doubted and keeping.permitted([_turn_text(turn)], namespace):
            line = " ".join((own_words(turn.content) or turn.content).split())
            short = line if len(line) <= TOPIC_CHARS else line[:TOPIC_CHARS].rsplit(" ", 1)[0] + " …"
            return short or "Untitled"
    return "Untitled"


def topic_words(memories: Iterable[Memory]) -> str:
    """Return a topic for memories: their five most frequent words, a tag counting three times, in order of appearance.

    It is cut at 80 characters; `untitled` if there are no words. Numbers count only as tags.
    """
    weight = Counter[str]()
    for memory in memories:
        weight.update(word for word in content_words(memory.content) if word[0].isalpha())
        weight.update(dict.fromkeys(memory.tags, _TAG_WEIGHT))
    best = {word for word, _ in weight.most_common(TOPIC_WORDS)}
    return " ".join(word for word in weight if word in best)[:TOPIC_CHARS] or "untitled"
