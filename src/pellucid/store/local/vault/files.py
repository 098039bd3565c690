"""Vault paths in, bytes and folders out: every file is reached through its folder, so that no link leads outside."""

import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pellucid.deadline import Deadline
from pellucid.errors import InputError, StoreBusyError, StoreError
from pellucid.store.local.database import make_private_folder
from pellucid.store.local.lock import acquire_file_lock
from pellucid.store.local.vault import paths, syscalls
from pellucid.store.records import Stamp

NOT_A_FILE = "not-a-regular-file"  # stands where a digest would, for a link, folder or device: equal to no digest
LOCK_TIMEOUT_S = 30.0
Skip = Literal["link", "special file", "unusable name"]
"""Why `walk` leaves something out that looks like a memory, or like a folder of them."""
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_UNREADABLE = frozenset({errno.EACCES, errno.EPERM, errno.EIO})
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file with its size and modification time when they were read."""

    data: bytes
    size: int
    mtime_ns: int


class Vault:
    """A folder of Markdown files. The root itself may be a symbolic link; links below it are never followed."""

    def __init__(self, root: Path) -> None:
        """`root` is the folder of the vault; it need not exist yet."""
        self.root = root

    @contextmanager
    def folder(self, names: tuple[str, ...], *, create: bool = False) -> Generator[int]:
        """Open a folder below the root without following links; yield its file descriptor.

        Raises FileNotFoundError if it does not exist and `create` is false, OSError (ENOTDIR or ELOOP, depending on the
        system) if a part of the path is a link or a file.
        """
        if create:
            make_private_folder(self.root)
        descriptor = os.open(self.root, _FOLDER)
        try:
            for name in names:
                inner = _open_folder(descriptor, name, create)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    def read(self, path: str) -> Content | None:
        """Read the file at a path; None if no regular file is there, or only by a link.

        Raises InputError if this user may not read it, the disk fails, or `paths.parts` refuses the path.
        """
        *above, name = paths.parts(path)
        try:
            with self.folder(tuple(above)) as folder:
                return read(folder, name)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return None
            if error.errno in _UNREADABLE:
                raise InputError(
                    f"{path} cannot be read: {error.strerror}",
                    code="unreadable_file",
                    next_step="let yourself read it, or move it out of the vault",
                ) from error
            raise

    def digest(self, path: str) -> str | None:
        """Return the SHA-256 (hex) of the file at a path; None if there is none, `NOT_A_FILE` if it is no regular file.

        Raises InputError if `paths.parts` refuses the path, OSError if a folder of it is a link or a file (ENOTDIR or
        ELOOP), or if the file cannot be read.
        """
        *above, name = paths.parts(path)
        try:
            with self.folder(tuple(above)) as folder:
                return digest(folder, name)
        except FileNotFoundError:
            return None

    def names(self, folder_names: tuple[str, ...]) -> list[str]:
        """Return the names in a folder, hidden ones too, in no order.

        Empty if it does not exist, is no folder, or lies behind a link.
        """
        try:
            with self.folder(folder_names) as folder:
                return os.listdir(folder)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return []
            raise

    @contextmanager
    def locked(self, timeout_s: float = LOCK_TIMEOUT_S) -> Generator[None]:
        """Hold `.pellucid/drain.lock` for the block; raise StoreBusyError if it stays held for `timeout_s` seconds."""
        with self.folder((paths.OWN_FOLDER,), create=True) as folder:
            lock = os.open("drain.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            if not acquire_file_lock(lock, timeout_s, Deadline()):
                raise StoreBusyError(
                    f"another process has been writing to the vault for {timeout_s:.0f} seconds",
                    next_step="let it finish, then repeat; what was acknowledged is kept",
                )
            yield
        finally:
            os.close(lock)  # which also lets go of the lock

    def walk(self, pattern: re.Pattern[str]) -> Iterator[Stamp]:
        """Return the stamps, sorted by path, of the files in all folders; only those whose whole name matches
        `pattern`.

        Hidden files and folders, links and names that `paths.parts` refuses are left out, with all that lies in such a
        folder.

        Raises StoreError if a folder may not be listed: its files must not look deleted.
        """
        stamps = (
            _stamp_of(entry, path) for path, entry in _walk_entries(str(self.root), "") if pattern.fullmatch(entry.name)
        )
        return iter(sorted((stamp for stamp in stamps if stamp), key=lambda stamp: stamp.path))

    def skipped(self) -> Iterator[tuple[Skip, str]]:
        """Yield (reason, path) of the Markdown files and folders that `walk` leaves out, except hidden ones.

        The reason is `link`, `unusable name` or `special file` (a device, pipe or socket). Raises StoreError if a
        folder may not be listed.
        """
        for path, entry in _walk_entries(str(self.root), "", unusable=True):
            link, folder = entry.is_symlink(), entry.is_dir()
            if not (folder or entry.name.endswith(".md")):
                continue
            if link:
                yield "link", path
            elif not _is_nameable(entry.name):
                yield "unusable name", path
            elif not (folder or entry.is_file()):
                yield "special file", path

    def stamps(self, wanted: Iterable[str]) -> Iterator[Stamp]:
        """Return the stamps of the regular files among these paths, sorted by path; others are left out.

        Raises InputError if `paths.parts` refuses a path.
        """
        return iter([stamp for path in sorted(wanted) if (stamp := self._stamp(path))])

    def _stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a path; None if it is not a regular file."""
        *above, name = paths.parts(path)
        try:
            with self.folder(tuple(above)) as folder:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return None
            raise
        return Stamp(path, status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def read(folder: int, name: str) -> Content | None:
    """Read a regular file of an open folder; None if there is none, or what is there is no regular file."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ELOOP, errno.ENXIO}:
            return None
        raise
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        return Content(file.read(), status.st_size, status.st_mtime_ns)


def digest(folder: int, name: str) -> str | None:
    """Return the SHA-256 in hex of a file in an open folder; None if nothing is there, `NOT_A_FILE` if it is not
    regular.
    """
    content = read(folder, name)
    if content is not None:
        return hashlib.sha256(content.data).hexdigest()
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return NOT_A_FILE


def write_new(folder: int, name: str, data: bytes) -> None:
    """Create a file of mode 0600 in an open folder, not yet synced; raise FileExistsError if the name is taken."""
    with open(os.open(name, _CREATE, 0o600, dir_fd=folder), "wb") as file:
        file.write(data)


def replace_whole(folder: int, name: str, data: bytes, *, durable: bool = True) -> None:
    """Write a file of mode 0600 in an open folder atomically: readers see the old one or the whole new one.

    Unless `durable`, nothing is synced, and what is written can be lost if the machine fails.
    """
    draft = f"{name}-{secrets.token_hex(8)}"
    try:
        write_new(folder, draft, data)
        if durable:
            sync(folder, draft)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        if durable:
            sync(folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)


def sync(folder: int, name: str | None = None) -> None:
    """Flush a file of an open folder or, without a name, the folder itself to the disk."""
    descriptor = folder if name is None else os.open(name, _READ, dir_fd=folder)
    try:
        syscalls.sync(descriptor)
    finally:
        if name is not None:
            os.close(descriptor)


def _open_folder(folder: int, name: str, create: bool) -> int:
    """Open a folder inside an open folder, creating it if `create`; return its descriptor.

    Raises FileNotFoundError if it is missing and `create` is false, OSError (ENOTDIR or ELOOP) if it is a link or a
    file.
    """
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    try:
        os.mkdir(name, 0o700, dir_fd=folder)
        syscalls.sync(folder)
    except FileExistsError:
        pass  # another process made it first
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)


def _walk_entries(folder: str, prefix: str, *, unusable: bool = False) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield (path, entry) of everything below a folder; hidden names are left out, unusable ones unless `unusable`.
    `prefix` begins each path.

    Links and unusable folders are not entered. Raises StoreError if a folder may not be listed; one that is missing is
    empty.
    """
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise StoreError(
            f"{folder} cannot be listed: {error.strerror}", next_step="let yourself read it, or move it away"
        ) from error
    with entries:
        for entry in entries:
            nameable = _is_nameable(entry.name)
            if entry.name.startswith(".") or not (nameable or unusable):
                continue
            path = prefix + entry.name
            yield path, entry
            if nameable and entry.is_dir(follow_symlinks=False):
                yield from _walk_entries(entry.path, path + "/", unusable=unusable)


def _stamp_of(entry: os.DirEntry[str], path: str) -> Stamp | None:
    """Return the stamp of a listed entry, with `path` (relative to the vault) as its path; None if it is not a regular
    file (any more)."""
    with suppress(FileNotFoundError):  # removed since it was listed
        if entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            return Stamp(path, status.st_size, status.st_mtime_ns)
    return None


def _is_nameable(name: str) -> bool:
    """Whether a name may occur in a path of the vault: `paths.parts` does not refuse it."""
    try:
        paths.parts(name)
    except InputError:
        return False
    return True
