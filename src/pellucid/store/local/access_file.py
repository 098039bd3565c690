"""A home in, its list of those who may ask out: `access.json`, its owner's alone, written whole or not at all."""

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
    """See `AccessStore`. It lies in the home, not in the vault, with which it would go to other machines."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._read_at: tuple[tuple[int, int, int], AccessList] | None = None
        self._one = Lock()

    def known(self) -> AccessList:
        with os_errors_explained(self._home / NAME), self._one:
            try:
                found = os.stat(self._home / NAME, follow_symlinks=False)
            except FileNotFoundError:
                return AccessList()
            stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
            if self._read_at is None or self._read_at[0] != stamp:
                self._read_at = stamp, self._read_list()
            return self._read_at[1]

    def change(self, how: Callable[[AccessList], AccessList]) -> AccessList:
        path = self._home / NAME
        with os_errors_explained(path):
            make_private_folder(self._home)
        with exclusive(self._home / "access.lock", _WAIT_S), os_errors_explained(path):
            before = self._read_list()
            after = how(before)
            if after != before:
                folder = os.open(self._home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                try:
                    data = (after.model_dump_json(by_alias=True, exclude_none=True, indent=2) + "\n").encode()
                    files.replace_whole(folder, NAME, data)
                finally:
                    os.close(folder)
        return after

    def _read_list(self) -> AccessList:
        path = self._home / NAME
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return AccessList()
        with open(descriptor, "rb") as file:
            data = file.read()
        try:
            return AccessList.model_validate_json(data)
        except ValidationError as error:
            raise StoreError(
                f"{path} is damaged, so it is not known who may ask: {error.errors()[0]['msg']}"[:300],
                next_step="put it back from a copy, or remove it and make the tokens anew",
            ) from error
