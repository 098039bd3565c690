"""A vault and what its journal knows in, the vault's key out, and whether it is the one that tombstones were made with.

Without the key no tombstone matches, and what was forgotten would come back. So it is never made anew where there was
one: a stand-in takes its place, under another name, until the key is put back or a person gives it up.
"""

import hashlib
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from pellucid.store.local import journal
from pellucid.store.local.database import immediate, make_private_folder, os_errors_explained
from pellucid.store.local.ledger import file as ledger_file
from pellucid.store.local.vault.files import Vault
from pellucid.store.local.vault.paths import OWN_FOLDER
from pellucid.store.records import KeyState

KEY_BYTES = 32
_OURS = re.compile(rb"^id: (?:mem|ep|doc)_[0-9a-f]{32}\r?$", re.MULTILINE)
_MARKDOWN = re.compile(r"\A.+\.md")
_HEAD = 2_000
"""Bytes at the start of a file in which an id that we gave stands."""


def fingerprint(key: bytes) -> bytes:
    """Sixteen bytes that tell one key from another, and nothing of it."""
    return hashlib.blake2b(key=key, digest_size=16, person=b"vault key").digest()


@dataclass(frozen=True, slots=True)
class VaultKey:
    """The key of one vault."""

    vault: Vault

    @property
    def path(self) -> Path:
        """Where it stands."""
        return self.vault.root / OWN_FOLDER / "key"

    @property
    def _stand_in(self) -> Path:
        return self.path.with_name("key.stand-in")

    def load(self, connection: apsw.Connection) -> bytes:
        """The key; made, where there never was one; where it is lost or damaged, its stand-in.

        Raises:
            StoreError: it cannot be read, or a new one cannot be written.
        """
        with os_errors_explained(self.path):
            if self._read_key() is None and self._is_new(connection):
                _make_key(self.path)
            if self.state(connection):
                return self._read_key() or self._make_stand_in()
            key = self._read_key() or b""
            if journal.key_print(connection) is None:
                with immediate(connection):
                    journal.put_key_print(connection, fingerprint(key))
            self._stand_in.unlink(missing_ok=True)
            return key

    def state(self, connection: apsw.Connection) -> KeyState:
        """What is wrong with it."""
        with os_errors_explained(self.path):
            key = self._read_key()
            if key is None:
                return "damaged" if self.path.exists() else "lost"
            known = journal.key_print(connection) or self._last_print()
            return "" if known in (None, fingerprint(key)) else "changed"

    def settle(self, connection: apsw.Connection) -> None:
        """From now on the key that is there is the vault's; where there is none, its stand-in."""
        with os_errors_explained(self.path):
            if self._read_key() is None:
                self._make_stand_in()
                os.replace(self._stand_in, self.path)
            with immediate(connection):
                journal.put_key_print(connection, fingerprint(self._read_key() or b""))

    def _read_key(self) -> bytes | None:
        """The key, None if there is none that could be one."""
        try:
            key = self.path.read_bytes()
        except FileNotFoundError:
            return None
        return key if len(key) == KEY_BYTES else None

    def _is_new(self, connection: apsw.Connection) -> bool:
        """Whether nothing here says that there ever was a key."""
        if self.path.exists() or journal.key_print(connection) or journal.any_seen(connection):
            return False
        return not ledger_file.months(self._ledger) and not self._holds_ours()

    def _holds_ours(self) -> bool:
        """Whether a file of the vault has an id that we gave it, here or elsewhere."""
        for stamp in self.vault.walk(_MARKDOWN):
            with suppress(OSError), (self.vault.root / stamp.path).open("rb") as file:
                if _OURS.search(file.read(_HEAD)):
                    return True
        return False

    def _last_print(self) -> bytes | None:
        """The fingerprint that the newest tombstone of the ledger names; None where none does."""
        said = [str(row["keyedBy"]) for row in ledger_file.read(self._ledger) if row.get("keyedBy")]
        with suppress(ValueError):
            return bytes.fromhex(said[-1]) if said else None
        return None

    @property
    def _ledger(self) -> Path:
        return self.vault.root / OWN_FOLDER / "ledger"

    def _make_stand_in(self) -> bytes:
        """The stand-in; where none can be written, one for this process alone."""
        with suppress(OSError):
            if not self._stand_in.exists():
                _make_key(self._stand_in)
            return self._stand_in.read_bytes()
        return secrets.token_bytes(KEY_BYTES)


def _make_key(path: Path) -> None:
    """A new key at a path where none stands; another process that is faster makes it."""
    make_private_folder(path.parent)
    draft = path.with_name(f"key-{secrets.token_hex(8)}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
