"""A vault and its journal in, the ledger's rows out, and whether any of them, or the key, was lost: `Ledger`."""

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import apsw

from pellucid.errors import StoreError
from pellucid.store.local import journal
from pellucid.store.local.database import connect, execute, immediate, os_errors_explained
from pellucid.store.local.journal import FiledMonth
from pellucid.store.local.ledger import check as ledger_check
from pellucid.store.local.ledger import file as ledger_file
from pellucid.store.local.ledger.check import LedgerSurvey
from pellucid.store.local.vault import paths
from pellucid.store.local.vault.files import Vault, sync
from pellucid.store.local.vault.key import VaultKey
from pellucid.store.records import LedgerRow, RecordState

LEDGER = (paths.OWN_FOLDER, "ledger")
_NONE = FiledMonth("", 0, b"", wanting=True)
"""Stands among the months where something is known to be amiss, or was never looked at: no file fits it."""
_INDEXED = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'ledgerSeq'"


class LocalLedger:
    """See `Ledger`. It shares the vault and the journal's connections with `LocalRecords`."""

    def __init__(self, vault: Vault, connection: Callable[[], apsw.Connection]) -> None:
        self._vault = vault
        self._connection = connection
        self._vault_key = VaultKey(vault)
        self._key = b""

    @property
    def folder(self) -> Path:
        """Where its files stand."""
        return self._vault.root.joinpath(*LEDGER)

    def key(self) -> bytes:
        """The vault's key, made on first use; a stand-in where `state` says that it is lost or damaged.

        Raises:
            StoreError: it cannot be read or written.
        """
        self._key = self._vault_key.load(self._connection())
        return self._key

    def go_on_counting(self, index: Path) -> None:
        """Number no row as one that stands in the files, nor, in a new journal, as one that an index has seen."""
        connection = self._connection()
        if journal.counts_ledger(connection):
            self._go_on_after_others(connection)
            return
        with os_errors_explained(self.folder), immediate(connection):
            if not journal.counts_ledger(connection):  # another process may have been faster
                journal.start_ledger(connection, max(ledger_file.last_seq(self.folder), _last_indexed(index)))
                journal.put_filed(connection, [_NONE] if _last_indexed(index) else [])

    def _go_on_after_others(self, connection: apsw.Connection) -> None:
        """Rows may have come with the vault: an older journal beside it must not give their numbers again."""
        with os_errors_explained(self.folder):
            if ledger_check.is_as_filed(self.folder, journal.filed(connection)):
                return
            last = ledger_file.last_seq(self.folder)
            if last > journal.ledger_number(connection):
                with immediate(connection):
                    journal.go_on_from(connection, last)

    def rows(self, after: int = 0) -> Iterator[LedgerRow]:
        with os_errors_explained(self.folder):
            yield from ledger_file.read(self.folder, journal.waiting_ledger(self._connection()), after)

    def state(self, *, thorough: bool = False) -> RecordState:
        """What is wrong with the ledger and the key; `thorough` reads it even if its files look untouched."""
        connection = self._connection()
        key = self._vault_key.state(connection)
        if not key and self._key and self._vault_key.load(connection) != self._key:
            key = "restored"
        with os_errors_explained(self.folder):
            if not thorough and ledger_check.is_as_filed(self.folder, journal.filed(connection)):
                return RecordState(key=key)
            if connection.readonly("main"):  # a home that may only be read is looked through as it stands
                found = self._survey(connection)
                return RecordState(found.missing, found.damaged, found.altered, key)
            with self._vault.locked():
                found = self._survey(connection)
                with suppress(StoreError):  # no room to write it down: it is looked through again
                    self._remember_survey(connection, found)
        return RecordState(found.missing, found.damaged, found.altered, key)

    def settle(self) -> None:
        """Take the ledger as it is from now on: damaged lines are set aside, what is missing is given up."""
        connection = self._connection()
        with os_errors_explained(self.folder), self._vault.locked():
            found = self._survey(connection)
            if found.damaged:
                with self._vault.folder(LEDGER) as folder:
                    ledger_check.set_aside(folder, self.folder, found.damaged)
                    sync(folder)
            with immediate(connection):
                journal.drop_filed(connection)
                journal.put_filed(connection, self._survey(connection).holds)
        self._vault_key.settle(connection)

    def _survey(self, connection: apsw.Connection) -> LedgerSurvey:
        given = journal.ledger_number(connection)  # before the waiting rows: others may acknowledge more meanwhile
        return ledger_check.survey(self.folder, journal.waiting_ledger(connection), journal.filed(connection), given)

    def _remember_survey(self, connection: apsw.Connection, found: LedgerSurvey) -> None:
        """Keep what each file holds where the whole ledger is sound; else mark the known files as to be read again.

        What was known of a file stays known: only so is it seen to be whole again, or not.
        """
        with immediate(connection):
            if found.whole:
                journal.drop_filed(connection)
                journal.put_filed(connection, found.holds)
                journal.go_on_from(connection, found.last)
            else:
                known = journal.filed(connection).values()
                journal.put_filed(connection, (replace(each, wanting=True) for each in (*known, _NONE)))


def _last_indexed(index: Path) -> int:
    """The last row of the ledger that an index has seen; 0 if there is none that can be read."""
    if not index.exists():
        return 0
    with suppress(StoreError, apsw.Error), closing(connect(index, synchronous="NORMAL", readonly=True)) as connection:
        rows = execute(connection, _INDEXED)
        return int(rows[0][0]) if rows else 0
    return 0
