"""A home that nobody serves in, a process that does out: a server, or without its extra one that reads transcripts."""

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
_LOOKS_EVERY_S = 2.0


def work(settings: Settings) -> None:
    """Serve a home until nobody has asked anything for a while; see `client`, which starts this on its own."""
    home, idle = settings.home, settings.hooks.idle_minutes
    if has_server():
        served = ("serve", "--home", str(home), "--port", "0", "--idle-minutes", str(idle))
        os.execv(sys.executable, (sys.executable, "-P", "-m", "pellucid", *served))  # noqa: S606 - our own, no shell
    _leave_notice(home)
    with Host(settings) as host:
        sessions, begun = HookedSessions(home), host.app.clock.now()
        while is_told(sessions, begun, host.app.clock.now(), timedelta(minutes=idle)):
            time.sleep(_LOOKS_EVERY_S)


def is_told(sessions: HookedSessions, begun: datetime, now: datetime, idle: timedelta) -> bool:
    """Whether something was told lately, or this has only just begun."""
    return now - max(sessions.last_told() or begun, begun) < idle


def _leave_notice(home: Path) -> None:
    """What the next event tells the user, once."""
    folder = home / "hooks"
    make_private_folder(folder)
    if not (folder / "notice.told").exists():
        (folder / "notice").write_text(_NOTICE + "\n", "utf-8")
