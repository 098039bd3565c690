"""A session or an agent in, a home without a byte of what was its own out; or a preview of that."""

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
from pellucid.operations.operation import Operation, Surfaces
from pellucid.operations.remains import Remainder, finish_erasures, mark_erasure_begun, mark_erasure_finished, scrub
from pellucid.operations.settling import require_settled
from pellucid.store.local.hooked import HookedSessions
from pellucid.store.records import FileRemoval, content_digest


class EraseInput(SubjectInput):
    """Whose data is to go."""

    preview: Preview = True


class EraseOutput(ForgetOutput):
    """What goes, or went. `places` counts rows of history by their table, too."""

    shared: tuple[str, ...] = ()
    """How many memories of the subject stay, since other sources are evidence for them, too."""


def preview_erase_subject(app: App, request: EraseInput) -> EraseOutput:
    """Return what `erase_subject` would erase, counted by place; nothing is changed."""
    held = find_owned(app, subject_of(request))
    places = Counter(table for table, _ in app.traces.rows(held.subject, held.recall_ids))
    places |= Counter(turns=len(held.turns), episodes=len(held.episodes))
    plan = preview_plan(app, plan_erasure(app, request.namespace, held.memories)) if held.memories else None
    return _output(held, plan, places, done=False)


def erase_subject(app: App, request: EraseInput) -> EraseOutput:
    """Erase all that belongs to a session or an agent alone, to the last byte. Safe to repeat. Memories also supported
    by others stay; so do ids in the ledger, which holds no words."""
    subject = subject_of(request)
    require_settled(app, ledger=False)
    with app.unit_of_work.deciding(None):
        finish_erasures(app)
        held = first = find_owned(app, subject)
        mark_erasure_begun(app)
        places = Counter(app.traces.erase(subject, held.recall_ids))
        places["turns"] = app.spool.drop([each.key for each in held.turns])
        places["hooks"] = _forget_hooks(app, subject.session_id)
        gone: ForgetOutput | None = None
        while held.memories:
            done = carry_out_erasure(app, plan_erasure(app, subject.namespace, held.memories[:ROUND]), "purge")
            gone = add_outcomes(gone, done) if gone else done
            held = find_owned(app, subject)
        remains = _finish(app, held, places, gone.remains if gone else ())
    return _output(first, gone, places, done=True, remains=remains)


def _forget_hooks(app: App, session_id: str | None) -> int:
    """Delete the hook records of a session; return how many there were, 0 for None."""
    sessions = HookedSessions(app.settings.home)
    told = [each for each in sessions.known() if each.session_id == session_id]
    for each in told:
        sessions.drop(each)
    return len(told)


def _finish(app: App, held: Owned, places: Counter[str], remains: tuple[Remainder, ...]) -> tuple[Remainder, ...]:
    """Remove the subject's episodes that have no memories left (counted in `places`), and scrub every store. `remains`
    is what forgetting has left so far. Return what is left now; if nothing, the erasure is marked finished."""
    heads = {each.path: each for each in app.records.heads([each.path for each in held.episodes])}
    kept = {each.memory.episode_id for each in app.index.memories(held.subject.namespace)}
    removals = [
        FileRemoval(each.path, content_digest(data))
        for each in held.episodes
        if each.episode.id not in kept and not each.episode.members and (data := heads[each.path].data) is not None
    ]
    op_id, paths = "", [each.path for each in removals]
    if removals:
        op_id = app.unit_of_work.commit("purge", (), (), removals=removals).op_id
        places["episodes"] += len(removals)
    if removals or not remains:
        _, remains = scrub(app, held.subject.namespace, op_id, paths, 0, dict(places))
    if not remains:
        mark_erasure_finished(app)
    return remains


def _output(
    held: Owned,
    forgotten: ForgetOutput | None,
    places: Counter[str],
    *,
    done: bool,
    remains: tuple[Remainder, ...] = (),
) -> EraseOutput:
    """Build the output: what was or would be forgotten (None: no memory), and the other items, counted by place."""
    base = forgotten or ForgetOutput(done=done, memories=(), places={})
    given = {"done": done, "places": dict(Counter(base.places) + places), "remains": remains}
    shared = tuple(each.memory.id for each in held.shared)
    return EraseOutput.model_validate({**base.model_dump(), **given, "shared": shared})


ERASE_DATA = Operation(
    "data.erase",
    "Erase all that is kept of a session or an agent, for good.\n\n"
    "Its recalls, what became of them, turns that wait, episodes, and the memories that come from it alone.\n",
    EraseInput,
    EraseOutput,
    lambda call, asked: (preview_erase_subject if asked.preview else erase_subject)(call.app, asked),
    "erase",
    Surfaces("data erase", http=("POST /v1/data/erase",)),
    failure=remains_error,
    needs="admin",
    span="delete_memory",
)
