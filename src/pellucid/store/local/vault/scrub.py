"""Paths that were forgotten in, nothing of them out: no copy beside them, no parked file, no name in the journal."""

import os
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import apsw

from pellucid.errors import StoreBusyError
from pellucid.store.local import journal
from pellucid.store.local.database import immediate
from pellucid.store.local.failpoint import Failpoint
from pellucid.store.local.vault import files, paths
from pellucid.store.local.vault.displaced import YARD
from pellucid.store.records import content_digest

Folder = tuple[str, ...]
Belongs = Callable[[Folder, str], bool]


@dataclass(frozen=True)
class Scrub:
    """One run over the vault and the journal; its caller holds the drain lock.

    A path that still has a file (it was written anew, without the text) keeps its name, and loses its past. A path
    that is gone loses its name, and so do those that once held the same bytes and are gone: its earlier names.
    """

    vault: files.Vault
    connection: apsw.Connection
    wanted: Collection[str]
    failpoint: Failpoint

    def run(self) -> dict[str, int]:
        """Erase every copy of what stood at the paths, in the vault and the journal; how much, by place.

        Raises:
            StoreBusyError: something still waits for one of the paths.
        """
        for path in self.wanted:
            if journal.waits(self.connection, path):
                raise StoreBusyError(
                    "a change of a path that is to be erased still waits", next_step="drain first, then repeat"
                )
        erased = Counter(displaced=self._clear_folder(YARD, self._is_parked))
        self.failpoint("yard-scrubbed")
        for folder in sorted({(), *(paths.parts(path)[:-1] for path in self._all_paths)}):
            erased["leftovers"] += self._clear_folder(folder, self._is_leftover)
            erased["conflicts"] += self._clear_folder(folder, self._is_conflict)
        self.failpoint("folders-scrubbed")
        erased["names"] = self._forget_names()
        self.failpoint("names-scrubbed")
        return dict(erased)

    @cached_property
    def _versions(self) -> set[str]:
        return journal.versions(self.connection, self.wanted)

    @cached_property
    def _all_paths(self) -> dict[str, str | None]:
        """The paths and their earlier names, each with the digest of its file if there is one."""
        earlier = set(journal.paths_of(self.connection, self._versions)) - set(self.wanted)
        gone = (path for path in earlier if not (self._standing(path) or journal.waits(self.connection, path)))
        return {path: self._standing(path) for path in self.wanted} | dict.fromkeys(gone)

    @cached_property
    def _keys(self) -> set[str]:
        return {paths.path_key(path) for path in self._all_paths}

    @cached_property
    def _conflict_stems(self) -> set[tuple[Folder, str]]:
        split = (paths.parts(path) for path in self._all_paths)
        return {(tuple(above), paths.conflict_stem(name)) for *above, name in split}

    def _standing(self, path: str) -> str | None:
        content = self.vault.read(path)
        return content and content_digest(content.data)

    def _clear_folder(self, names: Folder, belongs: Belongs) -> int:
        mine = [name for name in self.vault.names(names) if belongs(names, name)]
        if mine:
            with self.vault.folder(names) as folder:
                for name in mine:
                    os.unlink(name, dir_fd=folder)
                files.sync(folder)
        return len(mine)

    def _is_parked(self, _: Folder, name: str) -> bool:
        match = paths.PARKED.fullmatch(name)
        return match is not None and (match["key"] in self._keys or match["digest"] in self._versions)

    def _is_leftover(self, _: Folder, name: str) -> bool:
        """Whether a dead process left it: nobody else writes here now."""
        match = paths.SWAP.fullmatch(name)
        return paths.TEMP.fullmatch(name) is not None or (match is not None and match["key"] in self._keys)

    def _is_conflict(self, above: Folder, name: str) -> bool:
        match = paths.CONFLICT.fullmatch(name)
        return match is not None and (
            (above, match["stem"]) in self._conflict_stems or self._digest(above, name) in self._versions
        )

    def _digest(self, above: Folder, name: str) -> str | None:
        with suppress(PermissionError), self.vault.folder(above) as folder:
            return files.digest(folder, name)
        return None

    def _forget_names(self) -> int:
        """Drop from the journal what these paths were called and held; how many names."""
        with immediate(self.connection):
            for path, digest in self._all_paths.items():
                if digest is not None:
                    journal.forget_versions(self.connection, path, digest)
            gone = (
                path
                for path, digest in self._all_paths.items()
                if digest is None and not paths.PSEUDONYM.fullmatch(path)
            )
            return sum(journal.rename(self.connection, path, paths.pseudonym()) for path in gone)
