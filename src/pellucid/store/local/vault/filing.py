"""Waiting changes in, files out: each batch is written, synced, renamed and judged, by the recovery table.

The journal owns what waits and what was settled (`Settled`), the vault what a path is; each uses the other's types.
The bytes of a change stay in the journal until they are written: a function loads them, a change at a time.
"""

import errno
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby

from pellucid.store.local.failpoint import Failpoint
from pellucid.store.local.journal import DamagedEntryError, Settled
from pellucid.store.local.vault import files, paths, syscalls
from pellucid.store.local.vault.conflict import Pending, pending_review, verdict
from pellucid.store.local.vault.displaced import UNKNOWN, Displaced

_ATTEMPTS = 8
_SYNC_EACH = 16  # up to here, syncing each file is cheaper than syncing the whole file system
_HOPELESS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE})
_STATES = {"filed": "FILED", "deleted": "DELETED", "conflict": "CONFLICT"}


@dataclass(frozen=True, slots=True)
class _Staged:
    """A waiting change with its complete temporary file, if one is needed, and the name that must be synced."""

    pending: Pending
    temp: str | None
    to_sync: str | None


class VaultDrain:
    """The work of one drain on the vault; its caller holds the drain lock.

    `blocked` maps paths that could not be reached (a link or a file is in the way, a folder is not writable) to the
    reason, `damaged` those whose bytes the journal has lost to the error; they keep waiting.
    """

    def __init__(
        self, vault: files.Vault, displaced: Displaced, payload: Callable[[Pending], bytes], failpoint: Failpoint
    ) -> None:
        """Prepare a drain into `vault`. `displaced` judges files that were taken from their paths, `payload` loads the
        bytes of a waiting change, `failpoint` is called with the name of each step.
        """
        self.blocked: dict[str, str] = {}
        self.damaged: dict[str, DamagedEntryError] = {}
        self._vault = vault
        self._displaced = displaced
        self._payload = payload
        self._failpoint = failpoint

    def recover(self, waiting: Sequence[Pending]) -> None:
        """Clean up what a crashed process left in the folders of these paths.

        Incomplete temporary files are deleted. A swap file, which was being exchanged with its path, is moved to
        `.pellucid/displaced` or put back (`Displaced.judge`) or, if no change of its path waits, becomes a conflict
        file. A folder that cannot be reached goes into `blocked`.
        """
        by_key = {paths.path_key(each.path): each for each in waiting}
        for above in sorted({paths.parts(each.path)[:-1] for each in waiting}):
            with self._record_if_blocked("/".join(above)):
                for name in self._vault.names(above):
                    self._recover_one(above, name, by_key)
        self._displaced.sync_folders()

    def _recover_one(self, above: tuple[str, ...], name: str, by_key: dict[str, Pending]) -> None:
        """Delete a temporary file; judge a swap file or, if nothing waits for its path, make it a conflict file.

        Files with other names are left alone. `by_key` are the waiting changes by `path_key` of their paths.
        """
        if paths.TEMP.fullmatch(name):
            with self._vault.folder(above) as folder:
                os.unlink(name, dir_fd=folder)
        elif match := paths.SWAP.fullmatch(name):
            with self._vault.folder(above) as folder:
                if pending := by_key.get(match["key"]):
                    self._displaced.judge(folder, pending, name)
                else:
                    self._displaced.keep(folder, name, "/".join((*above, UNKNOWN)))

    def run(self, batch: Sequence[Pending]) -> list[Settled]:
        """Write a batch of changes to the vault and sync; return for each how it ended: FILED, DELETED or CONFLICT.

        Those that go into `blocked` or `damaged` are left out. Raises OSError, with temporary files deleted, if the
        disk fails.
        """
        staged: list[_Staged] = []
        try:
            for pending in batch:
                with self._record_if_blocked(pending.path):
                    staged.append(self._stage_change(pending))
            self._sync_staged([each for each in staged if each.to_sync])
            self._failpoint("temps-synced")
            settled: list[Settled] = []
            for each in staged:
                with self._record_if_blocked(each.pending.path):
                    settled.append(self._apply_change(each))
            self._displaced.sync_folders()
        except OSError:
            for each in staged:
                self._discard_temp(each.pending, each.temp)
            raise
        self._failpoint("folders-synced")
        return settled

    @contextmanager
    def _record_if_blocked(self, path: str) -> Generator[None]:
        """Record an error of one path in `blocked` or `damaged`; re-raise errors that concern every path (`_HOPELESS`).

        The latter are a full, failing or read-only disk, and too many open files.
        """
        try:
            yield
        except DamagedEntryError as error:
            self.damaged[path] = error
        except OSError as error:
            if error.errno in _HOPELESS:
                raise
            self.blocked[path] = error.strerror or str(error)

    def _stage_change(self, pending: Pending) -> _Staged:
        """Prepare a change: write its bytes to a temporary file beside its path if that is to be created or replaced.

        If the file has the new bytes already, it is only marked to be synced; in other cases nothing is to be done
        here.
        """
        what = verdict(pending, self._vault.digest(pending.path))
        if what in {"create", "replace"}:
            temp = self._write_temp(pending, self._payload(pending))
            return _Staged(pending, temp, temp)
        standing = what == "filed" and pending.new_hash is not None
        return _Staged(pending, None, paths.parts(pending.path)[-1] if standing else None)

    def _write_temp(self, pending: Pending, data: bytes) -> str:
        """Write a new temporary file beside the path of a change; return its name."""
        temp = paths.temp_name()
        with self._vault.folder(paths.parts(pending.path)[:-1], create=True) as folder:
            try:
                files.write_new(folder, temp, data)
            except OSError:
                with suppress(OSError):
                    os.unlink(temp, dir_fd=folder)
                raise
        self._failpoint("temp-written")
        return temp

    def _sync_staged(self, staged: Sequence[_Staged]) -> None:
        """Flush the staged files: the whole file system at once if they are over 16 and the platform can, else each."""
        if len(staged) > _SYNC_EACH:
            with self._vault.folder(()) as root:
                if syscalls.sync_file_system(root):
                    return
        for above, group in groupby(staged, key=lambda each: paths.parts(each.pending.path)[:-1]):
            with self._vault.folder(above) as folder:
                for each in group:
                    with suppress(FileNotFoundError):  # the user removed it since
                        files.sync(folder, each.to_sync)

    def _apply_change(self, staged: _Staged) -> Settled:
        """Apply a staged change, deciding again, up to 8 times, if the user was faster; return how it ended.

        FILED: the path is as the change wants it. DELETED: the user removed the file, and it stays away. CONFLICT: the
        user's file stays, and our version, unless it was a removal, becomes a conflict file beside it.
        """
        pending, temp = staged.pending, staged.temp
        self._failpoint("placing")
        decision = "conflict"
        for _ in range(_ATTEMPTS):
            decision = verdict(pending, self._vault.digest(pending.path))
            if decision not in {"create", "replace", "remove"}:
                break
            if (
                self._take_away(pending)
                if decision == "remove"
                else self._write_file(pending, temp, new=decision == "create")
            ):
                return Settled("FILED", pending.path, pending.last_entry)
            temp, decision = None, "conflict"
        self._discard_temp(pending, temp)
        if decision == "conflict" and pending.new_hash is not None:
            self._keep_ours(pending, pending.new_hash)
        self._displaced.dirty.add(paths.parts(pending.path)[:-1])
        return Settled(_STATES[decision], pending.path, pending.last_entry)

    def _write_file(self, pending: Pending, temp: str | None, *, new: bool) -> bool:
        """Create (if `new`) or replace the file of a change; False if the user changed or removed it meanwhile.

        `temp` is the complete temporary file, which is used up; None: it is written and synced first.
        """
        temp = temp or self._write_synced_temp(pending, self._payload(pending))
        return self._create_file(pending, temp) if new else self._replace_file(pending, temp)

    def _write_synced_temp(self, pending: Pending, data: bytes) -> str:
        """Write and sync a new temporary file beside the path of a change; return its name."""
        temp = self._write_temp(pending, data)
        self._sync_staged([_Staged(pending, temp, temp)])
        return temp

    def _create_file(self, pending: Pending, temp: str) -> bool:
        """Rename the temporary file to the path; False, deleting it, if a file is there by now."""
        *above, name = paths.parts(pending.path)
        self._displaced.dirty.add(tuple(above))
        with self._vault.folder(tuple(above)) as folder:
            try:
                syscalls.create(folder, temp, name)
            except FileExistsError:
                os.unlink(temp, dir_fd=folder)
                return False
        self._failpoint("created")
        return True

    def _replace_file(self, pending: Pending, temp: str) -> bool:
        """Exchange the temporary file `temp` with the file at the path, and move that to `.pellucid/displaced`; return
        whether that was done.

        It is not if there was no file, or one that the change does not expect: then that is back at the path. The
        temporary file is used up in any case.
        """
        *above, name = paths.parts(pending.path)
        self._displaced.dirty.add(tuple(above))
        swap = paths.swap_name(pending.path)
        with self._vault.folder(tuple(above)) as folder:
            os.rename(temp, swap, src_dir_fd=folder, dst_dir_fd=folder)
            self._failpoint("swap-named")
            try:
                syscalls.exchange(folder, swap, name)
            except FileNotFoundError:
                os.unlink(swap, dir_fd=folder)
                return False
            self._failpoint("exchanged")
            return self._displaced.judge(folder, pending, swap)

    def _take_away(self, pending: Pending) -> bool:
        """Move the file of a change from its path to `.pellucid/displaced`; False if it was gone, or was a newer save
        of the user, which is put back.
        """
        *above, name = paths.parts(pending.path)
        self._displaced.dirty.add(tuple(above))
        swap = paths.swap_name(pending.path)
        with self._vault.folder(tuple(above)) as folder:
            try:
                os.rename(name, swap, src_dir_fd=folder, dst_dir_fd=folder)
            except FileNotFoundError:
                return False
            self._failpoint("taken-away")
            return self._displaced.judge(folder, pending, swap)

    def _keep_ours(self, pending: Pending, new_hash: str) -> None:
        """Write, beside its path, a conflict file with the bytes that a change would have written, marked as pending
        review; its name has `new_hash`, their digest without the mark."""
        temp = self._write_synced_temp(pending, pending_review(self._payload(pending)))
        with self._vault.folder(paths.parts(pending.path)[:-1]) as folder:
            self._displaced.keep(folder, temp, pending.path, new_hash)

    def _discard_temp(self, pending: Pending, temp: str | None) -> None:
        """Delete the temporary file of a change, if there is one."""
        if temp is not None:
            with suppress(OSError), self._vault.folder(paths.parts(pending.path)[:-1]) as folder:
                os.unlink(temp, dir_fd=folder)
