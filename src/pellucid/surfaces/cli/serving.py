"""Flags in, a home served out: until a signal ends it, to one agent, or as pages in a browser."""

import json
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pellucid.errors import StoreError
from pellucid.surfaces.cli.derived import Parameter
from pellucid.surfaces.cli.session import note, settings, write
from pellucid.surfaces.extra import require_server

SERVE = (
    Parameter("host", "Where to listen.", flag="--host", default="127.0.0.1"),
    Parameter("port", "The port; 0 is any that is free.", "whole", "--port", 8787),
    Parameter("allow_host", "A further name it may be asked by; may be repeated.", flag="--allow-host", many=True),
    Parameter("insecure_loopback", "Programs of this machine need no token.", "switch", "--insecure-loopback"),
    Parameter("idle_minutes", "End after so long without a request.", "whole", "--idle-minutes"),
)

DASHBOARD = (Parameter("no_open", "Print the link, and open no browser.", "switch", "--no-open"),)
_START_S = 30.0


def serve(_row: None, given: Mapping[str, Any]) -> None:
    """Serve a home over HTTP until a signal ends it.

    Raises:
        PellucidError: see `serving.serve`.
    """
    require_server()
    from pellucid.surfaces.http import serving

    names, idle = tuple(given["allow_host"] or ()), given["idle_minutes"]
    place = serving.Listening(given["host"], given["port"], names, given["insecure_loopback"], idle)
    serving.serve(settings(given["home"]), place, note)


def mcp(_row: None, given: Mapping[str, Any]) -> None:
    """Serve one agent over MCP until its input ends; nothing but the protocol goes to standard output."""
    require_server()
    from pellucid.surfaces.mcp.stdio import run

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing waits for the next line: what was acknowledged is on disk
    if sys.stdin.isatty():
        note(
            "an MCP client is expected on standard input, and docs/mcp.md says how a host is told of this; Ctrl-C ends"
        )
    run(settings(given["home"], given["namespace"]), note)


def dashboard(_row: None, given: Mapping[str, Any]) -> None:
    """Print a link that lets one browser in, and on a terminal open it; a server is started where none runs.

    Raises:
        PellucidError: none can be started, or it does not answer.
    """
    require_server()
    import webbrowser  # what opens a link is loaded for this command alone
    from http.client import HTTPException

    home = settings(given["home"]).home
    server = _server_of(home) or _started(home)
    try:
        link = _link(server)
    except (OSError, ValueError, HTTPException) as error:
        raise StoreError(
            f"the server of {home} does not answer: {error}", next_step="end it, and repeat: `pellucid serve`"
        ) from error
    write(link)
    if not given["no_open"] and sys.stdout.isatty():
        webbrowser.open(link)


def _server_of(home: Path) -> Mapping[str, Any] | None:
    """Where the server of a home listens; None if none runs."""
    from pellucid.surfaces.hooks.client import is_held

    with suppress(OSError, ValueError):
        if is_held(str(home / "server.lock")):
            return json.loads((home / "server.json").read_text("utf-8"))
    return None


def _started(home: Path) -> Mapping[str, Any]:
    """A server of its own for this home, which ends when nobody has asked anything for a while."""
    from subprocess import DEVNULL, Popen

    note("no server runs for this home: one is started, and ends by itself when nobody looks any more")
    command = [sys.executable, "-P", "-m", "pellucid", "hooks", "work", "--home", str(home)]
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    process = Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd=home, start_new_session=True)  # noqa: S603
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        if found := _server_of(home):
            return found
        time.sleep(0.1)
    raise StoreError(f"no server for {home} came up", next_step="`pellucid serve` says why")


def _link(server: Mapping[str, Any]) -> str:
    """A link to the dashboard that works once, from the running server."""
    from http.client import HTTPConnection

    connection = HTTPConnection(server["host"], server["port"], timeout=10)
    try:
        connection.request("POST", "/ui/link", headers={"Authorization": f"Bearer {server['token']}"})
        answer = connection.getresponse()
        told = json.loads(answer.read())
    finally:
        connection.close()
    host = f"[{server['host']}]" if ":" in server["host"] else server["host"]
    return f"http://{host}:{server['port']}{told['path']}"
