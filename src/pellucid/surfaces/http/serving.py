"""A home and an address in, a process that serves it out: one for each home, found by its file, ended by a signal."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import current_thread, main_thread
from time import monotonic

import uvicorn

from pellucid.clock import isoformat
from pellucid.errors import ConflictError, InputError
from pellucid.operations.upkeep import JobOutcome
from pellucid.settings import Settings
from pellucid.store.local.database import make_private_folder, os_errors_explained
from pellucid.store.local.lock import exclusive
from pellucid.store.local.vault import files
from pellucid.surfaces.host import Host
from pellucid.surfaces.http import bodies
from pellucid.surfaces.http.gate import LOOPBACK, Gate
from pellucid.surfaces.http.service import Service
from pellucid.surfaces.http.watching import Watching
from pellucid.surfaces.mcp.http import Mounted, http_calls
from pellucid.surfaces.mcp.server import server

NAME, LOCK = "server.json", "server.lock"
_GRACE_S = 10.0
_CONNECTIONS = 2048
_CHECK_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Listening:
    """The address and port of a server, the host names that it answers to, and when it ends."""

    host: str = "127.0.0.1"
    port: int = 8787
    """0: any free port."""
    names: tuple[str, ...] = ()
    """Further host names, such as that of a proxy in front of it."""
    insecure_loopback: bool = False
    """Whether programs of this machine need no token."""
    idle_minutes: int | None = None
    """Minutes without a request after which it ends; None: never."""

    @property
    def is_loopback(self) -> bool:
        """Whether it listens for programs of this machine only: `host` is 127.0.0.1, ::1 or localhost."""
        return self.host in LOOPBACK

    @property
    def is_for_others(self) -> bool:
        """Whether it can be reached from other machines: directly, since `host` is not loopback, or through a proxy,
        since it has further `names`.
        """
        return not self.is_loopback or bool(self.names)


def serve(
    settings: Settings,
    place: Listening,
    note: Callable[[str], None],
    started: Callable[[uvicorn.Server], None] = lambda _server: None,
) -> None:
    """Serve a home until a signal ends it, it was idle for `place.idle_minutes`, or whoever got the server ends it:
    `started` is called with the server before it runs.

    `note` is called with lines for the user. If others can reach the server, words of questions are not stored, unless
    the settings say so.

    Raises:
        ConflictError: the home is served already.
        InputError: nobody can listen at the address, others could reach it without a token, or no host name was given
            for it.
        StoreError: the home cannot be opened.
    """
    if place.is_for_others and "store_query_text" not in settings.recall.model_fields_set:
        recall = settings.recall.model_copy(update={"store_query_text": False})
        settings = settings.model_copy(update={"recall": recall})
        note("the words of questions are not kept here: recall.storeQueryText says otherwise")
    with os_errors_explained(settings.home):
        make_private_folder(settings.home)
    with exclusive(settings.home / LOCK, 0.0) as is_ours:
        if not is_ours:
            raise _already_served_error(settings.home)
        bodies.clear(settings.home)
        with _listening_socket(place) as listener, Host(settings, report=note, on_job_done=_log_job) as host:
            _check_exposure(host, place)
            gate = Gate(host.app, LOOPBACK | {place.host, *place.names}, needs_token=not place.insecure_loopback)
            service = Service(host, gate, settings.server)
            service.mcp = Mounted(server(http_calls(host)))
            port = int(listener.getsockname()[1])
            with _server_file(host, gate, place.host, port), Watching(host, _log_job):
                note(f"serving {settings.home} at http://{_url_host(place.host)}:{port} (Ctrl-C ends it)")
                http_server = _Server(service, place)
                started(http_server)
                http_server.run(sockets=[listener])


def _check_exposure(host: Host, place: Listening) -> None:
    """Raise `InputError` for a place that is not loopback if it has `insecure_loopback`, or has no further host name,
    or the home has no token.
    """
    if place.is_loopback:
        return
    if place.insecure_loopback:
        raise InputError("--insecure-loopback is for loopback alone", next_step="make tokens: `pellucid token create`")
    if not host.app.access.known().principals:
        raise InputError(
            f"{place.host} can be reached from elsewhere, and no token guards it",
            next_step="make one first: `pellucid token create --name N --grant NAMESPACE:read`",
        )
    if not place.names:
        raise InputError(
            f"{place.host} can be reached from elsewhere: say under which name it may be asked",
            next_step="for example --allow-host memory.example.org; put TLS in front of it",
        )


def _already_served_error(home: Path) -> ConflictError:
    """Return the error that a server runs for this home already, with its address and process if the home's
    `server.json` names them.
    """
    try:
        server = json.loads((home / NAME).read_text("utf-8"))
        where = f"at http://{_url_host(server['host'])}:{server['port']}, by process {server['pid']}"
    except (OSError, ValueError, KeyError, TypeError):
        where = "by another process"
    return ConflictError(f"{home} is served already, {where}", next_step="ask that one, or end it first")


def _url_host(host: str) -> str:
    """Return the host as in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


@contextmanager
def _listening_socket(place: Listening) -> Generator[socket.socket]:
    """Open a socket that listens at the place, for the length of a `with` block; `InputError` if that is impossible."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((place.host, place.port))
        listener.listen(1024)  # clients that come before the server is ready wait, and are not refused
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputError(
            f"nobody can listen at {place.host}:{place.port}: {error}",
            code="invalid_port",
            next_step="--port 0 finds one",
        ) from error
    with listener:
        yield listener


@contextmanager
def _server_file(host: Host, gate: Gate, name: str, port: int) -> Generator[None]:
    """Write `server.json` into the home, with the process id, host, port, time and owner's token (`run_token`), by
    which the user's programs find the server; delete it at the end of the `with` block. StoreError if it cannot be
    written.
    """
    home = host.app.settings.home
    content = {
        "pid": os.getpid(),
        "host": name,
        "port": port,
        "startedAt": isoformat(host.app.clock.now()),
        "token": gate.run_token,
    }
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with os_errors_explained(home / NAME):
            files.replace_whole(folder, NAME, (json.dumps(content) + "\n").encode())
        yield
    finally:
        with suppress(OSError):  # a folder in its place, which was never ours
            (home / NAME).unlink()  # nobody else's, since we hold the lock
        os.close(folder)


class _Server(uvicorn.Server):
    """The HTTP server; it ends at a signal or when idle, and cancels requests that run ten seconds longer."""

    def __init__(self, service: Service, place: Listening) -> None:
        super().__init__(
            uvicorn.Config(
                service,
                log_config=None,
                access_log=False,
                server_header=False,
                date_header=True,
                lifespan="on",
                proxy_headers=False,
                http="h11",
                ws="none",
                h11_max_incomplete_event_size=32_768,
                timeout_keep_alive=30,
                limit_concurrency=_CONNECTIONS,
                timeout_graceful_shutdown=int(_GRACE_S) + 5,
            )
        )
        self._service, self._idle_s = service, (place.idle_minutes or 0) * 60.0

    async def main_loop(self) -> None:
        """Serve until a signal ends the server, or it was idle for `idle_minutes`, if it has that limit."""
        idle_task = asyncio.ensure_future(self._end_when_idle()) if self._idle_s else None
        await super().main_loop()
        if idle_task:
            idle_task.cancel()

    async def _end_when_idle(self) -> None:
        """Wait until no request came for the idle time, looking every five seconds or more often, then set
        `should_exit`, which ends the server.
        """
        while monotonic() - self._service.last_asked < self._idle_s:
            await asyncio.sleep(min(_CHECK_EVERY_S, self._idle_s))
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams that only listen, wait for running requests, and cancel those that take over ten seconds.
        `sockets` are those that the server listens at; uvicorn closes them.
        """
        self._service.hang_up()
        asyncio.get_running_loop().call_later(_GRACE_S, self._service.cancel)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Have SIGINT and SIGTERM end the server during a `with` block, without uvicorn's raising them again. Outside
        the main thread, do nothing.
        """
        if current_thread() is not main_thread():
            yield
            return
        old_handlers = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in old_handlers.items():
                signal.signal(each, handler)


def _log_job(outcome: JobOutcome) -> None:
    """Log the outcome of an upkeep job as a line of JSON on standard error, unless it had nothing to do."""
    if outcome.count or outcome.unreadable or outcome.problem:
        code = {"code": outcome.problem.code} if outcome.problem else {}
        sys.stderr.write(
            json.dumps({"job": outcome.job, "did": outcome.count, "unreadable": outcome.unreadable, **code}) + "\n"
        )
        sys.stderr.flush()
