"""A file taken from its path in; parked, put back or kept beside it out: the user's bytes are never lost."""

import os
import re
import secrets
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from pellucid.store.local.failpoint import Failpoint
from pellucid.store.local.vault import files, paths, syscalls
from pellucid.store.local.vault.conflict import Pending

YARD = (paths.OWN_FOLDER, "displaced")
UNKNOWN = "displaced.md"  # where a displaced file belongs whose path no journal remembers
_ATTEMPTS = 7  # an editor that saves more often than this between two system calls meets a conflict file instead


class Displaced:
    """The files that a drain moves away, the paths of `conflicts` made so far, and the `dirty` folders to be synced."""

    def __init__(self, vault: files.Vault, failpoint: Failpoint) -> None:
        """Begin with no conflicts and no folder to be synced; `failpoint` is called at each step."""
        self.conflicts: list[str] = []
        self.dirty: set[tuple[str, ...]] = set()
        self._vault = vault
        self._failpoint = failpoint

    def judge(self, folder: int, pending: Pending, swap: str) -> bool:
        """Decide about the file taken from a path, now named `swap` in an open `folder`; return whether it was the one
        to be replaced.

        If its digest is one that the change expects, or the new one, it is moved to `.pellucid/displaced` (`park`).
        Otherwise it is a save that an editor made between our check and the rename: it is put back (`_put_back`).
        """
        digest = files.digest(folder, swap)
        if digest is not None and digest in pending.expected | {pending.new_hash}:
            self.park(folder, swap, pending.path, digest)
            return True
        self._put_back(folder, pending, swap)
        return False

    def _put_back(self, folder: int, pending: Pending, swap: str) -> None:
        """Return the user's file `swap` to its path, from which it was taken by mistake.

        The two are exchanged until our own file comes out, which goes to `.pellucid/displaced`: any other is a newer
        save of the user, and goes back. If our file is not out after 7 attempts, what came out last becomes a conflict
        file. If nothing is at the path, as after a removal, `swap` is renamed to it.
        """
        *above, name = paths.parts(pending.path)
        self.dirty.add(tuple(above))
        standing = pending.ours
        for _ in range(_ATTEMPTS):
            newest = files.digest(folder, swap)
            try:
                syscalls.exchange(folder, swap, name)
            except FileNotFoundError:
                if self._return_file(folder, swap, name):
                    return
                continue
            self._failpoint("put-back")
            if files.digest(folder, swap) in standing:
                break
            standing = frozenset({newest or files.NOT_A_FILE})
        last_digest = files.digest(folder, swap)
        if last_digest is not None and last_digest in pending.ours:
            self.park(folder, swap, pending.path, last_digest)
        else:
            self.keep(folder, swap, pending.path)

    def _return_file(self, folder: int, swap: str, name: str) -> bool:
        """Rename the file `swap` back to `name`; False if another file has that name by now."""
        try:
            syscalls.create(folder, swap, name)
        except FileExistsError:
            return False
        return True

    def park(self, folder: int, name: str, path: str, digest: str) -> None:
        """Move a file with this digest from an open `folder` to `.pellucid/displaced`, since an editor can still write
        to it (see `settle`).

        `path` is where it was in the vault; a key of it becomes part of its name.
        """
        with self._vault.folder(YARD, create=True) as yard:
            os.rename(name, paths.parked_name(path, digest), src_dir_fd=folder, dst_dir_fd=yard)
        self.dirty |= {YARD, paths.parts(path)[:-1]}
        self._failpoint("parked")

    def keep(self, folder: int, name: str, path: str, digest: str | None = None) -> None:
        """Turn the file `name` of an open `folder` into a conflict file beside `path`, named by `digest` or by its own
        digest.

        Its path is added to `conflicts`. Without a digest, an unreadable file is named at random; so is one whose names
        are all taken by other files. If the same bytes were kept there before, the file goes to `.pellucid/displaced`
        instead.
        """
        *above, file_name = paths.parts(path)
        content = files.digest(folder, name)
        random = secrets.token_hex(32)
        if content is None or content == files.NOT_A_FILE:
            content = random
        candidates = paths.conflict_names(file_name, digest or content) + paths.conflict_names(file_name, random)
        with self._vault.folder(tuple(above), create=True) as beside:
            conflict_name = next(each for each in candidates if self._claim_name(folder, name, beside, each, content))
            if files.digest(folder, name) == content:  # the same bytes were kept there before
                self.park(folder, name, path, content)
        self.conflicts.append("/".join((*above, conflict_name)))
        self.dirty |= {YARD, tuple(above)}
        self._failpoint("conflict-kept")

    @staticmethod
    def _claim_name(folder: int, name: str, beside: int, candidate: str, content: str) -> bool:
        """Move the file `name` to `candidate` in the folder `beside`; return whether its bytes are there now.

        If the name is taken, nothing is moved, and the answer is whether the bytes there have the digest `content`. The
        folders are open descriptors.
        """
        try:
            syscalls.create(folder, name, candidate, beside)
        except FileExistsError:
            return files.digest(beside, candidate) == content
        return True

    def settle(self, older_than: float, known_paths: Callable[[], Iterable[str]]) -> None:
        """Delete the replaced files kept in `.pellucid/displaced` for longer than `older_than` seconds; those that were
        written to become conflict files.

        The age is counted from when a file was moved or changed last. An editor that had it open can have written to
        it: then its digest is not the one in its name. `known_paths` returns the paths that the files can belong to.
        """
        parked = [match for name in self._vault.names(YARD) if (match := paths.PARKED.fullmatch(name))]
        if not parked:
            return
        changed: list[re.Match[str]] = []
        newest = time.time() - older_than
        with self._vault.folder(YARD) as yard:
            for match in parked:
                if os.stat(match[0], dir_fd=yard, follow_symlinks=False).st_ctime > newest:
                    continue
                if files.digest(yard, match[0]) == match["digest"]:
                    os.unlink(match[0], dir_fd=yard)
                else:
                    changed.append(match)
        self._keep_changed(changed, known_paths)
        self._failpoint("displaced-settled")

    def _keep_changed(self, changed: list[re.Match[str]], known_paths: Callable[[], Iterable[str]]) -> None:
        """Make conflict files of the files in `.pellucid/displaced` that were written to (given as matches of their
        names), beside the paths that they came from.

        A file from a path that `known_paths` does not return becomes a conflict file of `displaced.md` at the vault's
        root.
        """
        if not changed:
            return
        path_of = {paths.path_key(path): path for path in known_paths()}
        with self._vault.folder(YARD) as yard:
            for match in changed:
                self.keep(yard, match[0], path_of.get(match["key"], UNKNOWN))
        self.sync_folders()

    def sync_folders(self) -> None:
        """Flush the folders in `dirty` to the disk, and forget them; those that are gone are skipped."""
        for names in self.dirty:
            with suppress(FileNotFoundError), self._vault.folder(names) as folder:
                files.sync(folder)
        self.dirty.clear()
