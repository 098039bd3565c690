"""A home without a server in, a process that serves it out; without the extra `server`, it only reads transcripts."""

import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from pellucid.settings import Settings
from pellucid.store.local.database import make_private_folder
from pellucid.store.local.hooked import HookedSessions
from pellucid.surfaces.extra import has_server
from pellucid.surfaces.host import Host

_NOTICE = (
    "pellucid: sessions are kept, and nothing is recalled for prompts: that takes a server. "
    "`make server` in a checkout, or pip install 'pellucid[server]', brings it"
)
_CHECK_EVERY_S = 2.0


def work(settings: Settings) -> None:
    """Serve a home until it was idle for `hooks.idleMinutes`; a hook's client starts this in the background. With the
    extra `server`, the process becomes `pellucid serve` on a free port, and this does not return. Without it, only run
    the home's upkeep, which reads the reported transcripts, and leave a notice that nothing is recalled for prompts.
    """
    home, idle = settings.home, settings.hooks.idle_minutes
    if has_server():
        served = ("serve", "--home", str(home), "--port", "0", "--idle-minutes", str(idle))
        os.execv(sys.executable, (sys.executable, "-P", "-m", "pellucid", *served))  # noqa: S606 - our own, no shell
    _write_notice(home)
    with Host(settings) as host:
        sessions, begun = HookedSessions(home), host.app.clock.now()
        while is_active(sessions, begun, host.app.clock.now(), timedelta(minutes=idle)):
            time.sleep(_CHECK_EVERY_S)


def is_active(sessions: HookedSessions, begun: datetime, now: datetime, idle: timedelta) -> bool:
    """Whether at `now` less than `idle` has passed since the last event that a hook reported (as `sessions` knows) or
    since `begun`, when this process began, whichever is later.
    """
    return now - max(sessions.last_told() or begun, begun) < idle


def _write_notice(home: Path) -> None:
    """Write the notice that no server is installed to the home's `hooks/notice`, for the next hook to show, unless it
    was shown before (`hooks/notice.told` exists). The folder is made in any case.
    """
    folder = home / "hooks"
    make_private_folder(folder)
    if not (folder / "notice.told").exists():
        (folder / "notice").write_text(_NOTICE + "\n", "utf-8")
