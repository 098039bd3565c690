"""A session or an agent in, its own data in a home out: its memories, episodes, waiting turns and recalls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.errors import InputError
from pellucid.model.memory import Memory
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag
from pellucid.recall.receipt.record import unpack
from pellucid.store.history.traces_port import Subject
from pellucid.store.index_port import Served
from pellucid.store.lookup_port import FiledEpisode
from pellucid.store.spool_port import SpooledTurn


class SubjectInput(Wire):
    """The subject of data: a session or an agent, in the namespace of the call."""

    namespace: str
    session_id: Annotated[str | None, Flag("All of this session.", "--session")] = None
    agent: Annotated[str | None, Flag("All of this agent.")] = None


@dataclass(frozen=True, slots=True)
class Owned:
    """What belongs to a subject in its namespace, but for rows of the history."""

    subject: Subject
    memories: Sequence[Served]
    """Memories that come from the subject alone."""
    shared: Sequence[Served]
    """Memories of the subject for which other sessions are evidence, too."""
    episodes: Sequence[FiledEpisode]
    turns: Sequence[SpooledTurn]
    recall_ids: Sequence[str]
    """The ids of recalls that only their receipts show to be the subject's."""


def subject_of(request: SubjectInput) -> Subject:
    """Return the session (its id redacted, as it is stored) or agent that a request names; InputError unless it names
    exactly one."""
    if bool(request.session_id) == bool(request.agent):
        raise InputError(
            "name a session or an agent, one of the two", code="missing_subject", next_step="nothing was looked at"
        )
    session = redact(request.session_id).text if request.session_id else None
    return Subject(request.namespace, session, request.agent or None)


def find_owned(app: App, subject: Subject) -> Owned:
    """Find what a subject's namespace keeps of it, but for rows of the history (`Traces.rows`): memories with evidence
    from its sessions alone, memories `shared` with other sessions, episodes, turns in the spool, and those recalls of
    an agent that only their receipts show to be the agent's. The sessions of an agent are those of its memories.
    Sections of documents belong to nobody. StoreError if a receipt cannot be read."""
    memories = [each for each in app.index.memories(subject.namespace) if _is_owned(subject, each.memory)]
    sessions = {"", *(each.memory.session_id or "" for each in memories)}
    alone = [each for each in memories if sessions.issuperset(_sessions_in_evidence(each.memory))]
    ids = {each.memory.id for each in alone}
    episodes = app.lookup.episodes(subject.namespace)
    return Owned(
        subject,
        memories=alone,
        shared=[each for each in memories if each.memory.id not in ids],
        episodes=[each for each in episodes if _matches(subject, each.episode.session_id, each.episode.agent)],
        turns=_waiting_turns(app, subject),
        recall_ids=_unattributed_recalls(app, subject) if subject.agent else (),
    )


def _is_owned(subject: Subject, memory: Memory) -> bool:
    """Whether a memory has the subject's session or agent (`_matches`); never for a section of a document."""
    return memory.category != "section" and _matches(subject, memory.session_id, memory.agent)


def _matches(subject: Subject, session_id: str | None, agent: str | None) -> bool:
    """Whether a record with this session and agent belongs to the subject: by its session if the subject is a session,
    else by its agent."""
    return session_id == subject.session_id if subject.session_id else agent == subject.agent


def _sessions_in_evidence(memory: Memory) -> set[str]:
    """Return the ids of the sessions in a memory's evidence, which is written `session:first-last`; "" for evidence
    without a colon."""
    return {each.rpartition(":")[0] for each in memory.evidence}


def _waiting_turns(app: App, subject: Subject) -> list[SpooledTurn]:
    """Return the subject's turns that wait in the spool, grouped by session."""
    waiting = [each.session_id for each in app.spool.waiting(subject.namespace)]
    return [
        turn
        for session_id in waiting
        for turn in app.spool.held(subject.namespace, session_id)
        if _matches(subject, session_id, turn.turn.agent)
    ]


def _unattributed_recalls(app: App, subject: Subject) -> list[str]:
    """Return the ids of the recalls of which the history has a receipt but no event (which would name the agent), and
    whose receipts name the subject's agent; StoreError if a receipt cannot be read."""
    found = app.traces.unattributed(subject.namespace)
    return [recall_id for recall_id, packed in found if unpack(packed).state.request.agent == subject.agent]
