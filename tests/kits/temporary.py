"""The folder of the homes that tests make: in memory where there is room, since most of a test's time is a disk's."""

import os
import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")  # Linux keeps it in memory
_ROOM = 4 << 30


def in_memory() -> None:
    """Has pytest make its temporary folders in memory, unless it was told where, or less than 4 GiB are free there."""
    if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))  # noqa: TID251  # pytest reads it from there
