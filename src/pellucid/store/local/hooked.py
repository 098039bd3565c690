"""A home in, the sessions that hooks report out: a small file each in `hooks/`, written whole or not at all.

A client that finds no server writes its event to `hooks/waiting/`; whoever reads an event first takes the file away.
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
from pellucid.store.local.database import os_errors_explained
from pellucid.store.local.lock import exclusive
from pellucid.store.local.vault.files import Vault, replace_whole

_NAME = re.compile(r"[a-z-]{1,20}_[A-Za-z0-9-]{1,64}\.json")
_LOCK_WAIT_S = 2.0
_LONGEST = 64 * 1024


class HookedSessions:
    """The stored state of each session; one process at a time changes one session."""

    def __init__(self, home: Path) -> None:
        """Take the folder `hooks` of a home as the place of session files; nothing is created yet."""
        self._home = home / "hooks"
        self._sessions, self._waiting = self._home / "sessions", self._home / "waiting"

    def known(self) -> list[HookedSession]:
        """Return the stored state of every session, sorted by file name; unreadable files are skipped."""
        found = (_read_session(each) for each in _session_files(self._sessions))
        return [each for each in found if each]

    def is_known(self, session_id: str) -> bool:
        """Whether the state of a session with this id is stored, whichever program (host) it is of."""
        return any(each.stem.partition("_")[2] == session_id for each in _session_files(self._sessions))

    def change(
        self, host: str, session_id: str, update: Callable[[HookedSession | None], HookedSession]
    ) -> HookedSession:
        """Replace the stored state of a session by what `update` makes of it (of None if it is missing or unreadable),
        under a lock; return the new state.

        Nothing is written if it is the same. `host` names the agent's program. What is written can be lost if the
        machine fails. Raises StoreBusyError if the lock is held for two seconds, StoreError if the file cannot be
        written.
        """
        path = self._sessions / f"{host}_{session_id}.json"
        with os_errors_explained(path), exclusive(self._home / "sessions.lock", _LOCK_WAIT_S):
            before = _read_session(path)
            after = update(before)
            if after != before:
                with Vault(path.parent).folder((), create=True) as folder:
                    data = after.model_dump_json(by_alias=True).encode()
                    # every event of a hook comes by here, so nothing waits for the disk
                    replace_whole(folder, path.name, data, durable=False)
        return after

    def last_told(self) -> datetime | None:
        """Return when (UTC) the last event of any session came in, processed or waiting; None without any."""
        heard = [each.heard for each in self.known()]
        for path in _session_files(self._waiting):
            with suppress(FileNotFoundError):
                heard.append(datetime.fromtimestamp(path.stat().st_mtime, UTC))
        return max(heard, default=None)

    def drop(self, session: HookedSession) -> None:
        """Delete the stored state of a session (by its `host` and `session_id`); nothing happens if there is none."""
        with suppress(FileNotFoundError):
            (self._sessions / f"{session.host}_{session.session_id}.json").unlink()

    def count_waiting(self) -> int:
        """Return the number of session files that clients left in `hooks/waiting/`."""
        return len(_session_files(self._waiting))

    def take_waiting(self) -> Iterator[dict[str, Any]]:
        """Yield the JSON of each file that a client left in `hooks/waiting/`, by file name, taking it from other
        readers.

        The file is deleted when the next is asked for; one that is not JSON is deleted without being yielded. If the
        caller stops or raises instead, the file goes back to waiting, unless a newer one took its place.
        """
        for path in _session_files(self._waiting):
            taken = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            try:
                os.replace(path, taken)
                yield json.loads(taken.read_bytes())
            except (FileNotFoundError, ValueError, RecursionError):
                pass
            except BaseException:
                with suppress(OSError):  # not dealt with: it waits on, unless something newer does
                    os.link(taken, path)
                raise
            finally:
                with suppress(FileNotFoundError):
                    taken.unlink()


def _session_files(folder: Path) -> list[Path]:
    """List the files of a folder that are named like `<host>_<session id>.json`, sorted; empty without a folder."""
    try:
        with os.scandir(folder) as found:
            names = sorted(each.name for each in found if _NAME.fullmatch(each.name))
    except FileNotFoundError:
        return []
    return [folder / name for name in names]


def _read_session(path: Path) -> HookedSession | None:
    """Read the session state in a file; None if it is unreadable, a link, invalid or longer than 64 KiB."""
    try:
        with open_to_read(path, follow=False) as file:
            return HookedSession.model_validate_json(file.read(_LONGEST))
    except (ValidationError, OSError):
        return None
