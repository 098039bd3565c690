"""A home whose key or ledger was lost in, what that means and how to settle it out; until then nothing is taken in.

Tombstones are rows of the ledger, and only the vault's key can match them. Where either is lost, what was forgotten
could come back with the next import, and nobody would know. So what comes from elsewhere is refused until the loss is
made good, or given up by a person.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from pydantic import Field

from pellucid.app import App
from pellucid.errors import UnhealthyError
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import LossRow, TombstoneRow
from pellucid.model.wire import Wire
from pellucid.operations.operation import Operation, Surfaces
from pellucid.store.local.vault.key import fingerprint
from pellucid.store.records import KeyState, RecordState

ACCEPT = "pellucid doctor --accept-loss"
_KEYS_A_ROW = 500
_KEY = "vault/.pellucid/key"
_KEYS: dict[KeyState, str] = {
    "lost": "the vault's key is missing: no tombstone can be matched without it",
    "damaged": "the vault's key is damaged: no tombstone can be matched without it",
    "changed": "this is not the key that this home's tombstones were made with",
    "restored": "the vault's key was put back since this process opened the home",
}


@dataclass(frozen=True, slots=True)
class Unsettled:
    """One thing that is lost: what, where, what that means, and what to do."""

    check: str
    subject: str
    problem: str
    next_step: str


class AcceptOutput(Wire):
    """What was given up for good, and what could be saved. Nothing was, where `op_id` is None."""

    op_id: str | None = None
    missing: tuple[tuple[int, int], ...] = ()
    set_aside: tuple[str, ...] = Field(default=())
    """Where lines stood that now stand in `YYYY-MM.damaged`, and which files are taken as they are."""
    key: str = ""
    saved: int = 0
    """Tombstones that the index still held, and that are in the ledger again."""


def require_settled(app: App, *, ledger: bool = True) -> None:
    """Go on only if what was forgotten would be known again; without `ledger`, only the key is asked after.

    Raises:
        UnhealthyError: the key or rows of the ledger are lost, damaged or changed, and nobody has settled it.
    """
    state = app.ledger.state()
    if found := [*_of_key(state), *(_of_ledger(state) if ledger else ())]:
        first = found[0]
        raise UnhealthyError(f"{first.subject}: {first.problem}; so nothing was changed", next_step=first.next_step)


def unsettled(app: App) -> Iterator[Unsettled]:
    """Everything that is lost or damaged of the ledger and the key; every line of the ledger is read."""
    state = app.ledger.state(thorough=True)
    yield from _of_key(state)
    yield from _of_ledger(state)


def accept(app: App) -> AcceptOutput:
    """Give up what is lost: from now on the ledger and the key are taken as they are. This cannot be undone.

    Tombstones that the index still holds are written into the ledger again. Those that only lost rows held are gone;
    with a key, all that were made with it: importing what they kept out brings it back.

    Raises:
        UnhealthyError: the key was put back since this process opened the home: open it anew.
    """
    with app.unit_of_work.deciding(None):
        state = app.ledger.state(thorough=True)
        if state.settled:
            return AcceptOutput()
        if state.key == "restored":
            raise UnhealthyError(_KEYS["restored"], next_step="open the home anew")
        saved = _only_indexed(app) if state.missing or state.damaged or state.altered else set[bytes]()
        at, keys = app.clock.now(), tuple(key.hex() for key in sorted(saved))
        tombstones = [
            TombstoneRow(memory_id="", namespace="", at=at, keys=keys[first : first + _KEYS_A_ROW]).to_wire()
            for first in range(0, len(keys), _KEYS_A_ROW)
        ]
        places = *(f"{name}: line {number}" for name, number in state.damaged), *state.altered
        loss = LossRow(at=at, missing=state.missing, damaged=places, key=state.key, keyed_by=fingerprint(app.key).hex())
        op_id = app.unit_of_work.commit("ledger", (), [*tombstones, loss.to_wire()]).op_id
        app.ledger.settle()
    return AcceptOutput(op_id=op_id, missing=state.missing, set_aside=places, key=state.key, saved=len(saved))


def _only_indexed(app: App) -> set[bytes]:
    """The tombstones of the index that the ledger has no more."""
    held = app.lookup.tombstone_keys()
    for row in rows_of_type(app.ledger, TombstoneRow):
        with suppress(ValueError):
            held.difference_update([bytes.fromhex(key) for key in row.keys])
    return held


def _of_key(state: RecordState) -> Iterator[Unsettled]:
    """What is wrong with the vault's key, if anything is."""
    if not state.key:
        return
    step = f"put {_KEY} back from a backup, else `{ACCEPT}`: then importing can bring back what was forgotten before"
    if state.key == "restored":
        step = "open the home anew"
    yield Unsettled("key", _KEY, _KEYS[state.key], step)


def _of_ledger(state: RecordState) -> Iterator[Unsettled]:
    """What is wrong with the ledger, each with the next step."""
    step = f"put vault/.pellucid/ledger back from a backup, else `{ACCEPT}`: then importing can bring back what"
    step += " only they kept out"
    for why in state.problems:
        yield Unsettled("ledger", "vault/.pellucid/ledger", why, step)


class AcceptInput(Wire):
    """Nothing: whatever is lost."""


ACCEPT_LOSS = Operation(
    "home.accept_loss",
    "Give up a lost key, or lost rows of the ledger.",
    AcceptInput,
    AcceptOutput,
    lambda call, _asked: accept(call.app),
    "erase",
    Surfaces(),
    as_it_stands=True,
)
