"""The name of a thing in, what was true of it and when out: its chain of states, each with what brought it about."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pydantic import Field

from pellucid.app import HAND_WRITTEN, App
from pellucid.clock import EPOCH, epoch_ms
from pellucid.errors import InputError, NotFoundError, field_name
from pellucid.model.entity import FOREVER, EntityState, EventType, node_key
from pellucid.model.memory import recorded_at
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import find_memory
from pellucid.operations.instants import PastInstants, datetime_of_ms, past_instants
from pellucid.recall.query.entities import names_in
from pellucid.store.graph_port import FiledDocument, Node
from pellucid.store.index_port import Served

NEAREST = 3
"""Names offered for one that is unknown, at most."""
TEXT_NODE_TYPES = frozenset({"Memory", "Episode"})
"""Types of nodes that say something, and of which no state is told."""


class EntityNamed(Wire):
    """A thing as the graph knows it, and by which name it was asked for."""

    key: str
    name: str
    type: str
    defined: bool
    """Whether a file defines it; else it is only spoken of."""
    asked: str
    alias: bool = False
    """`asked` is another name of it."""


class Changed(Wire):
    """One attribute that a state begins with another value, a first one, or none."""

    attribute: str
    before: str | None = None
    after: str | None = None


class StateView(Wire):
    """What was true of a thing over `[validFrom, validUntil)`, and what brought it about."""

    valid_from: Instant
    valid_until: Instant | None = None
    """None: it holds still."""
    event: EventType
    props: dict[str, str] = Field(default_factory=dict)
    changed: tuple[Changed, ...] = ()
    cause: str | None = None
    """The memory whose claim began it."""
    said_in: str | None = None
    """Where that stands: `path:lines` of a document, or the memory's file."""
    commit: str | None = None
    """The commit that made it so, where the history of a repository says."""


class EntityHistoryOutput(Wire):
    """The states of a thing, oldest first; with `asOf`, the one that held then, or none."""

    entity: EntityNamed
    states: tuple[StateView, ...]
    holds: dict[str, str] | None = None
    """What is true of it at the instant asked about, by its chain; None where nothing is."""
    known_from: Instant | None = None
    """Where `asOf` lies before all that is known of it: since when something is. Nobody says what was before."""
    as_of: Instant | None = None
    as_known_at: Instant | None = None


def history_of_entity(
    app: App, namespace: str, name: str, as_of: datetime | None = None, as_known_at: datetime | None = None
) -> EntityHistoryOutput:
    """Return all states of an entity with their times, or only the one that held at `as_of`, if any; NotFoundError if
    nothing was known of it. Errors as of `find_entity`, too."""
    now = app.clock.now()
    past = past_instants(as_of, as_known_at, now)
    entity = find_entity(app, namespace, name)
    chain = app.graph.states(namespace, entity.key, past.known_ms)
    if not chain:
        raise _nothing_known_error(entity, past.known)
    here, known_from = _locate(chain, past.at or now)
    shown = range(len(chain)) if past.at is None else [here] if here is not None else []
    return EntityHistoryOutput(
        entity=entity,
        states=_state_views(app, namespace, chain, shown),
        as_of=past.at,
        as_known_at=past.known,
        holds=None if here is None else dict(chain[here].props),
        known_from=known_from,
    )


def find_known_entity(app: App, namespace: str, name: str, known: datetime | None) -> EntityNamed:
    """Find an entity by name; NotFoundError if nothing was known of it yet at `known` (None: not checked). Errors as of
    `find_entity`."""
    entity = find_entity(app, namespace, name)
    if known is None:
        return entity
    if entity.type in TEXT_NODE_TYPES:
        told = recorded_at(entity.key, EPOCH) <= known
    else:
        told = bool(app.graph.states(namespace, entity.key, epoch_ms(known)))
    if not told:
        raise _nothing_known_error(entity, known)
    return entity


def _nothing_known_error(entity: EntityNamed, known: datetime | None) -> NotFoundError:
    """Return the error that nothing was known of an entity at `known`, or is known now."""
    when = f" at {known:%Y-%m-%d}" if known else ""
    return NotFoundError(
        f"nothing was known of {entity.name}{when}", next_step=f"`pellucid history '{entity.name}'` shows all of it"
    )


def state_at(
    app: App, namespace: str, key: str, at: datetime, known: datetime | None = None
) -> tuple[StateView | None, datetime | None]:
    """Return an entity's state at an instant, as known at another (None: now); None if none was in force. Also return
    since when something is known of it, if that is after the instant, else None."""
    chain = app.graph.states(namespace, key, epoch_ms(known) if known else None)
    here, known_from = _locate(chain, at)
    return next(iter(_state_views(app, namespace, chain, [] if here is None else [here])), None), known_from


def _locate(chain: Sequence[EntityState], at: datetime) -> tuple[int | None, datetime | None]:
    """Return the index of the state in force at an instant, if any; and the chain's beginning, if it is later."""
    wanted = epoch_ms(at)
    here = next((number for number, each in enumerate(chain) if each.valid_from <= wanted < each.valid_until), None)
    return here, datetime_of_ms(chain[0].valid_from) if chain and wanted < chain[0].valid_from else None


def unknown_entities(app: App, namespace: str, text: str, past: PastInstants) -> dict[str, datetime]:
    """Return the names of entities that a text names and that are not known as early as `past.at`, with since when they
    are; empty without `past.at`."""
    out: dict[str, datetime] = {}
    for said in names_in(text) if past.at else ():
        node = app.graph.entity(namespace, said)
        begun = state_at(app, namespace, node.key, past.at, past.known)[1] if node and past.at else None
        if node and begun:
            out[node.name] = begun
    return out


def find_entity(app: App, namespace: str, name: str) -> EntityNamed:
    """Find an entity by its name or alias, or a memory or document by its id, the end of its id, or its path.

    Raises:
        NotFoundError: nothing of that name is known here; names the nearest.
        InputError: the name fits several memories, or several things are called so.
    """
    said = name.strip()
    node = (app.graph.entity(namespace, said) or _node_of_text(app, namespace, said)) if said else None
    if node is None:
        raise unknown_name_error(app, namespace, said)
    own = {node.key, node_key(node.name)}
    alias = node_key(said) not in own and node.type not in TEXT_NODE_TYPES
    return EntityNamed(key=node.key, name=node.name, type=node.type, defined=node.defined, asked=said, alias=alias)


def unknown_name_error(app: App, namespace: str, name: str) -> NotFoundError | InputError:
    """Return the InputError for a name that several entities share; else the NotFoundError, with similar names if there
    are any."""
    if sharing := app.graph.shared(namespace).get(node_key(name)):
        return InputError(
            f'{len(sharing)} things are called "{name}": {", ".join(sharing)}',
            code="ambiguous_id",
            next_step="name the one that is meant",
        )
    names = {each.name.casefold(): each.name for each in app.graph.entities(namespace)}
    near = difflib.get_close_matches(name.casefold(), names, n=NEAREST)
    return NotFoundError(
        f'nothing here is called "{name}"',
        next_step=f"did you mean {', '.join(names[each] for each in near)}?"
        if near
        else f"`pellucid list` shows memories; {field_name('namespace')} names another place",
    )


def _node_of_text(app: App, namespace: str, name: str) -> Node | None:
    """Return the node of a document or memory by its id, the end of it, or its path; None if there is none."""
    for filed in app.graph.documents(namespace):
        if name in document_names(filed):
            return app.graph.entity(namespace, filed.document.entity)
    try:
        return app.graph.entity(namespace, find_memory(app, namespace, name).memory.id)
    except NotFoundError:
        return None


def document_names(filed: FiledDocument) -> tuple[str, ...]:
    """Return the names by which a document can be given: its id, the last ten digits of it, its path, its vault file's
    path."""
    document = filed.document
    return document.id, document.id[-10:], document.path, filed.path


def _state_views(app: App, namespace: str, chain: Sequence[EntityState], shown: Iterable[int]) -> tuple[StateView, ...]:
    """Show the states at the indices `shown` of a chain, with the memories that caused them and their commits."""
    places = list(shown)
    causes = [chain[place].cause for place in places if chain[place].cause]
    served = {each.memory.id: each for each in app.index.memories(namespace, list(dict.fromkeys(causes)))}
    commits = _commits_by_version(app, served.values())
    return tuple(
        _state_view(chain[place], chain[place - 1] if place else None, served.get(chain[place].cause), commits)
        for place in places
    )


def _state_view(
    state: EntityState, before: EntityState | None, cause: Served | None, commits: dict[str, str]
) -> StateView:
    """Show a state: what changed since the state `before` (None: everything is new), and the memory that caused it."""
    was: Mapping[str, str] = before.props if before else {}
    moved = sorted(each for each in {*was, *state.props} if was.get(each) != state.props.get(each))
    return StateView(
        valid_from=datetime_of_ms(state.valid_from) or EPOCH,
        valid_until=None if state.valid_until >= FOREVER else datetime_of_ms(state.valid_until),
        event=state.event,
        props=dict(state.props),
        cause=state.cause or None,
        changed=tuple(Changed(attribute=each, before=was.get(each), after=state.props.get(each)) for each in moved),
        said_in=source_location(cause) if cause else None,
        commit=commits.get(state.cause),
    )


def source_location(served: Served) -> str:
    """Return where a memory's text is written: of a section the document's lines, such as `docs/a.md:3-9`, else its
    file."""
    memory = served.memory
    return memory.evidence[0] if memory.category == "section" and memory.evidence else served.path


def _commits_by_version(app: App, causes: Iterable[Served]) -> dict[str, str]:
    """Return the commit that made each header version, by the version's id, from the documents of these sections;
    versions without a commit and damaged files are left out."""
    paths = sorted({each.path for each in causes if each.memory.category == "section"})
    from pellucid.vault.markdown import FileIdentity, parse  # a recall comes by here, and parses no file

    identity = FileIdentity(HAND_WRITTEN, app.key, app.clock.now())
    out: dict[str, str] = {}
    for head in app.records.heads(paths):
        try:
            document = parse(head.path, head.data, identity).document if head.data is not None else None
        except InputError:  # damaged since it was indexed; `doctor` names it
            continue
        out |= {each.id: each.commit for each in (document.versions if document else ()) if each.commit}
    return out
