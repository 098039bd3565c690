"""A home whose key or ledger was lost in, its losses and how to settle them out.

Only the vault's key can match the tombstones in the ledger. If either is lost, an import could bring back forgotten
memories. So imports are refused until the loss is repaired, or accepted by a person.
"""

from collections.abc import Iterator
from contextlib import suppress

from pydantic import Field

from pellucid.app import App
from pellucid.errors import UnhealthyError, step
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import LossRow, TombstoneRow
from pellucid.model.wire import Wire
from pellucid.operations.operation import Operation, Surfaces, Text, in_home
from pellucid.store.local.vault.key import fingerprint
from pellucid.store.records import KeyState, RecordState
from pellucid.xray.words.visible import visible

_KEYS_A_ROW = 500
_KEY = "vault/.pellucid/key"
_KEYS: dict[KeyState, str] = {
    "lost": "the vault's key is missing: no tombstone can be matched without it",
    "damaged": "the vault's key is damaged: no tombstone can be matched without it",
    "changed": "this is not the key that this home's tombstones were made with",
    "restored": "the vault's key was put back since this process opened the home",
}


class HealthFinding(Wire):
    """One problem of a home: the check that found it, what it concerns, what is wrong, and what to do."""

    check: str
    subject: str
    problem: str
    next_step: str


def finding(check: str, subject: str, problem: str, next_step: str) -> HealthFinding:
    """Make a finding of the check named `check`, such as `ledger`, about `subject`, such as a path or an id; with
    invisible characters in `subject` and `problem` made visible. `next_step` says what to do about it."""
    return HealthFinding(check=check, subject=visible(subject), problem=visible(problem), next_step=next_step)


class AcceptOutput(Wire):
    """What was given up for good, and what could be saved; `op_id` is None if nothing was lost."""

    op_id: str | None = None
    missing: tuple[tuple[int, int], ...] = ()
    set_aside: tuple[str, ...] = Field(default=())
    """The places of lines that were moved to `YYYY-MM.damaged`, and the altered files that are accepted as they are."""
    key: str = ""
    saved: int = 0
    """Tombstones that the ledger had lost, and that were written back from the index."""


def require_settled(app: App, *, ledger: bool = True) -> None:
    """Raise UnhealthyError if the vault's key was lost, damaged, changed or put back, or the ledger lost or damaged, so
    that forgotten memories could come back unrecognised. With `ledger=False`, check only the key."""
    state = app.ledger.state()
    if losses := [*_key_losses(state), *(_ledger_losses(state) if ledger else ())]:
        first = losses[0]
        raise UnhealthyError(f"{first.subject}: {first.problem}; so nothing was changed", next_step=first.next_step)


def find_losses(app: App) -> Iterator[HealthFinding]:
    """Read the whole ledger, and yield a finding for a key (by which forgotten texts are known again) that is lost,
    damaged, changed or was put back, and for each problem of the ledger."""
    state = app.ledger.state(thorough=True)
    yield from _key_losses(state)
    yield from _ledger_losses(state)


def accept_loss(app: App, _request: object = None) -> AcceptOutput:
    """Give up what is lost: from now on the ledger and the key are accepted as they are. This cannot be undone. If
    nothing is lost, nothing is written.

    Tombstones that the index still has are written into the ledger again. All others are gone (after the loss of the
    key all that were made with that key), so that importing can bring back the memories that they kept out.

    Raises:
        UnhealthyError: the key was put back since this process opened the home.
    """
    with app.unit_of_work.deciding(None):
        state = app.ledger.state(thorough=True)
        if state.settled:
            return AcceptOutput()
        if state.key == "restored":
            raise UnhealthyError(_KEYS["restored"], next_step="open the home anew")
        saved = _tombstones_only_in_index(app) if state.missing or state.damaged or state.altered else set[bytes]()
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


def _tombstones_only_in_index(app: App) -> set[bytes]:
    """Return the keys of the tombstones that are in the index and not in the ledger."""
    keys = app.lookup.tombstone_keys()
    for row in rows_of_type(app.ledger, TombstoneRow):
        with suppress(ValueError):
            keys.difference_update([bytes.fromhex(key) for key in row.keys])
    return keys


def _key_losses(state: RecordState) -> Iterator[HealthFinding]:
    """Yield a finding if the vault's key is lost, damaged, changed, or was put back."""
    if not state.key:
        return
    accept = step("home.doctor", accept_loss=True)
    cure = f"put {_KEY} back from a backup, else {accept}: then importing can bring back what was forgotten before"
    if state.key == "restored":
        cure = "open the home anew"
    yield finding("key", _KEY, _KEYS[state.key], cure)


def _ledger_losses(state: RecordState) -> Iterator[HealthFinding]:
    """Yield a finding for each problem of the ledger."""
    accept = step("home.doctor", accept_loss=True)
    cure = f"put vault/.pellucid/ledger back from a backup, else {accept}: then importing can bring back what"
    cure += " only they kept out"
    for why in state.problems:
        yield finding("ledger", "vault/.pellucid/ledger", why, cure)


class AcceptInput(Wire):
    """No fields: everything that is lost is given up."""


ACCEPT_LOSS = Operation(
    "home.accept_loss",
    "Give up a lost key, or lost rows of the ledger.",
    AcceptInput,
    AcceptOutput,
    in_home(accept_loss),
    "erase",
    Surfaces(),
    text=Text("everyday.accepted_loss_text"),
    as_it_stands=True,
)
