"""An ASGI application: every request passes the gate, finds its route, and is run in a thread of its own."""

import hashlib
import json
import secrets
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from time import monotonic
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread

from pellucid.deadline import Deadline
from pellucid.errors import InputError, NotFoundError
from pellucid.model.access import EVERYWHERE
from pellucid.settings.sections import ServerSettings
from pellucid.surfaces import asking
from pellucid.surfaces.answers import Form, forms, without_snapshot
from pellucid.surfaces.commands import spelled_by
from pellucid.surfaces.dashboard.service import Dashboard, is_page
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.bodies import GoneError, chunks, fields, query_words, remove, spooled
from pellucid.surfaces.http.forms import chosen, content_type
from pellucid.surfaces.http.gate import Caller, Gate, allowed
from pellucid.surfaces.http.metrics import Metrics
from pellucid.surfaces.http.openapi import document
from pellucid.surfaces.http.refusals import HttpError, WholeAnswer, error_answer, foreseen, is_unforeseen, status_of
from pellucid.surfaces.http.repeats import Repeats, is_key
from pellucid.surfaces.http.routes import SPELLING, Route, Routes
from pellucid.surfaces.http.running import Emit, OperationWork, Work
from pellucid.table import OPERATIONS
from pellucid.telemetry.watcher import CALLER

_SAFE = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))
_MB = 1 << 20
_LONGER = 20
"""How much longer than a question something may take that writes."""


@dataclass(slots=True)
class Exchange:
    """One request, and what is said of it in the log: nothing of what was asked or answered."""

    scope: Mapping[str, Any]
    receive: Any
    send: Any
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    began: float = field(default_factory=monotonic)
    asker: str = ""
    operation: str = ""
    status: int = 0
    code: str = ""
    is_gone: bool = False
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in self.scope["headers"]}

    async def start(self, status: int, media: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        """Send the head of the answer."""
        self.status = status
        safe = (each for each in _SAFE if each[0] not in dict(headers))
        told = (("Content-Type", media), ("Pellucid-Request-Id", self.id), *safe, *headers)
        pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in told]
        await self.send({"type": "http.response.start", "status": status, "headers": pairs})

    async def reply(self, reply: WholeAnswer) -> None:
        """Send a whole answer; of one that the client has already, that."""
        tag = dict(reply.headers).get("ETag")
        known = [each.strip().removeprefix("W/") for each in self.headers.get("if-none-match", "").split(",")]
        if tag and reply.status == 200 and (tag in known or "*" in known):
            reply = WholeAnswer(304, b"", reply.media, reply.headers)
        length = (("Content-Length", str(len(reply.body))),) if reply.status != 304 else ()
        await self.start(reply.status, reply.media, (*reply.headers, *length))
        body = b"" if self.scope["method"] == "HEAD" else reply.body
        await self.send({"type": "http.response.body", "body": body})

    async def piece(self, data: bytes) -> None:
        """Send a piece of an answer in lines, and its head before the first."""
        if not self.status:
            await self.start(200, content_type("lines"), (("Cache-Control", "no-store"),))
        await self.send({"type": "http.response.body", "body": data, "more_body": True})

    async def watch(self, deadline: Deadline) -> None:
        """Cancel the call when the client goes away."""
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        deadline.cancel()

    def log(self) -> None:
        """One line of JSON on standard error."""
        said = {
            "request": self.id,
            "method": self.scope["method"],
            "operation": self.operation,
            "asker": self.asker,
            "status": self.status,
            "code": self.code,
            "ms": round(1000 * (monotonic() - self.began), 1),
        }
        sys.stderr.write(json.dumps({name: value for name, value in said.items() if value != ""}) + "\n")
        sys.stderr.flush()


class Service:
    """The application."""

    def __init__(self, host: Host, gate: Gate, limits: ServerSettings) -> None:
        self._host, self._gate, self._limits = host, gate, limits
        self._metrics = Metrics(host.app)
        host.watch(self._metrics)
        self._routes, self._repeats = Routes(OPERATIONS), Repeats()
        self._running: set[Deadline] = set()
        self._listening: set[anyio.CancelScope] = set()
        """Of clients that ask nothing, and wait for what they are told."""
        self._threads: dict[bool, anyio.CapacityLimiter] = {}
        """Of those who ask, and of those who write, who may wait for each other: nobody who asks waits behind them."""
        self.mcp: Any = None
        self.pages = Dashboard(gate, self._in_thread)
        self.last_asked = monotonic()
        self.ready = False

    @cached_property
    def _document(self) -> bytes:
        return json.dumps(document(self._routes.all), indent=1).encode() + b"\n"

    def hang_up(self) -> None:
        """End the streams of those who only listen."""
        for each in list(self._listening):
            each.cancel()

    def cancel(self) -> None:
        """Give up every call that is under way."""
        for each in list(self._running):
            each.cancel()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve what the server hands over: its own beginning and end, or a request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            with spelled_by(SPELLING):
                await self._serve(Exchange(scope, receive, send))

    async def _live(self, receive: Any, send: Any) -> None:
        """Open and close beside the server that hosts this application (ASGI's lifespan)."""
        await receive()
        async with self.living():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def living(self) -> AsyncGenerator[None]:
        """While requests may come."""
        self._threads = {asks: anyio.CapacityLimiter(self._limits.calls) for asks in (True, False)}
        async with AsyncExitStack() as open_ones:
            if self.mcp is not None:
                await open_ones.enter_async_context(self.mcp.running())
            self.ready = True
            yield
            self.ready = False

    async def _serve(self, exchange: Exchange) -> None:
        """Answer one request, whatever goes wrong, and log it."""
        self.last_asked = monotonic()
        CALLER.set(exchange.headers)
        try:
            await self._answer(exchange)
        except GoneError:
            exchange.status, exchange.code = 499, "gone"
        except Exception as error:  # noqa: BLE001  # the edge: nothing of it may be told, and nothing may stop the rest
            told = foreseen(error, exchange.id)
            exchange.code = told.code
            await self._fail(exchange, error_answer(told, **({"traceId": exchange.id} if is_unforeseen(told) else {})))
        finally:
            self._metrics.answered(exchange.status)
            exchange.log()

    async def _fail(self, exchange: Exchange, reply: WholeAnswer) -> None:
        if exchange.status:  # the head is out: the client sees that the rest is missing
            raise ConnectionAbortedError
        await exchange.reply(reply)

    async def _answer(self, exchange: Exchange) -> None:
        """Check where a request comes from and who asks, then hand it to what answers its path."""
        path: str = exchange.scope["path"]
        if is_page(path):
            await self.pages.answer(exchange)
            return
        self._gate.check_place(exchange.headers)
        if path in ("/healthz", "/readyz"):
            is_well = path == "/healthz" or self.ready
            await exchange.reply(
                WholeAnswer(200 if is_well else 503, b'{"ok": %s}\n' % (b"true" if is_well else b"false"))
            )
            return
        asker = self._gate.asker(exchange.headers)
        exchange.asker = asker.name
        if path == "/mcp" or path.startswith("/mcp/"):
            await self._hand_to_mcp(exchange, asker)
        elif path == "/openapi.json":
            await exchange.reply(WholeAnswer(200, self._document))
        elif path == "/metrics":
            allowed(asker, "admin", EVERYWHERE)
            media, text = await anyio.to_thread.run_sync(self._metrics.page, exchange.headers.get("accept", ""))
            await exchange.reply(WholeAnswer(200, text, media))
        else:
            await self._operate(exchange, asker)

    async def _hand_to_mcp(self, exchange: Exchange, asker: Caller) -> None:
        """Have the MCP server answer, for this caller."""
        if self.mcp is None:
            raise HttpError(404, "not_found", "there is no such path", "GET /openapi.json names all there are")

        is_whole = False

        async def send(message: dict[str, Any]) -> None:
            nonlocal is_whole
            exchange.status = message.get("status", exchange.status)
            is_whole = message["type"] == "http.response.body" and not message.get("more_body", False)
            await exchange.send(message)

        exchange.operation = "mcp"
        state = {**exchange.scope.get("state", {}), "principal": asker}
        with anyio.CancelScope() as listening:
            if exchange.scope["method"] == "GET":
                self._listening.add(listening)
            try:
                await self.mcp.app({**exchange.scope, "state": state}, exchange.receive, send)
            finally:
                self._listening.discard(listening)
        if exchange.status and not is_whole:  # the server ends: so does the stream, and is not cut off
            await exchange.send({"type": "http.response.body", "body": b""})

    async def _operate(self, exchange: Exchange, asker: Caller) -> None:
        """Find the route of a request and run its operation."""
        route, named = self._routes.find(exchange.scope["method"], exchange.scope["raw_path"])
        exchange.operation = route.row.name
        query = query_words(exchange.scope["query_string"])
        place = EVERYWHERE if route.is_of_home else _one(query, "namespace")
        form = chosen(_forms(route), _one(query, "format"), exchange.headers.get("accept", ""))
        verbose = (_one(query, "verbose") or "false").lower() in ("true", "1", "")
        try:
            namespace = allowed(asker, route.row.access, place)
            await self._ask(
                exchange,
                asker,
                OperationWork(route, namespace, {**named}, form, verbose, asker.speaks_as(namespace)),
                query,
            )
        except NotFoundError as error:
            absent = without_snapshot(route.row, error, form, verbose=verbose)
            if absent is None:
                raise
            exchange.code = error.code
            await exchange.reply(WholeAnswer(status_of(error), absent.encode(), content_type(form)))

    async def _ask(self, exchange: Exchange, asker: Caller, work: OperationWork, query: dict[str, list[str]]) -> None:
        """Run an operation with the fields of its query or its body beside those of its path."""
        route = work.route
        if (
            exchange.headers.get("transfer-encoding") is None
            and not exchange.headers.get("content-length", "0").isdigit()
        ):
            raise InputError("the length of the body is no number")
        if asking.file_field(route.row):
            file, print_ = await spooled(exchange.receive, self._limits.import_mb * _MB, self._host.app.settings.home)
            given = asking.from_words(route.row, query)
        else:
            file, body = None, b"".join([each async for each in chunks(exchange.receive, self._limits.body_mb * _MB)])
            print_ = hashlib.sha256(body).hexdigest()
            media = exchange.headers.get("content-type", "")
            given = fields(body, media) if route.has_body else asking.from_words(route.row, query)
            if route.has_body and query:
                raise InputError(f"{json.dumps(next(iter(query)))} belongs in the body", code="misplaced_field")
        try:
            _check_names(route, given, asker)
            work = replace(work, given={**given, **work.given}, file=file)
            asked_for = f"{exchange.scope['raw_path']} {exchange.scope['query_string']} {work.form} {print_}"
            await self._once(exchange, asker, work, asked_for)
        finally:
            if file:
                remove(file)

    async def _once(self, exchange: Exchange, asker: Caller, work: OperationWork, print_: str) -> None:
        """Run an operation, or repeat the answer given under the client's key; `print_` is the request's digest."""
        key = exchange.headers.get("idempotency-key")
        if key is None or work.route.row.effect == "read" or work.route.row.gives_secret:
            await self._run(exchange, asker, work)
            return
        if not is_key(key):
            raise InputError("the Idempotency-Key is to have up to 255 characters that can be shown")
        if before := self._repeats.before(asker.name, key, print_):
            await exchange.reply(before)
            return
        reply: WholeAnswer | None = None
        try:
            reply = await self._run(exchange, asker, work)
        finally:
            self._repeats.keep(asker.name, key, reply)

    async def _run(self, exchange: Exchange, asker: Caller, work: OperationWork) -> WholeAnswer | None:
        """Run an operation in a thread within its time; None where its answer was sent piece by piece."""
        row = work.route.row
        deadline = Deadline(self._limits.time_limit_s * (1 if work.asks else _LONGER))
        reply = await self._in_thread(exchange, work, deadline)
        if row.effect == "erase":
            self._repeats.forget()
        if asker.name not in ("owner", "loopback"):
            await anyio.to_thread.run_sync(self._gate.note_use, asker)
        if reply is None:
            await exchange.send({"type": "http.response.body", "body": b""})
        else:
            exchange.code = "" if reply.status < 300 else "failed"
            await exchange.reply(reply)
        return reply

    async def _in_thread(self, exchange: Exchange, work: Work, deadline: Deadline) -> WholeAnswer | None:
        """Run it where it delays nobody; a client that goes away takes its call with it."""
        if len(self._running) >= self._limits.waiting:
            raise HttpError(503, "busy", "too many requests wait already", "ask again in a second")

        def emit(data: bytes) -> None:
            deadline.check()
            anyio.from_thread.run(exchange.piece, data)

        self._running.add(deadline)
        reply: WholeAnswer | Exception | None = None
        try:
            async with anyio.create_task_group() as beside:
                beside.start_soon(exchange.watch, deadline)
                settle = partial(_settled, work, self._host, deadline, emit)
                reply = await anyio.to_thread.run_sync(settle, limiter=self._threads[work.asks])
                beside.cancel_scope.cancel()
        finally:
            self._running.discard(deadline)
        if exchange.is_gone:
            raise GoneError
        if isinstance(reply, Exception):
            raise reply
        return reply


def _settled(work: Work, host: Host, deadline: Deadline, emit: Emit) -> WholeAnswer | Exception | None:
    """What came of the work, what went wrong with it included: no thread ends by that."""
    try:
        return work.run(host, deadline, emit)
    except Exception as error:  # noqa: BLE001  # it is raised again where it is answered
        return error
    finally:
        if work.file:  # before the answer: who has that knows that nothing else is left
            remove(work.file)


def _forms(route: Route) -> tuple[Form, ...]:
    """Those of the answer; and lines of progress, where a file is sent."""
    return (*forms(route.row), *(("lines",) if asking.file_field(route.row) else ()))


def _one(query: dict[str, list[str]], name: str) -> str | None:
    words = query.pop(name, [])
    if len(words) > 1:
        raise InputError(f"{json.dumps(name)} is given {len(words)} times, and takes one value")
    return words[0] if words else None


def _check_names(route: Route, given: Mapping[str, object], asker: Caller) -> None:
    """See that every field is one of this path, and that what reaches beyond the namespace may."""
    for name in given:
        if name not in route.fields:
            raise InputError(
                f"{json.dumps(name)} is no field of this path", next_step="/openapi.json says what it takes"
            )
    for name in asking.beyond(route.row, given):
        if not asker.may(route.row.access, EVERYWHERE):
            told = f"{json.dumps(name)} takes {route.row.access} everywhere, which the token does not grant"
            raise HttpError(403, "not_granted", told, "leave it out, or ask whoever runs the server")
