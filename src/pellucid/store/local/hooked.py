"""A home in, the sessions that programs tell of out: a small file each in `hooks/`, written whole or not at all.

A client that finds no server leaves what it was told in `hooks/waiting/`; whoever reads that takes it away first.
"""

import json
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pellucid.model.hooked import HookedSession
from pellucid.plain_file import open_to_read
from pellucid.store.local.database import make_private_folder, os_errors_explained
from pellucid.store.local.lock import exclusive

_NAME = re.compile(r"[a-z-]{1,20}_[A-Za-z0-9-]{1,64}\.json")
_LOCK_WAIT_S = 2.0
_LONGEST = 64 * 1024


class HookedSessions:
    """What is known of each session; one process at a time changes one."""

    def __init__(self, home: Path) -> None:
        """Prepare, without making a file."""
        self._home = home / "hooks"
        self._sessions, self._waiting = self._home / "sessions", self._home / "waiting"

    def known(self) -> list[HookedSession]:
        """Every session; a file that cannot be read is passed over."""
        found = (_read_session(each) for each in _session_files(self._sessions))
        return [each for each in found if each]

    def is_known(self, session_id: str) -> bool:
        """Whether a program told of a session by that name."""
        return any(each.stem.partition("_")[2] == session_id for each in _session_files(self._sessions))

    def change(self, host: str, session_id: str, how: Callable[[HookedSession | None], HookedSession]) -> HookedSession:
        """Put what `how` makes of a session in its place.

        Raises:
            StoreError: it cannot be written.
        """
        path = self._sessions / f"{host}_{session_id}.json"
        with os_errors_explained(path), exclusive(self._home / "sessions.lock", _LOCK_WAIT_S):
            before = _read_session(path)
            after = how(before)
            if after != before:
                _replace(path, after.model_dump_json(by_alias=True).encode())
        return after

    def last_told(self) -> datetime | None:
        """When something was told of any session last, whether it was dealt with or waits."""
        heard = [each.heard for each in self.known()]
        for path in _session_files(self._waiting):
            with suppress(FileNotFoundError):
                heard.append(datetime.fromtimestamp(path.stat().st_mtime, UTC))
        return max(heard, default=None)

    def drop(self, session: HookedSession) -> None:
        """Forget that a session was told of."""
        with suppress(FileNotFoundError):
            (self._sessions / f"{session.host}_{session.session_id}.json").unlink()

    def count_waiting(self) -> int:
        """How many sessions clients left word of."""
        return len(_session_files(self._waiting))

    def waiting(self) -> Iterator[dict[str, Any]]:
        """What clients left, each taken away once whoever asks for the next has dealt with it."""
        for path in _session_files(self._waiting):
            taken = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            try:
                os.replace(path, taken)
                yield json.loads(taken.read_bytes())
            except (FileNotFoundError, ValueError):
                pass
            except BaseException:
                with suppress(OSError):  # not dealt with: it waits on, unless something newer does
                    os.link(taken, path)
                raise
            finally:
                with suppress(FileNotFoundError):
                    taken.unlink()


def _session_files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            names = sorted(each.name for each in found if _NAME.fullmatch(each.name))
    except FileNotFoundError:
        return []
    return [folder / name for name in names]


def _read_session(path: Path) -> HookedSession | None:
    """The session that a file holds; None where it cannot be read, or is none."""
    try:
        with open_to_read(path, follow=False) as file:
            return HookedSession.model_validate_json(file.read(_LONGEST))
    except (ValidationError, OSError):
        return None


def _replace(path: Path, data: bytes) -> None:
    make_private_folder(path.parent)
    draft = path.with_name(f".{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(draft, path)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
