"""The name of a thing in, its chain of states over time out, each with its cause."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pydantic import Field

from pellucid.app import HAND_WRITTEN, App
from pellucid.clock import EPOCH, epoch_ms
from pellucid.errors import InputError, NotFoundError, field_name, step
from pellucid.model.entity import FOREVER, EntityState, EventType, node_key
from pellucid.model.memory import recorded_at
from pellucid.model.wire import Instant, Wire
from pellucid.operations.browsing import find_memory
from pellucid.operations.instants import PastInstants, datetime_of_ms, past_instants
from pellucid.recall.query.entities import names_in
from pellucid.store.graph_port import FiledDocument, Node
from pellucid.store.index_port import Served

NEAREST = 3
"""The maximum number of names offered instead of an unknown name."""
TEXT_NODE_TYPES = frozenset({"Memory", "Episode"})
"""Types of nodes that are texts and have no states."""


class EntityNamed(Wire):
    """A thing of the graph, and the name that was asked for."""

    key: str
    name: str
    type: str
    defined: bool
    """Whether a file defines it; else files only mention it."""
    asked: str
    alias: bool = False
    """Whether `asked` is an alias of it."""


class Changed(Wire):
    """One attribute whose value changed at the beginning of a state; None is no value."""

    attribute: str
    before: str | None = None
    after: str | None = None


class StateView(Wire):
    """The properties of a thing over `[validFrom, validUntil)`, and the cause of their change."""

    valid_from: Instant
    valid_until: Instant | None = None
    """None if the state has no end yet."""
    event: EventType
    props: dict[str, str] = Field(default_factory=dict)
    changed: tuple[Changed, ...] = ()
    cause: str | None = None
    """The memory whose claim began it."""
    said_in: str | None = None
    """The location of that memory's text: `path:lines` of a document, or the memory's file."""
    commit: str | None = None
    """The commit that made the change, if it comes from the history of a repository."""


class EntityHistoryOutput(Wire):
    """The states of a thing, oldest first; with `asOf`, only the state in force then, if any."""

    entity: EntityNamed
    states: tuple[StateView, ...]
    holds: dict[str, str] | None = None
    """Its properties at the instant asked about (by default now); None if no state is in force then."""
    known_from: Instant | None = None
    """The beginning of its first state, if the instant asked about lies before it."""
    as_of: Instant | None = None
    as_known_at: Instant | None = None


def history_of_entity(
    app: App, namespace: str, name: str, as_of: datetime | None = None, as_known_at: datetime | None = None
) -> EntityHistoryOutput:
    """Return all states of an entity, oldest first, or only the state in force at `as_of`, if any; with `as_known_at`,
    by the records until then. NotFoundError if nothing has the name (an id or path does, too), or the entity has no
    state; InputError if several things have the name, and for an instant in the future."""
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


def find_known_entity(app: App, namespace: str, name: str, known_at: datetime | None) -> EntityNamed:
    """Find an entity by name, or a memory or document by its id or path. NotFoundError if nothing has the name, or
    nothing was recorded of it by `known_at` (None: not checked); InputError if several things have the name."""
    entity = find_entity(app, namespace, name)
    if known_at is None:
        return entity
    if entity.type in TEXT_NODE_TYPES:
        was_known = recorded_at(entity.key, EPOCH) <= known_at
    else:
        was_known = bool(app.graph.states(namespace, entity.key, epoch_ms(known_at)))
    if not was_known:
        raise _nothing_known_error(entity, known_at)
    return entity


def _nothing_known_error(entity: EntityNamed, known_at: datetime | None) -> NotFoundError:
    """Return the error that nothing was known of an entity at `known_at` (None: now)."""
    when = f" at {known_at:%Y-%m-%d}" if known_at else ""
    return NotFoundError(
        f"nothing was known of {entity.name}{when}",
        next_step=f"{step('memory.history', name=entity.name)} shows all of it",
    )


def state_at(
    app: App, namespace: str, key: str, at: datetime, known_at: datetime | None = None
) -> tuple[StateView | None, datetime | None]:
    """Return the state of the entity with this key at an instant, as known at `known_at` (None: now); None if no state
    was in force. Also return the beginning of its first state if that is after the instant, else None."""
    chain = app.graph.states(namespace, key, epoch_ms(known_at) if known_at else None)
    here, known_from = _locate(chain, at)
    return next(iter(_state_views(app, namespace, chain, [] if here is None else [here])), None), known_from


def _locate(chain: Sequence[EntityState], at: datetime) -> tuple[int | None, datetime | None]:
    """Return the index of the state that is in force at an instant in `chain` (an entity's states, oldest first), None
    if there is none; and the beginning of the first state if that is after the instant, else None."""
    at_ms = epoch_ms(at)
    here = next((number for number, each in enumerate(chain) if each.valid_from <= at_ms < each.valid_until), None)
    return here, datetime_of_ms(chain[0].valid_from) if chain and at_ms < chain[0].valid_from else None


def unknown_entities(app: App, namespace: str, text: str, past: PastInstants) -> dict[str, datetime]:
    """Return a map from the names of those entities in a text whose first state begins after `past.at` to the beginning
    of that state, as known at `past.known`; empty without `past.at`. The person who asks is told them; that documents
    began later is said in the context (`recall.context.abstain.with_unknown_history`)."""
    known_from: dict[str, datetime] = {}
    for name in names_in(text) if past.at else ():
        node = app.graph.entity(namespace, name)
        begin = state_at(app, namespace, node.key, past.at, past.known)[1] if node and past.at else None
        if node and begin:
            known_from[node.name] = begin
    return known_from


def find_entity(app: App, namespace: str, name: str) -> EntityNamed:
    """Find an entity by its name or alias, or a memory or document by its id, the last ten digits of the id, or its
    path. A document is found as the entity that it defines.

    Raises:
        NotFoundError: nothing of the namespace has that name; the next step offers up to three similar names.
        InputError: several memories or several things have that name.
    """
    name = name.strip()
    node = (app.graph.entity(namespace, name) or _node_of_text(app, namespace, name)) if name else None
    if node is None:
        raise unknown_name_error(app, namespace, name)
    own_keys = {node.key, node_key(node.name)}
    alias = node_key(name) not in own_keys and node.type not in TEXT_NODE_TYPES
    return EntityNamed(key=node.key, name=node.name, type=node.type, defined=node.defined, asked=name, alias=alias)


def unknown_name_error(app: App, namespace: str, name: str) -> NotFoundError | InputError:
    """Return the error for a name that no single entity has: an InputError if several entities share it, else a
    NotFoundError, with similar names if there are any."""
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
        else f"{step('memory.list')} shows memories; {field_name('namespace')} names another place",
    )


def _node_of_text(app: App, namespace: str, name: str) -> Node | None:
    """Return the node of the entity that a document defines, or of a memory, by the id, its last ten digits, or the
    path; None if there is none. InputError if several memories fit."""
    for filed in app.graph.documents(namespace):
        if name in document_names(filed):
            return app.graph.entity(namespace, filed.document.entity)
    try:
        return app.graph.entity(namespace, find_memory(app, namespace, name).memory.id)
    except NotFoundError:
        return None


def document_names(filed: FiledDocument) -> tuple[str, ...]:
    """Return the names by which a document can be asked for: its id, the last ten digits of the id, its path, and its
    vault file's path."""
    document = filed.document
    return document.id, document.id[-10:], document.path, filed.path


def _state_views(app: App, namespace: str, chain: Sequence[EntityState], shown: Iterable[int]) -> tuple[StateView, ...]:
    """Convert those states of `chain` (an entity's states, oldest first) whose indices are in `shown` into their output
    form, in the order of `shown`, with the memories and commits that caused them."""
    indices = list(shown)
    causes = [chain[at].cause for at in indices if chain[at].cause]
    served = {each.memory.id: each for each in app.index.memories(namespace, list(dict.fromkeys(causes)))}
    commits = _commits_by_version(app, served.values())
    return tuple(
        _state_view(chain[at], chain[at - 1] if at else None, served.get(chain[at].cause), commits) for at in indices
    )


def _state_view(
    state: EntityState, before: EntityState | None, cause: Served | None, commits: dict[str, str]
) -> StateView:
    """Convert a state into its output form, with the changes since the state `before` (None: all properties are new),
    and with `cause`, the memory that caused it (None if it is gone or unknown). `commits` maps the ids of causes to
    commits."""
    was: Mapping[str, str] = before.props if before else {}
    changed = sorted(each for each in {*was, *state.props} if was.get(each) != state.props.get(each))
    return StateView(
        valid_from=datetime_of_ms(state.valid_from) or EPOCH,
        valid_until=None if state.valid_until >= FOREVER else datetime_of_ms(state.valid_until),
        event=state.event,
        props=dict(state.props),
        cause=state.cause or None,
        changed=tuple(Changed(attribute=each, before=was.get(each), after=state.props.get(each)) for each in changed),
        said_in=source_location(cause) if cause else None,
        commit=commits.get(state.cause),
    )


def source_location(served: Served) -> str:
    """Return the location of a memory's text: the document's lines, such as `docs/a.md:3-9`, for a section, else the
    path of the memory's file."""
    memory = served.memory
    return memory.evidence[0] if memory.category == "section" and memory.evidence else served.path


def _commits_by_version(app: App, causes: Iterable[Served]) -> dict[str, str]:
    """Return a map from the ids of header versions to the commits that made them, from the documents of those `causes`
    that are sections; versions without a commit, and files that are damaged or may not be read, are left out."""
    paths = sorted({each.path for each in causes if each.memory.category == "section"})
    from pellucid.vault.markdown import FileIdentity, parse  # imported late, since recalls import this module

    identity = FileIdentity(HAND_WRITTEN, app.key, app.clock.now())
    commits: dict[str, str] = {}
    for path in paths:
        try:
            data = app.records.heads([path])[0].data
            document = parse(path, data, identity).document if data is not None else None
        except InputError:  # damaged or locked since it was indexed; `doctor` names it
            continue
        commits |= {each.id: each.commit for each in (document.versions if document else ()) if each.commit}
    return commits
