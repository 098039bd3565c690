"""Flags in, a home served out: until a signal ends it, to one agent, or as pages in a browser."""

import json
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pellucid.errors import StoreError
from pellucid.surfaces.cli.session import note, settings, write
from pellucid.surfaces.command_line import Parameter
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


def serve(_row: None, args: Mapping[str, Any]) -> None:
    """Serve a home over HTTP and MCP until a signal ends it, or it was idle for `--idle-minutes`; `args` are the values
    of the flags by name. `InputError` if the extra `server` is not installed, or the address is not allowed or not
    free; `ConflictError` if the home is served already, `StoreError` if it cannot be opened.
    """
    require_server()
    from pellucid.surfaces.http import serving

    names, idle = tuple(args["allow_host"] or ()), args["idle_minutes"]
    place = serving.Listening(args["host"], args["port"], names, args["insecure_loopback"], idle)
    serving.serve(settings(args["home"]), place, note)


def mcp(_row: None, args: Mapping[str, Any]) -> None:
    """Serve one agent over MCP on standard input and output, until the input ends; Ctrl-C ends the process at once.
    `args` are the values of the flags by name. `InputError` if the extra `server` is not installed.
    """
    require_server()
    from pellucid.surfaces.mcp.stdio import run

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # safe at any moment: what was acknowledged is on disk
    if sys.stdin.isatty():
        note(
            "an MCP client is expected on standard input, and docs/mcp.md says how a host is told of this; Ctrl-C ends"
        )
    run(settings(args["home"], args["namespace"]), note)


def dashboard(_row: None, args: Mapping[str, Any]) -> None:
    """Print a link to the dashboard that lets one browser in; on a terminal also open it, unless `--no-open`. A server
    is started if none runs; `StoreError` if it does not answer, or its address cannot be read. `InputError` if the
    extra `server` is not installed.
    """
    require_server()
    import webbrowser
    from http.client import HTTPException

    home = settings(args["home"]).home
    server = _running_server(home) or _start_server(home)
    try:
        link = _dashboard_link(server)
    except (OSError, ValueError, KeyError, TypeError, HTTPException) as error:
        raise StoreError(
            f"the server of {home} does not answer: {error}", next_step="end it, and repeat: `pellucid serve`"
        ) from error
    write(link)
    if not args["no_open"] and sys.stdout.isatty():
        webbrowser.open(link)


def _running_server(home: Path) -> Mapping[str, Any] | None:
    """Return the content of the `server.json` of the home's running server (with `host`, `port`, `token`); None if no
    server runs, or that file is missing or not JSON; `StoreError` if it cannot be read.
    """
    from pellucid.surfaces.hooks.client import running_server

    try:
        return running_server(str(home))
    except OSError as error:
        raise StoreError(
            f"a server of {home} runs, but {home / 'server.json'}, which says where, cannot be read: {error.strerror}",
            next_step="end the server, move that file away, and repeat",
        ) from error


def _start_server(home: Path) -> Mapping[str, Any]:
    """Start a server in the background, which ends when it is idle; return the content of its `server.json` as soon as
    it runs. The home is made if it is missing. `StoreError` if the server cannot be started, ends at once, or does not
    run within 30 seconds.
    """
    from subprocess import DEVNULL, Popen

    note("no server runs for this home: one is started, and ends by itself when nobody looks any more")
    command = [sys.executable, "-P", "-m", "pellucid", "hooks", "work", "--home", str(home)]
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        process = Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd=home, start_new_session=True)  # noqa: S603
    except OSError as error:
        raise StoreError(
            f"no server for {home} can be started: {error.strerror}",
            next_step="check that folder, and its owner and mode",
        ) from error
    give_up_at = time.monotonic() + _START_S
    while time.monotonic() < give_up_at and process.poll() is None:
        if server := _running_server(home):
            return server
        time.sleep(0.1)
    raise StoreError(f"no server for {home} came up", next_step="`pellucid serve` says why")


def _dashboard_link(server: Mapping[str, Any]) -> str:
    """Ask a running server for a new URL of the dashboard that works once, and return it; `server` is the content of
    its `server.json`. `OSError`, `HTTPException`, `ValueError`, `KeyError` or `TypeError` if no link comes.
    """
    from http.client import HTTPConnection

    connection = HTTPConnection(server["host"], server["port"], timeout=10)
    try:
        connection.request("POST", "/ui/link", headers={"Authorization": f"Bearer {server['token']}"})
        answer = connection.getresponse()
        link = json.loads(answer.read())
    finally:
        connection.close()
    host = f"[{server['host']}]" if ":" in server["host"] else server["host"]
    return f"http://{host}:{server['port']}{link['path']}"
