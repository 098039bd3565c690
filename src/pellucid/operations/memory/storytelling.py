"""A memory or a session in, its history out: versions with their changes, or episodes."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from math import log
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import InputError, NotFoundError, step
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
from pellucid.operations.operation import Argument, Limit, Operation, Session, Surfaces, Text, Words, in_home
from pellucid.operations.paging import After, page
from pellucid.operations.using import note_use
from pellucid.store.lookup_port import FiledEpisode


class HeldVersion(Wire):
    """The version of a memory that was valid at an instant."""

    memory_id: str
    valid_from: Instant
    valid_until: Instant | None = None
    """The end of its validity; None if no end was known."""
    in_force: bool
    """Whether recalls could return it then."""
    set_aside: str = ""
    """The event that put it out of force, and its day; "" if it was in force, or the ledger has no such event."""


class HistoryOutput(Wire):
    """The history of a memory: its versions, oldest first, their changes, verdicts, episodes and citations.

    With `asKnownAt`, only what was recorded by then, with each version as it was known then.
    """

    memory_id: str
    versions: tuple[Listed, ...]
    events: tuple[LifecycleRow, ...]
    verdicts: tuple[VerdictRow, ...]
    """The verdicts on the observations that made it or repeated it."""
    episodes: tuple[Episode, ...] = ()
    citations: tuple[MemoryCitation, ...] = ()
    """The citations of each version in recalls that served it."""
    forgotten_at: datetime | None = None
    as_of: Instant | None = None
    as_known_at: Instant | None = None
    held: HeldVersion | None = None
    """The version valid at `asOf`, else at `asKnownAt`; of several, the memory asked about, else the one valid last."""


class EpisodeView(Wire):
    """An episode with its memories and artifacts."""

    episode: Episode
    path: str
    members: tuple[Listed, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    turns_kept: int = 0
    score: float | None = None


class EpisodesInput(Wire):
    """The episodes to list: of a session, or with words of a query."""

    namespace: str
    query: Annotated[str, Words("Words they are about.")] = ""
    limit: Limit = Field(default=20, ge=1, le=1000)
    after: After = None
    session_id: Session = None


class EpisodeInput(Wire):
    """The episode to show."""

    namespace: str
    episode_id: Annotated[str, Argument("An episode's id, its last ten digits, or its path.")]


class HistoryInput(Wire):
    """The memory, thing or document whose history to show, and at which instant."""

    namespace: str
    name: Annotated[str, Argument("A memory (id, its last ten digits, path), a thing, or a document.")]
    as_of: AsOf = None
    as_known_at: AsKnownAt = None


class EpisodesOutput(Wire):
    """A page of episodes, the newest or the best first, and how many fit in all."""

    episodes: tuple[EpisodeView, ...]
    total: int
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


def history_of_name(app: App, request: HistoryInput) -> HistoryOutput | EntityHistoryOutput:
    """Return the history of the entity or document with this name, else of the memory with this id or path, whose use
    is recorded. A name that begins with `mem_` is a memory's.

    NotFoundError if nothing has the name, or nothing was recorded of it by `as_known_at`; InputError if several things
    or memories have the name, and for an instant in the future."""
    if not request.name.startswith("mem_"):
        node = app.graph.entity(request.namespace, request.name)
        if node is not None and node.type not in TEXT_NODE_TYPES:
            return history_of_entity(app, request.namespace, request.name, request.as_of, request.as_known_at)
        if any(request.name in document_names(filed) for filed in app.graph.documents(request.namespace)):
            return history_of_entity(app, request.namespace, request.name, request.as_of, request.as_known_at)
    try:
        return history_of_memory(app, request.namespace, request.name, request.as_of, request.as_known_at)
    except NotFoundError as error:
        raise (
            error if request.name.startswith("mem_") else unknown_name_error(app, request.namespace, request.name)
        ) from error


def history_of_memory(
    app: App, namespace: str, memory_id: str, as_of: datetime | None = None, as_known_at: datetime | None = None
) -> HistoryOutput:
    """Return the history of one memory, by its id, the last ten digits of the id or its path, and record a use of it.
    Of a forgotten memory, return only its ledger rows and when it was forgotten, whatever the instants.

    With `as_known_at`, only what was recorded by then; with either instant, `held` is the version that was valid.

    Raises:
        NotFoundError: the namespace never had such a memory, or the memory was not written yet at `as_known_at`.
        InputError: an instant lies in the future, or several memories fit.
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
    episode_ids = [each.memory.episode_id for each in versions if each.memory.episode_id]
    episodes = app.lookup.episodes(namespace, list(dict.fromkeys(episode_ids)))
    return HistoryOutput(
        memory_id=start.id,
        versions=tuple(versions),
        events=tuple(events),
        verdicts=tuple(row for row in verdicts if _is_recorded_by(past.known, row.decided_at or row.observed_at)),
        episodes=tuple(each.episode for each in episodes),
        citations=tuple(
            citation
            for each in versions
            for citation in citations_of(app, namespace, each.memory.id)
            if _is_recorded_by(past.known, citation.at)
        ),
        as_of=past.at,
        as_known_at=past.known,
        held=_version_in_force(app, start, versions, events, past) if past.is_past else None,
    )


def _is_recorded_by(known_at: datetime | None, at: datetime) -> bool:
    """Whether a record of the time `at` existed at `known_at` (None: now)."""
    return known_at is None or at <= known_at


def _version_in_force(
    app: App, start: Memory, versions: Sequence[Listed], events: Sequence[LifecycleRow], past: PastInstants
) -> HeldVersion | None:
    """Return the version valid at `past.at` (else at `past.known`), and whether a recall could return it then; None if
    none was valid, or `past` has no instant. Of several, that is the memory asked about, `start`, else the version
    whose validity began last. `events` tell what put it out of force."""
    at = past.at or past.known
    if at is None:
        return None
    spans = {each.memory.id: _validity(each.memory) for each in versions}
    valid = [name for name, (since, until) in spans.items() if since <= at and (until is None or at < until)]
    if not valid:
        return None
    chosen = start.id if start.id in valid else max(valid, key=lambda name: (spans[name][0], name))
    since, until = spans[chosen]
    in_force = chosen in ids_in_force(app, start.namespace, at, past.known)
    rows = [row for row in events if row.memory_id == chosen and "status" in row.after and row.timestamp <= at]
    last = rows[-1] if rows and not in_force else None
    set_aside = f"{last.event_type} {last.timestamp:%Y-%m-%d}" if last else ""
    return HeldVersion(memory_id=chosen, valid_from=since, valid_until=until, in_force=in_force, set_aside=set_aside)


def _validity(memory: Memory) -> tuple[datetime, datetime | None]:
    """Return the beginning and end of a memory's validity; the end is the earlier of end and expiry, None if open."""
    ends = [end for end in (memory.invalid_at, memory.expires_at) if end is not None]
    return memory.holds_since, min(ends, default=None)


def _history_of_forgotten(app: App, namespace: str, memory_id: str) -> HistoryOutput:
    """Return the ledger's rows of a forgotten memory, by its id or the last ten digits of the id; NotFoundError if the
    ledger has no tombstone of it."""
    rows = rows_of_type(app.ledger, TombstoneRow, namespace)
    stones = [row for row in rows if memory_id in {row.memory_id, row.memory_id[-10:]}]
    if not stones:
        raise NotFoundError(
            f"no memory {memory_id} in {namespace}", next_step=f"{step('memory.list', status='any')} shows ids"
        )
    gone = stones[-1]
    events = [row for row in rows_of_type(app.ledger, LifecycleRow, namespace) if row.memory_id == gone.memory_id]
    return HistoryOutput(memory_id=gone.memory_id, versions=(), events=tuple(events), verdicts=(), forgotten_at=gone.at)


def _version_chain(
    app: App, namespace: str, start: Memory, changes: Sequence[LifecycleRow], known_at: datetime | None
) -> list[Listed]:
    """Return a memory and all memories linked to it, also through others, by superseding, derivation or retired
    attributes, oldest first, as they were known at `known_at` (None: now) by the ledger rows `changes`. Those that were
    not written yet then are left out, the memory itself, too."""
    found: dict[str, Listed] = {}
    waiting = [start.id]
    while waiting:
        unseen = [listed(each) for each in app.index.memories(namespace, waiting) if each.memory.id not in found]
        new = [each.model_copy(update={"memory": memory_as_known(each.memory, changes, known_at)}) for each in unseen]
        found |= {each.memory.id: each for each in new}
        waiting = [link for each in new for link in _linked_ids(each.memory) if link not in found]
    written = (
        each for each in found.values() if _is_recorded_by(known_at, recorded_at(each.memory.id, each.memory.created))
    )
    return sorted(written, key=lambda each: (each.memory.holds_since, each.memory.id))


def _linked_ids(memory: Memory) -> Sequence[str]:
    """Return the ids of the memories that a memory superseded, was superseded by or derived from, and of those that
    retired its attributes."""
    successor = (memory.superseded_by,) if memory.superseded_by else ()
    return (*memory.supersedes, *successor, *memory.derived_from, *memory.retired_attributes.values())


def list_episodes(app: App, request: EpisodesInput) -> EpisodesOutput:
    """List the episodes of a namespace, or of one session in it, newest first; with a query, those that contain words
    of the query, best first.

    The score is the sum of log(1 + number of episodes / number with the word) over the query's words in the episode.
    InputError for a query without a content word, and for a cursor of another list.
    """
    filed = app.lookup.episodes(request.namespace)
    if request.session_id:
        filed = [each for each in filed if each.episode.session_id == request.session_id]
    passages = _count_passages(app, request.namespace)
    if not request.query:
        times = {each.episode.id: each.episode.started or each.episode.created for each in filed}
        newest, next_page = page(app, request, filed, lambda each: (-epoch_ms(times[each.episode.id]), each.episode.id))
        shown = tuple(_episode_view(app, each, passages) for each in newest)
        return EpisodesOutput(episodes=shown, total=len(filed), next=next_page)
    ranked = _ranked_episodes(app, filed, request.query)
    best, next_page = page(app, request, ranked, lambda pair: (-pair[0], pair[1].episode.id))
    shown = tuple(_episode_view(app, each, passages, round(score, 4)) for score, each in best)
    return EpisodesOutput(episodes=shown, total=len(ranked), next=next_page)


def _ranked_episodes(app: App, filed: Sequence[FiledEpisode], query: str) -> list[tuple[float, FiledEpisode]]:
    """Return (score, episode) of the episodes with words of a query, best first; InputError without a content word."""
    query_words = set(content_words(query))
    if not query_words:
        raise InputError("there is no word in it to look for", code="missing_query")
    matches = [(each, query_words.intersection(content_words(_searched_text(app, each.episode)))) for each in filed]
    frequency = Counter(word for _, words in matches for word in words)
    scored = [(sum(log(1 + len(filed) / frequency[word]) for word in words), each) for each, words in matches if words]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].episode.id))


def _searched_text(app: App, episode: Episode) -> str:
    """Return the text in which an episode is searched: its topic, artifacts and memories."""
    members = app.index.memories(episode.namespace, episode.members)
    return "\n".join((episode.topic, *episode.artifacts, *(each.memory.content for each in members)))


def show_episode(app: App, request: EpisodeInput) -> EpisodeView:
    """Show one episode with its memories, by its id, the last ten digits of the id, or its path.

    Raises:
        NotFoundError: no such episode in the namespace.
        InputError: several episodes fit.
    """
    found = app.lookup.episodes(request.namespace, [request.episode_id]) or [
        each
        for each in app.lookup.episodes(request.namespace)
        if request.episode_id in (each.episode.id[-10:], each.path)
    ]
    if not found:
        raise NotFoundError(
            f"no episode {request.episode_id} in {request.namespace}",
            next_step=f"{step('episode.list')} shows ids",
        )
    if len(found) > 1:
        raise InputError(
            f"{len(found)} episodes fit {request.episode_id}", code="ambiguous_id", next_step="give a whole id"
        )
    return _episode_view(app, found[0], _count_passages(app, request.namespace))


def _count_passages(app: App, namespace: str) -> Counter[str]:
    """Return a map from the paths of episode files to the number of passages in them."""
    return Counter(each.path for each in app.index.memories(namespace) if each.memory.category == "moment")


def _episode_view(app: App, filed: FiledEpisode, passages: Counter[str], score: float | None = None) -> EpisodeView:
    """Convert an episode into its output form, with its memories. `passages` maps paths of episode files to numbers of
    passages; `score` is the score of a search, if any."""
    episode = filed.episode
    members = app.index.memories(episode.namespace, episode.members)
    return EpisodeView(
        episode=episode,
        path=filed.path,
        score=score,
        turns_kept=passages[filed.path],
        members=tuple(map(listed, members)),
        artifacts=tuple(artifact for each in episode.artifacts if (artifact := parse_artifact(each))),
    )


HISTORY = Operation(
    "memory.history",
    "Tell the story of a memory or of a thing.\n\n"
    "Of a memory: its versions, what changed it and why, its evidence; of a thing: its states.\n",
    HistoryInput,
    HistoryOutput | EntityHistoryOutput,
    in_home(history_of_name),
    "read",
    Surfaces("history", http=("GET /v1/history/{name}",), mcp="memory_history:history"),
    text=Text("memory.changes.history_of_name_text", excerpts=True),
)
EPISODES = Operation(
    "episode.list",
    "List episodes, newest first. With words, those that hold them, best first.",
    EpisodesInput,
    EpisodesOutput,
    in_home(list_episodes),
    "read",
    Surfaces("episodes list", http=("GET /v1/episodes",), mcp="memory_search:episodes"),
    text=Text("memory.changes.episodes_text"),
)
EPISODE = Operation(
    "episode.show",
    "Tell what one episode was about, and what came of it.\n\nWhen it was, what it made, and what was kept of it.\n",
    EpisodeInput,
    EpisodeView,
    in_home(show_episode),
    "read",
    Surfaces("episodes show", http=("GET /v1/episodes/{episode_id}",)),
    text=Text("memory.changes.episode_text"),
)
