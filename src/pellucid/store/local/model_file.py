"""A place for a JSON file and its empty content in, the content out: checked when read, written whole or not at all."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from pellucid.errors import StoreError
from pellucid.store.local.database import os_errors_explained
from pellucid.store.local.vault import files

Content = TypeVar("Content", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelFile(Generic[Content]):
    """A file of mode 0600 that holds one model as JSON; a link in its place is not followed."""

    root: files.Vault
    above: tuple[str, ...]
    """The names of the folders between the root and the file."""
    name: str
    empty: Content
    """The content without a file."""
    unknown: str
    """What is not known while the file cannot be read, for its error."""
    next_step: str

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.root.root.joinpath(*self.above, self.name)

    def read(self) -> Content:
        """Return the content; `empty` without a file. Raises StoreError if the file is damaged or cannot be read."""
        with os_errors_explained(self.path):
            try:
                with self.root.folder(self.above) as folder:
                    found = files.read(folder, self.name)
                    if found is None and files.digest(folder, self.name) is not None:
                        raise self._error("is no plain file")
            except FileNotFoundError:
                found = None
        if found is None:
            return self.empty
        try:
            return type(self.empty).model_validate_json(found.data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise self._error(f"is damaged: {where}: {first['msg']}"[:300]) from error

    def change(self, update: Callable[[Content], Content]) -> Content:
        """Replace the content by `update(present content)`, if that differs; return the new content, which is on disk
        by then.

        The folder must exist, and the caller excludes other writers. Raises StoreError if it cannot be read or written.
        """
        before = self.read()
        after = update(before)
        if after != before:
            text = after.model_dump_json(by_alias=True, exclude_none=True, indent=2)
            with os_errors_explained(self.path), self.root.folder(self.above) as folder:
                files.replace_whole(folder, self.name, f"{text}\n".encode())
        return after

    def _error(self, why: str) -> StoreError:
        """Make the error for a file that cannot be used; `why` completes the sentence "<path> …"."""
        return StoreError(f"{self.path} {why}, so it is not known {self.unknown}", next_step=self.next_step)
