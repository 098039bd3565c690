"""Requests in, answers out: the ASGI application. A request passes the gate, finds its route and runs in a thread."""

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
from pellucid.errors import InputError, NotFoundError, spelled_by
from pellucid.model.access import EVERYWHERE
from pellucid.settings.sections import ServerSettings
from pellucid.surfaces import inputs
from pellucid.surfaces.answers import Form, forms, missing_xray_text
from pellucid.surfaces.dashboard.acts import page_spelling
from pellucid.surfaces.dashboard.service import Dashboard, is_page
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.bodies import GoneError, chunks, fields, query_words, remove, save_upload
from pellucid.surfaces.http.forms import choose_form, content_type
from pellucid.surfaces.http.gate import Caller, Gate, allowed_namespace
from pellucid.surfaces.http.metrics import Metrics
from pellucid.surfaces.http.openapi import document
from pellucid.surfaces.http.refusals import HttpError, WholeAnswer, error_answer, is_unexpected, safe_error, status_of
from pellucid.surfaces.http.repeats import Repeats
from pellucid.surfaces.http.routes import SPELLING, Route, Routes
from pellucid.surfaces.http.running import Emit, OperationWork, Work
from pellucid.table import OPERATIONS
from pellucid.telemetry.watcher import CALLER

_SAFE = (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"))
_MB = 1 << 20
_LONGER = 20
"""Factor of the time limit for operations that write."""


@dataclass(slots=True)
class Exchange:
    """One request, the means to answer it, and its log fields, which say nothing of its content."""

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
        """Decode the request's headers."""
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in self.scope["headers"]}

    async def start(self, status: int, media: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        """Note `status` and send it with `media`, the request's id, `headers`, and those of `_SAFE` that these lack."""
        self.status = status
        safe = (each for each in _SAFE if each[0] not in dict(headers))
        every = (("Content-Type", media), ("Pellucid-Request-Id", self.id), *safe, *headers)
        pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in every]
        await self.send({"type": "http.response.start", "status": status, "headers": pairs})

    async def reply(self, reply: WholeAnswer) -> None:
        """Send an answer: a 304 if it is 200 and If-None-Match has its ETag or `*`; for HEAD, without a body."""
        tag = dict(reply.headers).get("ETag")
        client_tags = [each.strip().removeprefix("W/") for each in self.headers.get("if-none-match", "").split(",")]
        if tag and reply.status == 200 and (tag in client_tags or "*" in client_tags):
            reply = WholeAnswer(304, b"", reply.media, reply.headers)
        length = (("Content-Length", str(len(reply.body))),) if reply.status != 304 else ()
        await self.start(reply.status, reply.media, (*reply.headers, *length))
        body = b"" if self.scope["method"] == "HEAD" else reply.body
        await self.send({"type": "http.response.body", "body": body})

    async def piece(self, data: bytes) -> None:
        """Send a piece of a streamed answer of JSON lines; before the first, status 200 and headers."""
        if not self.status:
            await self.start(200, content_type("lines"), (("Cache-Control", "no-store"),))
        await self.send({"type": "http.response.body", "body": data, "more_body": True})

    async def watch(self, deadline: Deadline) -> None:
        """Wait until the client disconnects, then set `is_gone` and cancel `deadline`; other messages are dropped."""
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        deadline.cancel()

    def log(self) -> None:
        """Write a line of JSON to standard error: id, method, operation, asker, status, code, ms; none that is ""."""
        fields = {
            "request": self.id,
            "method": self.scope["method"],
            "operation": self.operation,
            "asker": self.asker,
            "status": self.status,
            "code": self.code,
            "ms": round(1000 * (monotonic() - self.began), 1),
        }
        sys.stderr.write(json.dumps({name: value for name, value in fields.items() if value != ""}) + "\n")
        sys.stderr.flush()


class Service:
    """The ASGI application that serves a home: operations, MCP, the dashboard, metrics."""

    def __init__(self, host: Host, gate: Gate, limits: ServerSettings) -> None:
        """Count the host's operations and recalls from now on. To serve MCP, too, set `mcp` before `living`."""
        self._host, self._gate, self._limits = host, gate, limits
        self._metrics = Metrics(host.app)
        host.watch(self._metrics)
        self._routes, self._repeats = Routes(OPERATIONS), Repeats()
        self._running: set[Deadline] = set()
        self._listening: set[anyio.CancelScope] = set()
        """Scopes of the MCP clients that hold a stream open and only listen."""
        self._threads: dict[bool, anyio.CapacityLimiter] = {}
        """Threads for work that reads (True) and that writes (False), apart so that no reader waits for a writer."""
        self.mcp: Any = None
        self.pages = Dashboard(gate, self._in_thread)
        self.last_asked = monotonic()
        self.ready = False

    @cached_property
    def _document(self) -> bytes:
        """The OpenAPI document as JSON in UTF-8, made at the first use."""
        return json.dumps(document(self._routes.all), indent=1).encode() + b"\n"

    def hang_up(self) -> None:
        """Close the streams of MCP clients that only listen, which would never end by themselves."""
        for each in list(self._listening):
            each.cancel()

    def cancel(self) -> None:
        """Cancel every running call: each ends with an error at the next check of its deadline."""
        for each in list(self._running):
            each.cancel()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one event of the ASGI server: its start and end (`lifespan`), or a request; ignore any other."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            with spelled_by(SPELLING):
                await self._serve(Exchange(scope, receive, send))

    async def _live(self, receive: Any, send: Any) -> None:
        """Follow ASGI's lifespan protocol: be ready between the server's startup and shutdown."""
        await receive()
        async with self.living():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def living(self) -> AsyncGenerator[None]:
        """For the length of an `async with` block, be `ready` for requests, and run the MCP server if there is one."""
        self._threads = {asks: anyio.CapacityLimiter(self._limits.calls) for asks in (True, False)}
        async with AsyncExitStack() as stack:
            if self.mcp is not None:
                await stack.enter_async_context(self.mcp.running())
            stack.callback(setattr, self, "ready", False)
            self.ready = True
            yield

    async def _serve(self, exchange: Exchange) -> None:
        """Answer one request, count it and log it. An error becomes an answer, or a `ConnectionAbortedError` if an
        answer has begun; if the client is gone, that is only logged (status 499).
        """
        self.last_asked = monotonic()
        CALLER.set(exchange.headers)
        try:
            await self._answer(exchange)
        except GoneError:
            exchange.status, exchange.code = 499, "gone"
        except Exception as error:  # the edge: nothing of it may leak, and nothing may stop the rest
            reported = safe_error(error, exchange.id)
            exchange.code = reported.code
            if exchange.status:  # the head is out: the client sees that the rest is missing
                raise ConnectionAbortedError from error
            trace = {"traceId": exchange.id} if is_unexpected(reported) else {}
            await exchange.reply(error_answer(reported, **trace))
        finally:
            self._metrics.answered(exchange.status)
            exchange.log()

    async def _answer(self, exchange: Exchange) -> None:
        """Answer by the path: a dashboard page, which makes its own checks; a health check after checking the origin;
        anything else after checking origin and token.
        """
        path: str = exchange.scope["path"]
        if is_page(path):
            with spelled_by(page_spelling()):
                await self.pages.answer(exchange)
            return
        self._gate.check_origin(exchange.headers)
        if path in ("/healthz", "/readyz"):
            is_well = path == "/healthz" or self.ready
            await exchange.reply(
                WholeAnswer(200, b'{"ok": true}\n') if is_well else WholeAnswer(503, b'{"ok": false}\n')
            )
            return
        caller = self._gate.authenticate(exchange.headers)
        exchange.asker = caller.name
        if path == "/mcp" or path.startswith("/mcp/"):
            await self._answer_by_mcp(exchange, caller)
        elif path == "/openapi.json":
            await exchange.reply(WholeAnswer(200, self._document))
        elif path == "/metrics":
            allowed_namespace(caller, "admin", EVERYWHERE)
            media, text = await anyio.to_thread.run_sync(self._metrics.page, exchange.headers.get("accept", ""))
            await exchange.reply(WholeAnswer(200, text, media))
        else:
            await self._answer_by_operation(exchange, caller)

    async def _answer_by_mcp(self, exchange: Exchange, caller: Caller) -> None:
        """Have the MCP server answer; the caller is passed to it as `principal`. `HttpError` 404 if there is no MCP
        server.
        """
        if self.mcp is None:
            raise HttpError(404, "not_found", "there is no such path", "GET /openapi.json names all there are")

        is_whole = False

        async def send(message: dict[str, Any]) -> None:
            """Pass an ASGI message on; note its status, and in `is_whole` whether it ends the answer."""
            nonlocal is_whole
            exchange.status = message.get("status", exchange.status)
            is_whole = message["type"] == "http.response.body" and not message.get("more_body", False)
            await exchange.send(message)

        exchange.operation = "mcp"
        state = {**exchange.scope.get("state", {}), "principal": caller}
        with anyio.CancelScope() as listening:
            if exchange.scope["method"] == "GET":
                self._listening.add(listening)
            try:
                await self.mcp.app({**exchange.scope, "state": state}, exchange.receive, send)
            finally:
                self._listening.discard(listening)
        if exchange.status and not is_whole:  # the server ends, and closes the stream properly
            await exchange.send({"type": "http.response.body", "body": b""})

    async def _answer_by_operation(self, exchange: Exchange, caller: Caller) -> None:
        """Find the route, check the caller's right, and answer by the operation. A missing X-ray is an answer, with
        status 404; any other error is raised.
        """
        route, path_fields = self._routes.find(exchange.scope["method"], exchange.scope["raw_path"])
        exchange.operation = route.row.name
        query = query_words(exchange.scope["query_string"])
        place = EVERYWHERE if route.is_of_home else _take_one(query, "namespace")
        progress: tuple[Form, ...] = ("lines",) if inputs.file_field(route.row) else ()
        offered = (*forms(route.row), *progress)
        form = choose_form(offered, _take_one(query, "format"), exchange.headers.get("accept", ""))
        verbose = ("false" if (said := _take_one(query, "verbose")) is None else said).lower() in ("true", "1", "")
        try:
            namespace = allowed_namespace(caller, route.row.access, place)
            work = OperationWork(route, namespace, {**path_fields}, form, verbose, caller.speaks_as(namespace))
            await self._read_and_run(exchange, caller, work, query)
        except NotFoundError as error:
            missing_text = missing_xray_text(route.row, error, form, verbose=verbose)
            if missing_text is None:
                raise
            exchange.code = error.code
            await exchange.reply(WholeAnswer(status_of(error), missing_text.encode(), content_type(form)))

    async def _read_and_run(
        self, exchange: Exchange, caller: Caller, work: OperationWork, query: dict[str, list[str]]
    ) -> None:
        """Read the fields or the upload (deleted afterwards), run the operation with these and the path's fields, and
        reply. `InputError` for an unknown or misplaced field; other errors as of `chunks` and `_check_fields`.
        """
        route, headers, home, file = work.route, exchange.headers, self._host.app.settings.home, None
        if headers.get("transfer-encoding") is None and not headers.get("content-length", "0").isdigit():
            raise InputError("the length of the body is no number")
        if inputs.file_field(route.row):
            values = inputs.parse_query(route.row, query)  # before: nothing is kept of a request that cannot be read
            file, digest = await save_upload(exchange.receive, self._limits.import_mb * _MB, home)
        else:
            body = b"".join([each async for each in chunks(exchange.receive, self._limits.body_mb * _MB)])
            digest = hashlib.sha256(body).hexdigest()
            media = headers.get("content-type", "")
            values = fields(body, media) if route.has_body else inputs.parse_query(route.row, query)
            if route.has_body and query:
                raise InputError(f"{json.dumps(next(iter(query)))} belongs in the body", code="misplaced_field")
        try:
            _check_fields(route, values, caller)
            work = replace(work, values={**values, **work.values}, file=file)
            request_id = f"{exchange.scope['raw_path']} {exchange.scope['query_string']} {work.form} {digest}"
            await self._run_once(exchange, caller, work, request_id)
        finally:
            if file:
                remove(file)

    async def _run_once(self, exchange: Exchange, caller: Caller, work: OperationWork, request_id: str) -> None:
        """Run an operation and answer, or repeat the answer that the same request (`request_id`) got under its
        Idempotency-Key: `InputError` if that is malformed, `ConflictError` if it was another request's, or the same is
        running. The header is ignored for operations that only read, and for secrets.
        """
        key = exchange.headers.get("idempotency-key")
        if key is None or work.route.row.effect == "read" or work.route.row.gives_secret:
            await self._run(exchange, caller, work)
            return
        if not (0 < len(key) <= 255 and key.isprintable()):
            raise InputError("the Idempotency-Key is to have up to 255 characters that can be shown")
        if earlier := self._repeats.earlier_answer(caller.name, key, request_id):
            await exchange.reply(earlier)
            return
        reply: WholeAnswer | None = None
        try:
            reply = await self._run(exchange, caller, work)
        finally:
            self._repeats.keep(caller.name, key, reply)

    async def _run(self, exchange: Exchange, caller: Caller, work: OperationWork) -> WholeAnswer | None:
        """Run an operation within its time limit (20 times as long for one that writes), send its answer and return it;
        None if it was streamed. Notes the token's use; an erasure drops all answers kept for repeated requests.
        """
        row = work.route.row
        deadline = Deadline(self._limits.time_limit_s * (1 if work.asks else _LONGER))
        reply = await self._in_thread(exchange, work, deadline)
        if row.effect == "erase":
            self._repeats.forget()
        if not caller.is_owner:
            await anyio.to_thread.run_sync(self._gate.note_use, caller)
        if reply is None:
            await exchange.send({"type": "http.response.body", "body": b""})
        else:
            exchange.code = "" if reply.status < 300 else "failed"
            await exchange.reply(reply)
        return reply

    async def _in_thread(self, exchange: Exchange, work: Work, deadline: Deadline) -> WholeAnswer | None:
        """Run work in a thread and return its answer, None if it was streamed; cancel it if the client disconnects.

        An exception of the work is raised here; `HttpError` 503 if `limits.waiting` works run or wait already,
        `GoneError` if the client is gone.
        """
        if len(self._running) >= self._limits.waiting:
            raise HttpError(503, "busy", "too many requests wait already", "ask again in a second")

        def emit(data: bytes) -> None:
            """Send a piece of the answer from the work's thread; `DeadlineError` if its time is over."""
            deadline.check()
            anyio.from_thread.run(exchange.piece, data)

        self._running.add(deadline)
        reply: WholeAnswer | Exception | None = None
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(exchange.watch, deadline)
                run = partial(_run_or_error, work, self._host, deadline, emit)
                reply = await anyio.to_thread.run_sync(run, limiter=self._threads[work.asks])
                group.cancel_scope.cancel()
        finally:
            self._running.discard(deadline)
        if exchange.is_gone:
            raise GoneError
        if isinstance(reply, Exception):
            raise reply
        return reply


def _run_or_error(work: Work, host: Host, deadline: Deadline, emit: Emit) -> WholeAnswer | Exception | None:
    """Do the work and delete its upload; return the answer, None if it was streamed, or the exception raised."""
    try:
        return work.run(host, deadline, emit)
    except Exception as error:  # noqa: BLE001  # it is raised again by `_in_thread`
        return error
    finally:
        if work.file:  # before the answer, so that nothing is left when the client has that
            remove(work.file)


def _take_one(query: dict[str, list[str]], name: str) -> str | None:
    """Remove a parameter from the query and return its value; None if it is not there, `InputError` if repeated."""
    words = query.pop(name, [])
    if len(words) > 1:
        raise InputError(f"{json.dumps(name)} is given {len(words)} times, and takes one value")
    return words[0] if words else None


def _check_fields(route: Route, values: Mapping[str, object], caller: Caller) -> None:
    """Raise `InputError` for a field the route lacks, `HttpError` 403 for one whose right is not granted everywhere."""
    for name in values:
        if name not in route.fields:
            raise InputError(
                f"{json.dumps(name)} is no field of this path", next_step="/openapi.json says what it takes"
            )
    for name in inputs.fields_beyond_namespace(route.row, values):
        if not caller.may(route.row.access, EVERYWHERE):
            message = f"{json.dumps(name)} takes {route.row.access} everywhere, which the token does not grant"
            raise HttpError(403, "not_granted", message, "leave it out, or ask whoever runs the server")
