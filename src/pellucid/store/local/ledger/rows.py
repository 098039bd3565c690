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
"""Among the recorded months, this one means that something is wrong or was never checked: no file matches it."""
_INDEXED = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'ledgerSeq'"


class LocalLedger:
    """See `Ledger`. It shares the vault and the journal's connections with `LocalRecords`."""

    def __init__(self, vault: Vault, connection: Callable[[], apsw.Connection]) -> None:
        """`connection` returns this thread's connection to the journal; nothing is read yet."""
        self._vault = vault
        self._connection = connection
        self._vault_key = VaultKey(vault)
        self._key = b""

    @property
    def folder(self) -> Path:
        """The path of the folder of ledger files."""
        return self._vault.root.joinpath(*LEDGER)

    def key(self) -> bytes:
        """Return the vault's key, created on first use; if it is lost or damaged, a temporary one (`VaultKey.load`).

        A changed key is returned as it is. Raises StoreError if it can be neither read nor made.
        """
        self._key = self._vault_key.load(self._connection())
        return self._key

    def continue_numbering(self, index: Path) -> None:
        """Ensure that new rows get numbers above those in the files and, in a new journal, those seen by the index.

        `index` is the path of `index.db`, which need not exist. If a new journal is beside an index that saw rows, the
        next `state` reads the whole ledger.
        """
        connection = self._connection()
        if journal.has_numbered_rows(connection):
            self._raise_number_after_files(connection)
            return
        with os_errors_explained(self.folder), immediate(connection):
            if not journal.has_numbered_rows(connection):  # another process may have been faster
                indexed = _last_indexed(index)
                journal.start_ledger(connection, max(ledger_file.last_seq(self.folder), indexed))
                journal.put_filed(connection, [_NONE] if indexed else [])

    def _raise_number_after_files(self, connection: apsw.Connection) -> None:
        """Raise the next number above the greatest in the files, as when a vault comes to an old journal.

        Nothing is read or changed if the files are as recorded (`is_as_filed`).
        """
        with os_errors_explained(self.folder):
            if ledger_check.is_as_filed(self.folder, journal.filed(connection)):
                return
            last = ledger_file.last_seq(self.folder)
            if last > journal.ledger_number(connection):
                with immediate(connection):
                    journal.raise_ledger_number(connection, last)

    def rows(self, after: int = 0) -> Iterator[LedgerRow]:
        """Yield the ledger rows with a `seq` above `after`, in that order, also those that still wait in the journal to
        be written to a file. Damaged lines are skipped.
        """
        with os_errors_explained(self.folder):
            yield from ledger_file.read(self.folder, journal.waiting_ledger(self._connection()), after)

    def state(self, *, thorough: bool = False) -> RecordState:
        """Return what is wrong with the ledger and the key; `thorough` reads files even if they look unchanged.

        The key is `restored` if it is right now, and was not when `key` was last called. If files were read, the
        journal (unless read-only) records their states if nothing is wrong, else that they must be read again. Raises
        StoreBusyError if the vault stays locked for 30 seconds.
        """
        connection = self._connection()
        key = self._vault_key.state(connection)
        if not key and self._key and self._vault_key.load(connection) != self._key:
            key = "restored"
        with os_errors_explained(self.folder):
            if not thorough and ledger_check.is_as_filed(self.folder, journal.filed(connection)):
                return RecordState(key=key)
            if connection.readonly("main"):  # a home that may only be read is looked through as it stands
                survey = self._survey(connection)
                return RecordState(survey.missing, survey.damaged, survey.altered, key)
            with self._vault.locked():
                survey = self._survey(connection)
                with suppress(StoreError):  # no room to write it down: it is looked through again
                    self._remember_survey(connection, survey)
        return RecordState(survey.missing, survey.damaged, survey.altered, key)

    def settle(self) -> None:
        """Accept ledger and key as they are; a row of the kind `loss` must have given up the missing rows before.

        Damaged lines move to `YYYY-MM.damaged`, and the temporary key in use replaces a missing or damaged one; the
        journal records the files' states and the key's fingerprint. Raises StoreBusyError if the vault stays locked for
        30 seconds.
        """
        connection = self._connection()
        with os_errors_explained(self.folder), self._vault.locked():
            survey = self._survey(connection)
            if survey.damaged:
                with self._vault.folder(LEDGER) as folder:
                    ledger_check.set_aside(folder, self.folder, survey.damaged)
                    sync(folder)
            with immediate(connection):
                journal.drop_filed(connection)
                journal.put_filed(connection, self._survey(connection).holds)
        self._vault_key.settle(connection)

    def _survey(self, connection: apsw.Connection) -> LedgerSurvey:
        """Read the whole ledger and compare it with the states and numbers that the journal has recorded; return the
        result.
        """
        given = journal.ledger_number(connection)  # before the waiting rows: others may acknowledge more meanwhile
        return ledger_check.survey(self.folder, journal.waiting_ledger(connection), journal.filed(connection), given)

    def _remember_survey(self, connection: apsw.Connection, survey: LedgerSurvey) -> None:
        """Record the state of each file in the journal if the whole ledger is sound; else mark the recorded states as
        `wanting`, so that the files are read again.

        In the first case, also raise the next number above the last one read.
        """
        with immediate(connection):
            if survey.whole:
                journal.drop_filed(connection)
                journal.put_filed(connection, survey.holds)
                journal.raise_ledger_number(connection, survey.last)
            else:
                known = journal.filed(connection).values()
                journal.put_filed(connection, (replace(each, wanting=True) for each in (*known, _NONE)))


def _last_indexed(index: Path) -> int:
    """Return the number of the last ledger row that the index has seen.

    0 if there is no index, or it cannot be read.
    """
    if not index.exists():
        return 0
    with suppress(StoreError, apsw.Error), closing(connect(index, synchronous="NORMAL", readonly=True)) as connection:
        rows = execute(connection, _INDEXED)
        return int(rows[0][0]) if rows else 0
    return 0
