"""A session or an agent in, a home without a byte of its own data out; or a preview of that."""

from collections import Counter

from pellucid.app import App
from pellucid.operations.data.subject import Owned, SubjectInput, find_owned, subject_of
from pellucid.operations.memory.forgetting import (
    ROUND,
    ForgetOutput,
    Preview,
    add_outcomes,
    carry_out_erasure,
    plan_erasure,
    preview_plan,
    remains_error,
)
from pellucid.operations.operation import Operation, Surfaces, Text, in_home
from pellucid.operations.remains import Remainder, finish_erasures, mark_erasure_begun, mark_erasure_finished, scrub
from pellucid.operations.settling import require_settled
from pellucid.store.local.hooked import HookedSessions
from pellucid.store.records import FileRemoval, content_digest


class EraseInput(SubjectInput):
    """The session or agent whose data to erase."""

    preview: Preview = True


class EraseOutput(ForgetOutput):
    """What was or would be erased. `places` counts rows of history by their table, too."""

    shared: tuple[str, ...] = ()
    """The ids of the subject's memories that stay, since other sessions are evidence for them, too."""


def preview_erase_subject(app: App, request: EraseInput) -> EraseOutput:
    """Return what `erase_subject` would erase, counted by place; nothing is changed. InputError unless the request
    names exactly one of a session and an agent."""
    owned = find_owned(app, subject_of(request))
    places = Counter(table for table, _ in app.traces.rows(owned.subject, owned.recall_ids))
    places |= Counter(turns=len(owned.turns), episodes=len(owned.episodes))
    plan = preview_plan(app, plan_erasure(app, request.namespace, owned.memories)) if owned.memories else None
    return _output(owned, plan, places, done=False)


def erase_subject(app: App, request: EraseInput) -> EraseOutput:
    """Erase all that belongs to a session or an agent alone, to the last byte, and return what was erased, counted by
    place; erasures begun before are finished first. Safe to repeat.

    Memories for which other sessions are evidence, too, stay; so do ids in the ledger. InputError unless the request
    names exactly one of a session and an agent; UnhealthyError, changing nothing, if the vault's key is lost."""
    subject = subject_of(request)
    require_settled(app, ledger=False)
    with app.unit_of_work.deciding(None):
        finish_erasures(app)
        owned = first = find_owned(app, subject)
        mark_erasure_begun(app)
        places = Counter(app.traces.erase(subject, owned.recall_ids))
        places["turns"] = app.spool.drop([each.key for each in owned.turns])
        places["hooks"] = _delete_hook_records(app, subject.session_id)
        erased: ForgetOutput | None = None
        while owned.memories:
            done = carry_out_erasure(app, plan_erasure(app, subject.namespace, owned.memories[:ROUND]), "purge")
            erased = add_outcomes(erased, done) if erased else done
            owned = find_owned(app, subject)
        remains = _finish(app, owned, places, erased.remains if erased else ())
    return _output(first, erased, places, done=True, remains=remains)


def _delete_hook_records(app: App, session_id: str | None) -> int:
    """Delete the hook records of a session, of every program and namespace; return the number of deleted records, 0 if
    `session_id` is None."""
    sessions = HookedSessions(app.settings.home)
    records = [each for each in sessions.known() if each.session_id == session_id]
    for record in records:
        sessions.drop(record)
    return len(records)


def _finish(app: App, owned: Owned, places: Counter[str], remains: tuple[Remainder, ...]) -> tuple[Remainder, ...]:
    """Remove the subject's episodes that have no memories left, add their number to `places`, and scrub every store
    (overwrite the bytes). `remains` are the places that forgetting could not scrub so far: if there are some and no
    episode was removed, they are returned without another try. Return the places that are left now; if there are none,
    the erasure is marked as finished.
    """
    heads = {each.path: each for each in app.records.heads([each.path for each in owned.episodes])}
    remaining = {each.memory.episode_id for each in app.index.memories(owned.subject.namespace)}
    removals = [
        FileRemoval(each.path, content_digest(data))
        for each in owned.episodes
        if each.episode.id not in remaining and not each.episode.members and (data := heads[each.path].data) is not None
    ]
    op_id, paths = "", [each.path for each in removals]
    if removals:
        op_id = app.unit_of_work.commit("purge", (), (), removals=removals).op_id
        places["episodes"] += len(removals)
    if removals or not remains:
        _, remains = scrub(app, owned.subject.namespace, op_id, paths, 0, dict(places))
    if not remains:
        mark_erasure_finished(app)
    return remains


def _output(
    owned: Owned,
    forget_output: ForgetOutput | None,
    places: Counter[str],
    *,
    done: bool,
    remains: tuple[Remainder, ...] = (),
) -> EraseOutput:
    """Build the output from that of forgetting the memories (None: there were none) and `places`, the counts of other
    items by place; its own counts are the sums of both. `owned` has the memories shared with others; `done` is False
    for a preview; `remains` are the places that could not be scrubbed."""
    base = forget_output or ForgetOutput(done=done, memories=(), places={})
    fields = {"done": done, "places": dict(Counter(base.places) + places), "remains": remains}
    shared = tuple(each.memory.id for each in owned.shared)
    return EraseOutput.model_validate({**base.model_dump(), **fields, "shared": shared})


ERASE_DATA = Operation(
    "data.erase",
    "Erase all that is kept of a session or an agent, for good.\n\n"
    "Its recalls, what became of them, turns that wait, episodes, and the memories that come from it alone.\n",
    EraseInput,
    EraseOutput,
    in_home(erase_subject, preview=preview_erase_subject),
    "erase",
    Surfaces("data erase", http=("POST /v1/data/erase",)),
    text=Text("memory.changes.erasure_text", excerpts=True, carry_out={"preview": False}),
    failure=remains_error,
    needs="admin",
    span="delete_memory",
)
