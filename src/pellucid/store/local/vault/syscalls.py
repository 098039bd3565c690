"""Names in an open folder in, one system call out: the renames and syncs that Python does not offer.

Linux has `renameat2(2)`, macOS `renameatx_np(2)`. A file system that supports neither gets `link` and `rename`, with a
weaker promise: an editor that replaces the file between the two calls loses that save. `exchange_is_atomic` tells
`doctor` which promise is given.
"""

import ctypes
import errno
import fcntl
import os
import platform
import secrets
import sys

from pellucid.store.local.vault.paths import temp_name

_NOREPLACE, _EXCHANGE = (4, 2) if sys.platform == "darwin" else (1, 2)
_SYSCALLS = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "i686": 353, "armv7l": 382, "ppc64le": 357, "s390x": 347}
_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP})
_libc = ctypes.CDLL(None, use_errno=True)


def create(folder: int, source: str, target: str, target_folder: int | None = None) -> None:
    """Rename `source` to `target`, possibly in another open folder; raise FileExistsError if that name is taken."""
    into = folder if target_folder is None else target_folder
    try:
        _rename(folder, source, into, target, _NOREPLACE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        create_by_link(folder, source, into, target)


def exchange(folder: int, swap: str, target: str) -> None:
    """Swap the files of two names in an open folder; raise FileNotFoundError if one is missing."""
    try:
        _rename(folder, swap, folder, target, _EXCHANGE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        exchange_by_link(folder, swap, target)


def create_by_link(folder: int, source: str, target_folder: int, target: str) -> None:
    """Do `create` with `link` and `unlink`; raise FileExistsError if the name `target` is taken."""
    os.link(source, target, src_dir_fd=folder, dst_dir_fd=target_folder, follow_symlinks=False)
    os.unlink(source, dir_fd=folder)


def exchange_by_link(folder: int, swap: str, target: str) -> None:
    """Do `exchange` in three steps; a save that replaces `target` between the first two is lost."""
    kept = f"{swap.rpartition('-')[0]}-{secrets.token_hex(8)}.swap"
    os.link(target, kept, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    os.rename(swap, target, src_dir_fd=folder, dst_dir_fd=folder)
    os.rename(kept, swap, src_dir_fd=folder, dst_dir_fd=folder)


def exchange_is_atomic(folder: int) -> bool:
    """Whether the file system of this folder exchanges files in one step; tried on two temporary files, which are
    deleted. OSError if that fails for another reason.
    """
    names = temp_name(), temp_name()
    for name in names:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder))
    try:
        _rename(folder, names[0], folder, names[1], _EXCHANGE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        return False
    finally:
        for name in names:
            os.unlink(name, dir_fd=folder)
    return True


def _rename(source_folder: int, source: str, target_folder: int, target: str, flags: int) -> None:
    """Rename `source` in one open folder to `target` in another by the platform's call, whose `flags` make it refuse a
    taken name or exchange the two files; raise OSError if that fails or there is no such call.
    """
    arguments = (source_folder, os.fsencode(source), target_folder, os.fsencode(target), ctypes.c_uint(flags))
    ctypes.set_errno(0)
    if sys.platform == "darwin":
        result = _libc.renameatx_np(*arguments)
    elif hasattr(_libc, "renameat2"):
        result = _libc.renameat2(*arguments)
    elif platform.machine() in _SYSCALLS:
        result = _libc.syscall(ctypes.c_long(_SYSCALLS[platform.machine()]), *arguments)
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), source, None, target)


def sync(descriptor: int) -> None:
    """Flush a file or folder to the disk, the disk's own cache included."""
    if sys.platform == "darwin":
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_file_system(folder: int) -> bool:
    """Flush the whole file system that holds `folder`; False if the platform cannot, OSError if that fails."""
    if not hasattr(_libc, "syncfs"):
        return False
    ctypes.set_errno(0)
    if _libc.syncfs(folder) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return True
