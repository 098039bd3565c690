"""A vault and its journal's fingerprint in, the vault's key out, and whether it is the one that made the tombstones.

Without the key no tombstone matches, and forgotten memories would come back. So a lost key is never made anew: a
stand-in takes its place, under another name, until the key is put back or a person gives it up.
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
_HEAD = 2_000  # bytes at the start of a file in which an id that we gave stands


def fingerprint(key: bytes) -> bytes:
    """Return 16 bytes that identify a key without revealing it."""
    return hashlib.blake2b(key=key, digest_size=16, person=b"vault key").digest()


@dataclass(frozen=True, slots=True)
class VaultKey:
    """The secret key of one vault, in `.pellucid/key`."""

    vault: Vault

    @property
    def path(self) -> Path:
        """The path of the key file."""
        return self.vault.root / OWN_FOLDER / "key"

    @property
    def _stand_in(self) -> Path:
        """The path of the temporary key that is used while the real one is lost or damaged."""
        return self.path.with_name("key.stand-in")

    def load(self, connection: apsw.Connection) -> bytes:
        """Return the key, created if the vault never had one; `connection` is the journal's.

        If the key is lost or damaged, it is the stand-in, a temporary key; if it was changed, the changed key. If the
        key is right, its fingerprint is recorded in the journal, and the stand-in is deleted. Raises StoreError if a
        file cannot be read or made.
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
        """Return "lost", "damaged" (not 32 bytes) or "changed"; "" if it is right, or if no fingerprint is known.

        The fingerprint to compare with is the journal's, else that of the last ledger row which has one.
        """
        with os_errors_explained(self.path):
            key = self._read_key()
            if key is None:
                return "damaged" if self.path.exists() else "lost"
            expected = journal.key_print(connection) or self._last_fingerprint()
            return "" if expected in (None, fingerprint(key)) else "changed"

    def settle(self, connection: apsw.Connection) -> None:
        """Make the existing key the accepted key of the vault or, if it is missing or damaged, put the temporary key in
        its place.

        The journal records its fingerprint. Raises StoreError if a file cannot be read or written.
        """
        with os_errors_explained(self.path):
            if self._read_key() is None:
                self._make_stand_in()
                os.replace(self._stand_in, self.path)
            with immediate(connection):
                journal.put_key_print(connection, fingerprint(self._read_key() or b""))

    def _read_key(self) -> bytes | None:
        """Read the key file; None if it is missing or has the wrong length."""
        try:
            key = self.path.read_bytes()
        except FileNotFoundError:
            return None
        return key if len(key) == KEY_BYTES else None

    def _is_new(self, connection: apsw.Connection) -> bool:
        """Whether nothing indicates that there ever was a key: no key file, no fingerprint and no turns taken in the
        journal, no ledger, no file with an id of ours.
        """
        if self.path.exists() or journal.key_print(connection) or journal.any_seen(connection):
            return False
        return not ledger_file.months(self._ledger) and not self._has_file_with_our_id()

    def _has_file_with_our_id(self) -> bool:
        """Whether a file of the vault has, in its first 2,000 bytes, an id that Pellucid gave it, here or elsewhere."""
        for stamp in self.vault.walk(_MARKDOWN):
            with suppress(OSError), (self.vault.root / stamp.path).open("rb") as file:
                if _OURS.search(file.read(_HEAD)):
                    return True
        return False

    def _last_fingerprint(self) -> bytes | None:
        """Return the key fingerprint in the last row with `keyedBy` of the ledger's files; None if none or invalid."""
        fingerprints = [str(row["keyedBy"]) for row in ledger_file.read(self._ledger) if row.get("keyedBy")]
        with suppress(ValueError):
            return bytes.fromhex(fingerprints[-1]) if fingerprints else None
        return None

    @property
    def _ledger(self) -> Path:
        """The path of the ledger folder."""
        return self.vault.root / OWN_FOLDER / "ledger"

    def _make_stand_in(self) -> bytes:
        """Return the temporary key, from its file, which is created on first use; if that cannot be, a random key for
        this process.
        """
        with suppress(OSError):
            if not self._stand_in.exists():
                _make_key(self._stand_in)
            return self._stand_in.read_bytes()
        return secrets.token_bytes(KEY_BYTES)


def _make_key(path: Path) -> None:
    """Create a random key file, and its folder if missing; a file that exists or that another process makes first
    stays. Raises OSError.
    """
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
