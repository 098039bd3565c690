"""A home and where to listen in, a process that serves it out: one a home, found by its file, ended by a signal."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import current_thread, main_thread
from time import monotonic

import uvicorn

from pellucid.clock import isoformat
from pellucid.errors import ConflictError, InputError
from pellucid.operations.upkeep import Done
from pellucid.settings import Settings
from pellucid.store.local.database import make_private_folder, os_errors_explained
from pellucid.store.local.lock import exclusive
from pellucid.store.local.vault import files
from pellucid.surfaces.host import Host
from pellucid.surfaces.http import bodies
from pellucid.surfaces.http.gate import LOOPBACK, Gate
from pellucid.surfaces.http.service import Service
from pellucid.surfaces.http.watching import Watching
from pellucid.surfaces.mcp.http import granted, mounted

NAME, LOCK = "server.json", "server.lock"
_GRACE_S = 10.0
_CONNECTIONS = 2048
_LOOKS_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a server listens, and by which names it may be asked."""

    host: str = "127.0.0.1"
    port: int = 8787
    """0: any that is free."""
    names: tuple[str, ...] = ()
    """Further names, as of a proxy in front of it."""
    insecure_loopback: bool = False
    """Whether programs of this machine need no token."""
    idle_minutes: int | None = None
    """After so long without a request it ends."""

    @property
    def is_loopback(self) -> bool:
        """Whether nothing but this machine can reach it."""
        return self.host in LOOPBACK

    @property
    def is_for_others(self) -> bool:
        """Whether it may serve more than its own user: it can be reached from elsewhere, or through a proxy."""
        return not self.is_loopback or bool(self.names)


def serve(
    settings: Settings,
    place: Listening,
    note: Callable[[str], None],
    started: Callable[[uvicorn.Server], None] = lambda _server: None,
) -> None:
    """Serve a home until a signal ends it, or whoever was given the server when it `started`.

    Raises:
        ConflictError: it is served already.
        InputError: others could reach it, and no token guards it, or its name was not said.
        StoreError: the home cannot be opened.
    """
    if place.is_for_others and "store_query_text" not in settings.recall.model_fields_set:
        settings = _without_words(settings)
        note("the words of questions are not kept here: recall.storeQueryText says otherwise")
    with os_errors_explained(settings.home):
        make_private_folder(settings.home)
    with exclusive(settings.home / LOCK, 0.0) as is_ours:
        if not is_ours:
            raise _served(settings.home)
        bodies.clear(settings.home)
        with _listening(place) as door, Host(settings, report=note, done=_log) as host:
            _check(host, place)
            gate = Gate(host.app, LOOPBACK | {place.host, *place.names}, needs_token=not place.insecure_loopback)
            service = Service(host, gate, settings.server)
            service.mcp = mounted(granted(host))
            port = int(door.getsockname()[1])
            with _announced(host, gate, place.host, port), Watching(host, _log):
                note(f"serving {settings.home} at http://{_spelled(place.host)}:{port} (Ctrl-C ends it)")
                server = _Server(service, place)
                started(server)
                server.run(sockets=[door])


def _check(host: Host, place: Listening) -> None:
    """See that others can reach the home only through a token, and by a name that was said."""
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


def _without_words(settings: Settings) -> Settings:
    recall = settings.recall.model_copy(update={"store_query_text": False})
    return settings.model_copy(update={"recall": recall})


def _served(home: Path) -> ConflictError:
    """The error that a home is served already, and where."""
    try:
        told = json.loads((home / NAME).read_text("utf-8"))
        where = f"at http://{_spelled(told['host'])}:{told['port']}, by process {told['pid']}"
    except (OSError, ValueError, KeyError, TypeError):
        where = "by another process"
    return ConflictError(f"{home} is served already, {where}", next_step="ask that one, or end it first")


def _spelled(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def _listening(place: Listening) -> Generator[socket.socket]:
    """A socket that listens where that was asked."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    door = socket.socket(family)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((place.host, place.port))
        door.listen(1024)  # who finds the file is not refused: he waits until it is ready
    except (OSError, OverflowError) as error:
        door.close()
        raise InputError(
            f"nobody can listen at {place.host}:{place.port}: {error}",
            code="invalid_port",
            next_step="--port 0 finds one",
        ) from error
    with door:
        yield door


@contextmanager
def _announced(host: Host, gate: Gate, name: str, port: int) -> Generator[None]:
    """The file by which programs of the same user find the server, for as long as it runs."""
    home = host.app.settings.home
    told = {
        "pid": os.getpid(),
        "host": name,
        "port": port,
        "startedAt": isoformat(host.app.clock.now()),
        "token": gate.run_token,
    }
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with os_errors_explained(home / NAME):
            files.replace_whole(folder, NAME, (json.dumps(told) + "\n").encode())
        yield
    finally:
        (home / NAME).unlink(missing_ok=True)  # ours, for we hold the lock
        os.close(folder)


class _Server(uvicorn.Server):
    """It ends at a signal, or when nobody asked for long: what is under way has ten seconds, then it is given up."""

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
        """Until it is to end."""
        idle = asyncio.ensure_future(self._end_when_idle()) if self._idle_s else None
        await super().main_loop()
        if idle:
            idle.cancel()

    async def _end_when_idle(self) -> None:
        while monotonic() - self._service.last_asked < self._idle_s:
            await asyncio.sleep(min(_LOOKS_EVERY_S, self._idle_s))
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let what is under way end, and give up what does not."""
        self._service.hang_up()
        asyncio.get_running_loop().call_later(_GRACE_S, self._service.cancel)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals end it, once; that is no failure."""
        if current_thread() is not main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def _log(done: Done) -> None:
    """What came of a job that is done beside; of one that did nothing, nothing."""
    if done.count or done.unreadable or done.problem:
        code = {"code": done.problem.code} if done.problem else {}
        sys.stderr.write(json.dumps({"job": done.job, "did": done.count, "unreadable": done.unreadable, **code}) + "\n")
        sys.stderr.flush()
