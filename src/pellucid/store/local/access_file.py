"""A home in, its list of principals out: `access.json`, readable by its owner alone, written whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from pellucid.model.access import AccessList
from pellucid.store.local.database import os_errors_explained
from pellucid.store.local.lock import exclusive
from pellucid.store.local.model_file import ModelFile
from pellucid.store.local.vault.files import Vault

NAME = "access.json"
_WAIT_S = 10.0


class AccessFile:
    """The list of principals who are allowed to use a home that is served, with the digests of their tokens.

    It is in the home, not in the vault, with which it would go to other machines.
    """

    def __init__(self, home: Path) -> None:
        step = "put it back from a copy, or remove it and make the tokens anew"
        self._file = ModelFile(Vault(home), (), NAME, AccessList(), "who may ask", step)
        self._cached: tuple[tuple[int, int, int], AccessList] | None = None
        self._cache_lock = Lock()

    def known(self) -> AccessList:
        """Return the access list of the home, read from disk again only if the file changed; empty if there is none.

        Raises StoreError if it is unreadable.
        """
        with os_errors_explained(self._file.path), self._cache_lock:
            try:
                found = os.stat(self._file.path, follow_symlinks=False)
            except FileNotFoundError:
                return AccessList()
            stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
            if self._cached is None or self._cached[0] != stamp:
                self._cached = stamp, self._file.read()
            return self._cached[1]

    def change(self, update: Callable[[AccessList], AccessList]) -> AccessList:
        """Replace the list by `update(list)`, if that differs, under a lock that excludes other processes.

        Return the new list, on disk by then. Raises StoreBusyError if the lock is held for ten seconds, StoreError if
        the file cannot be read or written.
        """
        with exclusive(self._file.path.with_name("access.lock"), _WAIT_S):
            return self._file.change(update)
