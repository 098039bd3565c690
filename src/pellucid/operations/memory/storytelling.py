"""A memory, a session or a ledger in, its story out: versions and causes, episodes, and the rows of the ledger."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import InputError, NotFoundError
from pellucid.language.words import content_words
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.artifact import Artifact, parse_artifact
from pellucid.model.ledger import LifecycleRow, TombstoneRow, VerdictRow
from pellucid.model.memory import Episode, Memory, recorded_at
from pellucid.model.wire import Instant, Wire
from pellucid.operations.as_known import memory_as_known
from pellucid.operations.browsing import Listed, MemoryCitation, citations_of, find_memory, ids_in_force, listed
from pellucid.operations.graph.states import (
    TEXT_NODE_TYPES,
    EntityHistoryOutput,
    document_names,
    history_of_entity,
    unknown_name_error,
)
from pellucid.operations.instants import AsKnownAt, AsOf, PastInstants, past_instants
from pellucid.operations.operation import Argument, Flag, Limit, Operation, Session, Surfaces, Words
from pellucid.operations.paging import After, SortKey, page
from pellucid.operations.using import note_use
from pellucid.store.lookup_port import FiledEpisode

LedgerKind = Literal[
    "lifecycle", "verdict", "unkept", "flush", "fold", "pass", "tombstone", "erasure", "loss", "observations"
]
_REFERENCE_VERDICT = "EXTRACTION_JUDGE_VERDICT"


class HeldVersion(Wire):
    """The version of a memory that held at an instant."""

    memory_id: str
    valid_from: Instant
    valid_until: Instant | None = None
    """None: as far as was known, it was to hold on."""
    in_force: bool
    """Whether it could answer then."""
    set_aside: str = ""
    """What kept it from answering, where the ledger says: an event and its day."""


class HistoryOutput(Wire):
    """How a memory came to be what it is: its versions, oldest first, every change with its cause, its evidence.

    With `asKnownAt`, only what was written down by then: what changed later is undone, in each version, too.
    """

    memory_id: str
    versions: tuple[Listed, ...]
    events: tuple[LifecycleRow, ...]
    verdicts: tuple[VerdictRow, ...]
    """The observations that made it or said it again."""
    episodes: tuple[Episode, ...] = ()
    citations: tuple[MemoryCitation, ...] = ()
    """What became of each version where recalls served it."""
    forgotten_at: datetime | None = None
    as_of: Instant | None = None
    as_known_at: Instant | None = None
    held: HeldVersion | None = None
    """The version that held at `asOf`, else at `asKnownAt`; of several, the one asked about, or that began last."""


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
    query: Annotated[str, Words("Words they are about.")] = ""
    limit: Limit = Field(default=20, ge=1, le=1000)
    after: After = None
    session_id: Session = None


class EpisodeInput(Wire):
    """Which episode."""

    namespace: str
    episode_id: Annotated[str, Argument("An episode's id, its last ten digits, or its path.")]


class HistoryInput(Wire):
    """Whose story: a memory's, a thing's or a document's; and at which instant."""

    namespace: str
    name: Annotated[str, Argument("A memory (id, its last ten digits, path), a thing, or a document.")]
    as_of: AsOf = None
    as_known_at: AsKnownAt = None


class LedgerInput(Wire):
    """Rows of which kind, and whether those of every namespace."""

    namespace: str
    kind: Annotated[LedgerKind, Flag("lifecycle, verdict, flush, fold, pass, tombstone, erasure, loss; observations.")]
    everywhere: Annotated[bool, Flag("Rows of every namespace.", "--all-namespaces", beyond=True)] = False


class EpisodesOutput(Wire):
    """The newest episodes, or the ones most about the words; and how many fit in all."""

    episodes: tuple[EpisodeView, ...]
    total: int
    next: str | None = None
    """Where the page ends, if there is more behind it: the `after` of the next."""


def history_of_name(
    app: App, namespace: str, name: str, as_of: datetime | None = None, as_known_at: datetime | None = None
) -> HistoryOutput | EntityHistoryOutput:
    """Return the history of a memory (by its id, else by its path), or of an entity or document by its name."""
    if not name.startswith("mem_"):
        node = app.graph.entity(namespace, name)
        if node is not None and node.type not in TEXT_NODE_TYPES:
            return history_of_entity(app, namespace, name, as_of, as_known_at)
        if any(name in document_names(filed) for filed in app.graph.documents(namespace)):
            return history_of_entity(app, namespace, name, as_of, as_known_at)
    try:
        return history_of_memory(app, namespace, name, as_of, as_known_at)
    except NotFoundError as error:
        raise error if name.startswith("mem_") else unknown_name_error(app, namespace, name) from error


def history_of_memory(
    app: App, namespace: str, memory_id: str, as_of: datetime | None = None, as_known_at: datetime | None = None
) -> HistoryOutput:
    """Return the history of one memory; of a forgotten one only that it existed and when it went. Records a use.

    Raises:
        NotFoundError: nothing of that id was ever here, or it was not written yet at `as_known_at`.
        InputError: an instant lies in the future.
    """
    past = past_instants(as_of, as_known_at, app.clock.now())
    try:
        start = find_memory(app, namespace, memory_id).memory
    except NotFoundError:
        return _history_of_forgotten(app, namespace, memory_id)
    changes = list(rows_of_type(app.ledger, LifecycleRow, namespace))
    versions = _version_chain(app, namespace, start, changes, past.known)
    if not versions:
        raise NotFoundError(f"{start.id} was not written yet then", next_step="ask by what is known now")
    note_use(app, namespace, [start.id], "opened")
    ids = {each.memory.id for each in versions}
    events = [row for row in changes if row.memory_id in ids and _is_recorded_by(past.known, row.timestamp)]
    verdicts = [row for row in rows_of_type(app.ledger, VerdictRow, namespace) if row.resulting_primitive_id in ids]
    named = [each.memory.episode_id for each in versions if each.memory.episode_id]
    told = app.lookup.episodes(namespace, list(dict.fromkeys(named)))
    return HistoryOutput(
        memory_id=start.id,
        versions=tuple(versions),
        events=tuple(events),
        verdicts=tuple(row for row in verdicts if _is_recorded_by(past.known, row.decided_at or row.observed_at)),
        episodes=tuple(each.episode for each in told),
        citations=tuple(
            cited
            for each in versions
            for cited in citations_of(app, namespace, each.memory.id)
            if _is_recorded_by(past.known, cited.at)
        ),
        as_of=past.at,
        as_known_at=past.known,
        held=_version_in_force(app, start, versions, events, past) if past.is_past else None,
    )


def _is_recorded_by(known: datetime | None, at: datetime) -> bool:
    """Whether something recorded at `at` was known at `known`; None is now."""
    return known is None or at <= known


def _version_in_force(
    app: App, start: Memory, versions: Sequence[Listed], events: Sequence[LifecycleRow], past: PastInstants
) -> HeldVersion | None:
    """Return the version valid at the instant asked about (else at `known`), and whether it was in force; None if
    none."""
    at = past.at or past.known
    if at is None:
        return None
    spans = {each.memory.id: _validity(each.memory) for each in versions}
    holding = [name for name, (since, until) in spans.items() if since <= at and (until is None or at < until)]
    if not holding:
        return None
    chosen = start.id if start.id in holding else max(holding, key=lambda name: (spans[name][0], name))
    in_force = chosen in ids_in_force(app, start.namespace, at, past.known)
    aside = [row for row in events if row.memory_id == chosen and "status" in row.after and row.timestamp <= at]
    said = f"{aside[-1].event_type} {aside[-1].timestamp:%Y-%m-%d}" if aside and not in_force else ""
    return HeldVersion(
        memory_id=chosen, valid_from=spans[chosen][0], valid_until=spans[chosen][1], in_force=in_force, set_aside=said
    )


def _validity(memory: Memory) -> tuple[datetime, datetime | None]:
    """Return since when a memory is valid, and until when: its end or expiry, if earlier; None if that is open."""
    ends = [end for end in (memory.invalid_at, memory.expires_at) if end is not None]
    return memory.valid_at or memory.created, min(ends, default=None)


def _history_of_forgotten(app: App, namespace: str, memory_id: str) -> HistoryOutput:
    """Return what the ledger holds of a forgotten memory, by its id or the last ten digits of it, or raise
    NotFoundError."""
    rows = rows_of_type(app.ledger, TombstoneRow, namespace)
    stones = [row for row in rows if memory_id in {row.memory_id, row.memory_id[-10:]}]
    if not stones:
        raise NotFoundError(f"no memory {memory_id} in {namespace}", next_step="`pellucid list --status any` shows ids")
    gone = stones[-1]
    events = [row for row in rows_of_type(app.ledger, LifecycleRow, namespace) if row.memory_id == gone.memory_id]
    return HistoryOutput(memory_id=gone.memory_id, versions=(), events=tuple(events), verdicts=(), forgotten_at=gone.at)


def _version_chain(
    app: App, namespace: str, start: Memory, changes: Sequence[LifecycleRow], known: datetime | None
) -> list[Listed]:
    """Return all memories linked to one, also through others, by superseding or derivation, oldest first, as known
    then."""
    found: dict[str, Listed] = {}
    waiting = [start.id]
    while waiting:
        held = [listed(each) for each in app.index.memories(namespace, waiting) if each.memory.id not in found]
        new = [each.model_copy(update={"memory": memory_as_known(each.memory, changes, known)}) for each in held]
        found |= {each.memory.id: each for each in new}
        waiting = [link for each in new for link in _linked_ids(each.memory) if link not in found]
    memories = [(each, recorded_at(each.memory.id, each.memory.created)) for each in found.values()]
    written = [each for each, at in memories if _is_recorded_by(known, at)]
    return sorted(written, key=lambda each: (each.memory.valid_at or each.memory.created, each.memory.id))


def _linked_ids(memory: Memory) -> Sequence[str]:
    """Return the ids of memories it superseded, was superseded by or derived from, or that retired attributes of it."""
    successor = (memory.superseded_by,) if memory.superseded_by else ()
    return (*memory.supersedes, *successor, *memory.derived_from, *memory.retired_attributes.values())


def list_episodes(app: App, request: EpisodesInput) -> EpisodesOutput:
    """List the episodes of a namespace, newest first; with a query, those that contain words of it, best first.

    An episode is searched by topic, artifacts and memories. Its score is the sum of log(1 + episodes / episodes with
    the word) over the query's words it contains.
    """
    filed = app.lookup.episodes(request.namespace)
    if request.session_id:
        filed = [each for each in filed if each.episode.session_id == request.session_id]
    kept = _count_turns(app, request.namespace)
    if not request.query:
        newest, following = page(app, request, filed, _episode_sort_key)
        shown = tuple(_episode_view(app, each, kept) for each in newest)
        return EpisodesOutput(episodes=shown, total=len(filed), next=following)
    ranked = _ranked_episodes(app, filed, request.query)
    best, following = page(app, request, ranked, lambda pair: (-pair[0], pair[1].episode.id))
    shown = tuple(_episode_view(app, each, kept, round(score, 4)) for score, each in best)
    return EpisodesOutput(episodes=shown, total=len(ranked), next=following)


def _episode_sort_key(filed: FiledEpisode) -> SortKey:
    """Return the key that lists the newest episode first, then by id."""
    return -epoch_ms(filed.episode.started or filed.episode.created), filed.episode.id


def _ranked_episodes(app: App, filed: Sequence[FiledEpisode], query: str) -> list[tuple[float, FiledEpisode]]:
    """Return the episodes with words of a query, scored, best first; InputError if no word of it tells anything."""
    from math import log

    wanted = set(content_words(query))
    if not wanted:
        raise InputError("there is no word in it to look for", code="missing_query")
    texts = [(each, wanted.intersection(content_words(_searched_text(app, each.episode)))) for each in filed]
    frequency = {word: sum(word in held for _, held in texts) for word in wanted}
    scored = [(sum(log(1 + len(filed) / frequency[word]) for word in held), each) for each, held in texts if held]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].episode.id))


def _searched_text(app: App, episode: Episode) -> str:
    """Return the text in which an episode is searched: its topic, artifacts and memories."""
    members = app.index.memories(episode.namespace, episode.members)
    return "\n".join((episode.topic, *episode.artifacts, *(each.memory.content for each in members)))


def show_episode(app: App, namespace: str, episode_id: str) -> EpisodeView:
    """Show one episode with its members, by its id, the last ten digits of it, or its path.

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
    return _episode_view(app, found[0], _count_turns(app, namespace))


def _count_turns(app: App, namespace: str) -> Counter[str]:
    """Count the turns that are kept verbatim, by the path of their episode's file."""
    return Counter(each.path for each in app.index.memories(namespace) if each.memory.category == "moment")


def _episode_view(app: App, filed: FiledEpisode, kept: Counter[str], score: float | None = None) -> EpisodeView:
    """Show an episode with its members; `kept` counts verbatim turns by path, `score` is of a search."""
    episode = filed.episode
    members = app.index.memories(episode.namespace, episode.members)
    return EpisodeView(
        episode=episode,
        path=filed.path,
        score=score,
        turns_kept=kept[filed.path],
        members=tuple(map(listed, members)),
        artifacts=tuple(found for each in episode.artifacts if (found := parse_artifact(each))),
    )


def export_ledger(app: App, kind: LedgerKind, namespace: str | None = None) -> Iterator[str]:
    """Yield ledger rows of one kind (None: of all namespaces) as JSON lines; `observations` are reformatted
    verdicts."""
    wanted = "verdict" if kind == "observations" else kind
    for row in app.ledger.rows():
        if row.get("kind") == wanted and (namespace is None or row.get("namespace", namespace) == namespace):
            yield json.dumps(_reference_row(row) if kind == "observations" else row, ensure_ascii=False)


def _reference_row(row: dict[str, object]) -> dict[str, object]:
    """Convert a verdict row to the format of the reference's `extraction-judge-verdicts.jsonl` (version 1)."""
    return {
        "version": 1,
        "category": _REFERENCE_VERDICT,
        "ts": row.get("decidedAt", row.get("observedAt")),
        "verdictKind": row.get("verdict"),
        "reason": row.get("reason"),
        "candidateCategory": row.get("category"),
        "confidence": row.get("confidence"),
        "contentHash": row.get("contentHash"),
        "observationId": row.get("observationId"),
        "sessionId": row.get("sessionId"),
        "observedAt": row.get("observedAt"),
        "importance": row.get("importance"),
        "resultingPrimitiveId": row.get("resultingPrimitiveId"),
    }


HISTORY = Operation(
    "memory.history",
    "Tell the story of a memory or of a thing.\n\n"
    "Of a memory: its versions, what changed it and why, its evidence; of a thing: its states.\n",
    HistoryInput,
    HistoryOutput | EntityHistoryOutput,
    lambda call, asked: history_of_name(call.app, asked.namespace, asked.name, asked.as_of, asked.as_known_at),
    "read",
    Surfaces("history", http=("GET /v1/history/{name}",), mcp="memory_history:history"),
)
EPISODES = Operation(
    "episode.list",
    "List episodes, newest first. With words, those that hold them, best first.",
    EpisodesInput,
    EpisodesOutput,
    lambda call, asked: list_episodes(call.app, asked),
    "read",
    Surfaces("episodes list", http=("GET /v1/episodes",), mcp="memory_search:episodes"),
)
EPISODE = Operation(
    "episode.show",
    "Tell what one episode was about, and what came of it.\n\nWhen it was, what it made, and what was kept of it.\n",
    EpisodeInput,
    EpisodeView,
    lambda call, asked: show_episode(call.app, asked.namespace, asked.episode_id),
    "read",
    Surfaces("episodes show", http=("GET /v1/episodes/{episode_id}",)),
)
LEDGER = Operation(
    "ledger.export",
    "Print the rows of one kind as JSON lines. `observations` are verdicts in the reference's form.",
    LedgerInput,
    Iterator[str],
    lambda call, asked: export_ledger(call.app, asked.kind, None if asked.everywhere else asked.namespace),
    "read",
    Surfaces("ledger export", http=("GET /v1/ledger",)),
    needs="admin",
)
