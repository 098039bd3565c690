"""A session or an agent in, a home without a byte of what was its own out; or a preview of that."""

from collections import Counter

from pellucid.app import App
from pellucid.operations.data.subject import Owned, SubjectInput, owned, subject_of
from pellucid.operations.memory.forgetting import (
    ForgetOutput,
    Preview,
    carry_out,
    failure_of,
    plan_of,
    preview_of,
)
from pellucid.operations.operation import Operation, Surfaces
from pellucid.operations.remains import Remainder, begin, end, finish, scrub
from pellucid.operations.settling import require_settled
from pellucid.store.local.hooked import HookedSessions
from pellucid.store.records import FileRemoval, content_digest

_ALL_AT_ONCE = 500


class EraseInput(SubjectInput):
    """Whose data is to go."""

    preview: Preview = True


class EraseOutput(ForgetOutput):
    """What goes, or went. `places` counts rows of history by their table, too."""

    shared: tuple[str, ...] = ()
    """Memories of it that stay, for others bear them out, too."""


def preview_erase(app: App, request: EraseInput) -> EraseOutput:
    """What `erase` would take; nothing is changed.

    Raises:
        InputError: neither a session nor an agent is named, or both are.
    """
    held = owned(app, subject_of(request))
    places = Counter(table for table, _ in app.traces.rows(held.subject, held.recall_ids))
    places |= Counter(turns=len(held.turns), episodes=len(held.episodes))
    plan = preview_of(app, plan_of(app, request.namespace, held.memories)) if held.memories else None
    return _output(held, plan, places, done=False)


def erase(app: App, request: EraseInput) -> EraseOutput:
    """Take away all that is a session's or an agent's own: no byte of it stays in the home. Safe to repeat.

    Memories that others bear out, too, stay. So do the ids of its session in the ledger, which holds no words.

    Raises:
        InputError: neither a session nor an agent is named, or both are.
        NoRoomError: there is not even room to write down what goes.
        UnhealthyError: the vault's key is lost or changed.
    """
    subject = subject_of(request)
    require_settled(app, ledger=False)
    with app.unit_of_work.deciding(None):
        finish(app)
        held = first = owned(app, subject)
        begin(app)
        places = Counter(app.traces.erase(subject, held.recall_ids))
        places["turns"] = app.spool.drop([each.key for each in held.turns])
        places["hooks"] = _forget_hooks(app, subject.session_id)
        gone: ForgetOutput | None = None
        while held.memories:
            gone = _joined(gone, carry_out(app, plan_of(app, subject.namespace, held.memories[:_ALL_AT_ONCE]), "purge"))
            held = owned(app, subject)
        remains = _finished(app, held, places, gone.remains if gone else ())
    return _output(first, gone, places, done=True, remains=remains)


def _forget_hooks(app: App, session_id: str | None) -> int:
    """Drop what hooks told of a session; how many records that were."""
    sessions = HookedSessions(app.settings.home)
    told = [each for each in sessions.known() if each.session_id == session_id]
    for each in told:
        sessions.drop(each)
    return len(told)


def _finished(app: App, held: Owned, places: Counter[str], remains: tuple[Remainder, ...]) -> tuple[Remainder, ...]:
    """Take away the episodes of which no memory is left, and every remainder."""
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
        end(app)
    return remains


def _joined(before: ForgetOutput | None, done: ForgetOutput) -> ForgetOutput:
    """Two rounds of forgetting as one; `before` is None in the first."""
    if before is None:
        return done
    return done.model_copy(
        update={
            "memories": (*before.memories, *done.memories),
            "places": dict(Counter(before.places) + Counter(done.places)),
            "tombstones": before.tombstones + done.tombstones,
            "restored": (*before.restored, *done.restored),
        }
    )


def _output(
    held: Owned,
    forgotten: ForgetOutput | None,
    places: Counter[str],
    *,
    done: bool,
    remains: tuple[Remainder, ...] = (),
) -> EraseOutput:
    """The answer: what was forgotten, if anything was, and what else of a session's own was taken, by place."""
    base = forgotten or ForgetOutput(done=done, memories=(), places={})
    given = {"done": done, "places": dict(Counter(base.places) + places), "remains": remains}
    shared = tuple(each.memory.id for each in held.shared)
    return EraseOutput.model_validate({**base.model_dump(), **given, "shared": shared})


ERASE_DATA = Operation(
    "data.erase",
    """Erase all that is kept of a session or an agent, for good.

Its recalls, what became of them, turns that wait, episodes, and the memories that come from it alone.
""",
    EraseInput,
    EraseOutput,
    lambda call, asked: (preview_erase if asked.preview else erase)(call.app, asked),
    "erase",
    Surfaces("data erase", http=("POST /v1/data/erase",)),
    failure=failure_of,
    needs="admin",
    span="delete_memory",
)
