"""A home in, its list of principals out: `access.json`, readable by its owner alone, written whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from pellucid.errors import StoreError
from pellucid.model.access import AccessList
from pellucid.store.local.database import make_private_folder, os_errors_explained
from pellucid.store.local.lock import exclusive
from pellucid.store.local.vault import files

NAME = "access.json"
_WAIT_S = 10.0


class AccessFile:
    """The list of principals who are allowed to use a home that is served, with the digests of their tokens.

    It is in the home, not in the vault, with which it would go to other machines.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = home / NAME
        self._cached: tuple[tuple[int, int, int], AccessList] | None = None
        self._cache_lock = Lock()

    def known(self) -> AccessList:
        """Return the access list of the home, read from disk again only if the file changed; empty if there is none.

        Raises StoreError if it is unreadable.
        """
        with os_errors_explained(self._path), self._cache_lock:
            try:
                found = os.stat(self._path, follow_symlinks=False)
            except FileNotFoundError:
                return AccessList()
            stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
            if self._cached is None or self._cached[0] != stamp:
                self._cached = stamp, self._read_list()
            return self._cached[1]

    def change(self, update: Callable[[AccessList], AccessList]) -> AccessList:
        """Replace the list by `update(list)`, if it differs, under a lock that excludes other processes.

        Return the new list, on disk by then. Raises StoreBusyError if the lock is held for ten seconds, StoreError if
        it cannot be written.
        """
        with os_errors_explained(self._path):
            make_private_folder(self._home)
        with exclusive(self._home / "access.lock", _WAIT_S), os_errors_explained(self._path):
            before = self._read_list()
            after = update(before)
            if after != before:
                folder = os.open(self._home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                try:
                    data = (after.model_dump_json(by_alias=True, exclude_none=True, indent=2) + "\n").encode()
                    files.replace_whole(folder, NAME, data)
                finally:
                    os.close(folder)
        return after

    def _read_list(self) -> AccessList:
        """Read the file; an empty list if there is none. Raises StoreError if it is damaged."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return AccessList()
        with open(descriptor, "rb") as file:
            data = file.read()
        try:
            return AccessList.model_validate_json(data)
        except ValidationError as error:
            raise StoreError(
                f"{self._path} is damaged, so it is not known who may ask: {error.errors()[0]['msg']}"[:300],
                next_step="put it back from a copy, or remove it and make the tokens anew",
            ) from error
