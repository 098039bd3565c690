"""A vault in, its registry of projects out: `.pellucid/projects.json`, written whole or not at all."""

from collections.abc import Callable
from pathlib import Path

from pellucid.errors import field_name
from pellucid.model.project import ProjectRegistry
from pellucid.store.local.database import os_errors_explained
from pellucid.store.local.model_file import ModelFile
from pellucid.store.local.vault import files, paths

NAME = "projects.json"


class ProjectFile:
    """The project roots with their namespaces. Part of the record: it cannot be rebuilt from other files.

    It is in the vault, beside key and ledger: a vault that moves takes it along.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = files.Vault(vault)
        unknown = "which folder is which project's"
        step = f"put it right or back from a copy; {field_name('namespace')} works without it"
        self._file = ModelFile(self._vault, (paths.OWN_FOLDER,), NAME, ProjectRegistry(), unknown, step)

    def known(self) -> ProjectRegistry:
        """Return all project roots with their namespaces; empty without a file. Raises StoreError if unreadable."""
        return self._file.read()

    def change(self, update: Callable[[ProjectRegistry], ProjectRegistry]) -> ProjectRegistry:
        """Replace the registry by `update(registry)`, if it differs, holding the vault's lock.

        Return the new registry. Raises StoreError if that fails.
        """
        with os_errors_explained(self._file.path), self._vault.locked():
            return self._file.change(update)
