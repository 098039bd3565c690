"""A memory, a session or a ledger in, its story out: versions and causes, episodes, and the rows of the ledger."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal, get_args

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.model.artifact import Artifact, parse_artifact
from pellucid.model.ledger import LifecycleRow, TombstoneRow, VerdictRow
from pellucid.model.memory import Episode, Memory
from pellucid.model.text import content_words
from pellucid.model.wire import Wire
from pellucid.operations.browsing import Listed, find_memory
from pellucid.operations.rows import rows
from pellucid.store.lookup_port import FiledEpisode

LedgerKind = Literal["lifecycle", "verdict", "flush", "fold", "pass", "tombstone", "erasure", "observations"]
_REFERENCE_VERDICT = "EXTRACTION_JUDGE_VERDICT"


class HistoryOutput(Wire):
    """How a memory came to be what it is: its versions, oldest first, every change with its cause, its evidence."""

    memory_id: str
    versions: tuple[Listed, ...]
    events: tuple[LifecycleRow, ...]
    verdicts: tuple[VerdictRow, ...]
    """The observations that made it or said it again."""
    episodes: tuple[Episode, ...] = ()
    forgotten_at: datetime | None = None


class EpisodeView(Wire):
    """An episode with what came of it."""

    episode: Episode
    path: str
    members: tuple[Listed, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    turns_kept: int = 0
    score: float | None = None


class EpisodesInput(Wire):
    """Which episodes: of a session, or about these words."""

    namespace: str
    query: str = ""
    session_id: str | None = None
    limit: int = Field(default=20, ge=1, le=1000)


class EpisodesOutput(Wire):
    """The newest episodes, or the ones most about the words; and how many fit in all."""

    episodes: tuple[EpisodeView, ...]
    total: int


def history(app: App, namespace: str, memory_id: str) -> HistoryOutput:
    """The story of one memory, of a forgotten one too: that it was, and when it went, but not what it said.

    Raises:
        NotFoundError: nothing of that id was ever here.
    """
    try:
        start = find_memory(app, namespace, memory_id).memory
    except NotFoundError:
        return _forgotten(app, namespace, memory_id)
    versions = _versions(app, namespace, start)
    ids = {each.memory.id for each in versions}
    events = [row for row in rows(app, LifecycleRow, namespace) if row.memory_id in ids]
    verdicts = [row for row in rows(app, VerdictRow, namespace) if row.resulting_primitive_id in ids]
    named = [each.memory.episode_id for each in versions if each.memory.episode_id]
    told = app.lookup.episodes(namespace, list(dict.fromkeys(named)))
    return HistoryOutput(
        memory_id=start.id, versions=tuple(versions), events=tuple(events), verdicts=tuple(verdicts),
        episodes=tuple(each.episode for each in told),
    )  # fmt: skip


def _forgotten(app: App, namespace: str, memory_id: str) -> HistoryOutput:
    stones = [row for row in rows(app, TombstoneRow, namespace) if memory_id in {row.memory_id, row.memory_id[-10:]}]
    if not stones:
        raise NotFoundError(f"no memory {memory_id} in {namespace}", next_step="`pellucid list --status any` shows ids")
    gone = stones[-1]
    events = [row for row in rows(app, LifecycleRow, namespace) if row.memory_id == gone.memory_id]
    return HistoryOutput(memory_id=gone.memory_id, versions=(), events=tuple(events), verdicts=(), forgotten_at=gone.at)


def _versions(app: App, namespace: str, start: Memory) -> list[Listed]:
    """Everything tied to a memory by superseding or derivation, oldest first."""
    found: dict[str, Listed] = {}
    waiting = [start.id]
    while waiting:
        held = [each for each in app.index.memories(namespace, waiting) if each.memory.id not in found]
        found |= {each.memory.id: Listed(memory=each.memory, path=each.path, op_id=each.op_id) for each in held}
        waiting = [link for each in held for link in _links(each.memory) if link not in found]
    return sorted(found.values(), key=lambda each: (each.memory.valid_at or each.memory.created, each.memory.id))


def _links(memory: Memory) -> Sequence[str]:
    successor = (memory.superseded_by,) if memory.superseded_by else ()
    return (*memory.supersedes, *successor, *memory.derived_from, *memory.retired_attributes.values())


def episodes(app: App, request: EpisodesInput) -> EpisodesOutput:
    """The episodes of a namespace, newest first; with words, those that hold them, best first.

    An episode is searched by its topic, its artifacts and the memories that came of it. The score is the sum, over
    the query's words it holds, of log(1 + episodes / episodes that hold the word).
    """
    filed = app.lookup.episodes(request.namespace)
    if request.session_id:
        filed = [each for each in filed if each.episode.session_id == request.session_id]
    kept = _turns_kept(app, request.namespace)
    if not request.query:
        return EpisodesOutput(
            episodes=tuple(_view(app, each, kept) for each in filed[: request.limit]), total=len(filed)
        )
    ranked = _ranked(app, filed, request.query)
    best = tuple(_view(app, each, kept, round(score, 4)) for score, each in ranked[: request.limit])
    return EpisodesOutput(episodes=best, total=len(ranked))


def _ranked(app: App, filed: Sequence[FiledEpisode], query: str) -> list[tuple[float, FiledEpisode]]:
    from math import log

    wanted = set(content_words(query))
    if not wanted:
        raise InputError("there is no word in it to look for", code="missing_query")
    texts = [(each, wanted.intersection(content_words(_text(app, each.episode)))) for each in filed]
    frequency = {word: sum(word in held for _, held in texts) for word in wanted}
    scored = [(sum(log(1 + len(filed) / frequency[word]) for word in held), each) for each, held in texts if held]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].episode.id))


def _text(app: App, episode: Episode) -> str:
    members = app.index.memories(episode.namespace, episode.members)
    return "\n".join((episode.topic, *episode.artifacts, *(each.memory.content for each in members)))


def show_episode(app: App, namespace: str, episode_id: str) -> EpisodeView:
    """One episode by its id, by the last ten digits of it, or by its path, with its members.

    Raises:
        NotFoundError: no such episode in the namespace.
        InputError: several fit.
    """
    found = app.lookup.episodes(namespace, [episode_id]) or [
        each for each in app.lookup.episodes(namespace) if episode_id in (each.episode.id[-10:], each.path)
    ]
    if not found:
        raise NotFoundError(f"no episode {episode_id} in {namespace}", next_step="`pellucid episodes list` shows ids")
    if len(found) > 1:
        raise InputError(f"{len(found)} episodes fit {episode_id}", code="ambiguous_id", next_step="give a whole id")
    return _view(app, found[0], _turns_kept(app, namespace))


def _turns_kept(app: App, namespace: str) -> Counter[str]:
    """How many turns are kept word for word, by the file of their episode."""
    return Counter(each.path for each in app.index.memories(namespace) if each.memory.category == "moment")


def _view(app: App, filed: FiledEpisode, kept: Counter[str], score: float | None = None) -> EpisodeView:
    episode = filed.episode
    members = app.index.memories(episode.namespace, episode.members)
    return EpisodeView(
        episode=episode, path=filed.path, score=score, turns_kept=kept[filed.path],
        members=tuple(Listed(memory=each.memory, path=each.path, op_id=each.op_id) for each in members),
        artifacts=tuple(found for each in episode.artifacts if (found := parse_artifact(each))),
    )  # fmt: skip


def ledger_kind(text: str) -> LedgerKind:
    """The kind of ledger rows a person named.

    Raises:
        InputError: there is no such kind.
    """
    for kind in get_args(LedgerKind):
        if kind == text:
            return kind
    raise InputError(f'--kind expects one of {", ".join(get_args(LedgerKind))}; got "{text}"', code="invalid_kind")


def export_ledger(app: App, kind: LedgerKind, namespace: str | None = None) -> Iterator[str]:
    """The rows of one kind as JSON lines; `observations` are verdict rows in the form of the reference's telemetry."""
    wanted = "verdict" if kind == "observations" else kind
    for row in app.ledger.ledger():
        if row.get("kind") == wanted and (namespace is None or row.get("namespace") == namespace):
            yield json.dumps(_reference(row) if kind == "observations" else row, ensure_ascii=False)


def _reference(row: dict[str, object]) -> dict[str, object]:
    """A verdict row as `extraction-judge-verdicts.jsonl` has it (version 1), and what ours says beyond it."""
    return {
        "version": 1, "category": _REFERENCE_VERDICT, "ts": row.get("decidedAt", row.get("observedAt")),
        "verdictKind": row.get("verdict"), "reason": row.get("reason"),
        "candidateCategory": row.get("category"), "confidence": row.get("confidence"),
        "contentHash": row.get("contentHash"), "observationId": row.get("observationId"),
        "sessionId": row.get("sessionId"), "observedAt": row.get("observedAt"), "importance": row.get("importance"),
        "resultingPrimitiveId": row.get("resultingPrimitiveId"),
    }  # fmt: skip
