"""A vault in, its registry of projects out: `.pellucid/projects.json`, written whole or not at all."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from pellucid.errors import StoreError, field_name
from pellucid.model.project import ProjectRegistry
from pellucid.store.local.database import os_errors_explained
from pellucid.store.local.vault import files, paths

NAME = "projects.json"


class ProjectFile:
    """The project roots with their namespaces. Part of the record: it cannot be rebuilt from other files.

    It is in the vault, beside key and ledger: a vault that moves takes it along.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = files.Vault(vault)

    def known(self) -> ProjectRegistry:
        """Return all project roots with their namespaces; empty without a file. Raises StoreError if unreadable."""
        with os_errors_explained(self._path):
            try:
                with self._vault.folder((paths.OWN_FOLDER,)) as folder:
                    return self._read_registry(folder)
            except FileNotFoundError:
                return ProjectRegistry()

    def change(self, update: Callable[[ProjectRegistry], ProjectRegistry]) -> ProjectRegistry:
        """Replace the registry by `update(registry)`, if it differs, holding the vault's lock.

        Return the new registry. Raises StoreError if that fails.
        """
        with os_errors_explained(self._path), self._vault.locked(), self._vault.folder((paths.OWN_FOLDER,)) as folder:
            before = self._read_registry(folder)
            after = update(before)
            if after != before:
                files.replace_whole(folder, NAME, (after.model_dump_json(by_alias=True, indent=2) + "\n").encode())
        return after

    def _read_registry(self, folder: int) -> ProjectRegistry:
        """Read the file from the open `.pellucid` folder; empty if there is none. Raises StoreError if damaged."""
        content = files.read(folder, NAME)
        if content is None:
            if files.digest(folder, NAME) is None:
                return ProjectRegistry()
            raise _unreadable_error(self._path, "is no plain file")
        try:
            return ProjectRegistry.model_validate_json(content.data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise _unreadable_error(self._path, f"is damaged: {where}: {first['msg']}"[:300]) from error

    @property
    def _path(self) -> Path:
        """The path of `projects.json`."""
        return self._vault.root / paths.OWN_FOLDER / NAME


def _unreadable_error(path: Path, why: str) -> StoreError:
    """Make the error for a registry file that cannot be used; `why` completes the sentence "<path> …"."""
    return StoreError(
        f"{path} {why}, so it is not known which folder is which project's",
        next_step=f"put it right or back from a copy; {field_name('namespace')} works without it",
    )
