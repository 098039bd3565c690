"""Forgotten paths in, no trace of them out: no copy beside them, no parked file, no name in the journal."""

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
    """One erasure over the vault and the journal; its caller has the drain lock.

    A path that still has a file (rewritten without the text) keeps its name and loses its earlier digests. A path that
    is gone loses its name, and so do its earlier names: paths that once had the same bytes and are gone.
    """

    vault: files.Vault
    connection: apsw.Connection
    wanted: Collection[str]
    failpoint: Failpoint

    def run(self) -> dict[str, int]:
        """Erase what the vault and the journal keep of former files at the paths, and of these files under other names.

        Copies are deleted; in the journal, the digests of former bytes go, and a path without a file gets a pseudonym.
        Returns counts: files deleted as `displaced`, `leftovers` and `conflicts`, and `names`, journal entries renamed.
        StoreBusyError, before anything is erased, if a change of a path still waits.
        """
        for path in self.wanted:
            if journal.is_waiting(self.connection, path):
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
        """The digests of all bytes that were ever at the paths."""
        return journal.versions(self.connection, self.wanted)

    @cached_property
    def _all_paths(self) -> dict[str, str | None]:
        """Maps each wanted path to the digest of its file (None if it is gone), and each of its earlier names to None.

        Earlier names are paths that once had the same bytes, and are gone.
        """
        earlier = set(journal.paths_of(self.connection, self._versions)) - set(self.wanted)
        gone = (path for path in earlier if not (self._file_digest(path) or journal.is_waiting(self.connection, path)))
        return {path: self._file_digest(path) for path in self.wanted} | dict.fromkeys(gone)

    @cached_property
    def _keys(self) -> set[str]:
        """The `path_key` of each of these paths, which is in the names of its swap files and of those in
        `.pellucid/displaced`.
        """
        return {paths.path_key(path) for path in self._all_paths}

    @cached_property
    def _conflict_stems(self) -> set[tuple[Folder, str]]:
        """The folder and the stem (`conflict_stem`) of the conflict files that each path in `_all_paths` can have."""
        split = (paths.parts(path) for path in self._all_paths)
        return {(tuple(above), paths.conflict_stem(name)) for *above, name in split}

    def _file_digest(self, path: str) -> str | None:
        """Return the digest of the file at a path; None if there is none."""
        content = self.vault.read(path)
        return content and content_digest(content.data)

    def _clear_folder(self, names: Folder, belongs: Belongs) -> int:
        """Delete the files in the folder `names` for whose name `belongs(names, name)` is true; return how many."""
        mine = [name for name in self.vault.names(names) if belongs(names, name)]
        if mine:
            with self.vault.folder(names) as folder:
                for name in mine:
                    os.unlink(name, dir_fd=folder)
                files.sync(folder)
        return len(mine)

    def _is_parked(self, _: Folder, name: str) -> bool:
        """Whether a name in `.pellucid/displaced` is of a replaced file that had one of the paths to be erased, or
        bytes that were ever at one."""
        match = paths.PARKED.fullmatch(name)
        return match is not None and (match["key"] in self._keys or match["digest"] in self._versions)

    def _is_leftover(self, _: Folder, name: str) -> bool:
        """Whether a name is that of a temporary file, or of a swap file of these paths.

        Its process has crashed, as nobody else writes here now.
        """
        match = paths.SWAP.fullmatch(name)
        return paths.TEMP.fullmatch(name) is not None or (match is not None and match["key"] in self._keys)

    def _is_conflict(self, above: Folder, name: str) -> bool:
        """Whether a name in the folder `above` is that of a conflict file, which is one of these paths' or has bytes of
        these versions.
        """
        match = paths.CONFLICT.fullmatch(name)
        return match is not None and (
            (above, match["stem"]) in self._conflict_stems or self._digest(above, name) in self._versions
        )

    def _digest(self, above: Folder, name: str) -> str | None:
        """Return the digest of a file in a folder, `NOT_A_FILE` for a link or the like.

        None if it is gone or may not be read.
        """
        with suppress(PermissionError), self.vault.folder(above) as folder:
            return files.digest(folder, name)
        return None

    def _forget_names(self) -> int:
        """Remove from the journal the earlier digests of the paths that still have a file, and the names of those that
        are gone.

        Return how many entries lost their name.
        """
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
