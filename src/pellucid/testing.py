"""A script of answers in, an OpenAI-compatible server on loopback out: for tests of an agent's memory without a model.

    with ScriptedServer(answer({"facts": []}), status(429, {"Retry-After": "0"})) as server:
        ...  # point llm.baseUrl at server.base_url
    print(server.requests)

It serves `/v1/chat/completions` and `/v1/responses`, and below `address` the `/v2/rerank` of a reranker, one step of
its script a request, in order. It listens on 127.0.0.1 alone, and ends with its `with` block, or with the process.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self, cast

PATHS = ("/v1/chat/completions", "/v1/responses", "/v2/rerank")
_LARGEST_REQUEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Step:
    """What the server does with one request; `answer`, `status`, `raw` and `hang_up` make the usual ones.

    `text` is what the model says; `body` replaces the whole response body. Seconds: `delay_s` before the first byte,
    `trickle_s` between any two bytes of the body. `cut` sends so many bytes of the body and hangs up.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    finish: str = "stop"
    refusal: str | None = None
    input_tokens: int | None = 100
    output_tokens: int | None = 50
    delay_s: float = 0.0
    trickle_s: float = 0.0
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """One request as it arrived: header names in lower case, `body` the parsed JSON."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The instructions, whichever API was used."""
        return self._words_of_role("system") if "messages" in self.body else str(self.body.get("instructions", ""))

    @property
    def user(self) -> str:
        """The data, whichever API was used."""
        return self._words_of_role("user") if "messages" in self.body else str(self.body.get("input", ""))

    def _words_of_role(self, role: str) -> str:
        return "\n".join(str(message["content"]) for message in self.body["messages"] if message["role"] == role)


Script = Callable[[ScriptedRequest], Step]


def answer(value: object, **more: Any) -> Step:
    """The model says `value`: a string as it is, anything else as JSON. `more` are fields of Step."""
    return Step(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), **more)


def ranking(*scores: float, **more: Any) -> Step:
    """A reranker gives the texts these scores, in the order of the texts; the answer lists the best first."""
    results = [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]
    results.sort(key=lambda result: -result["relevance_score"])
    made = {"id": "rerank-scripted", "results": results, "meta": {"api_version": {"version": "2"}}}
    return raw(json.dumps(made).encode(), **more)


def status(code: int, headers: Mapping[str, str] | None = None, body: object = None, **more: Any) -> Step:
    """An HTTP status with an error body (any JSON; a plain one by default)."""
    error = {"error": {"message": f"scripted {code}", "type": "scripted", "param": None, "code": None}}
    return raw(json.dumps(error if body is None else body).encode(), status=code, headers=headers or {}, **more)


def raw(body: bytes, **more: Any) -> Step:
    """These bytes as the response body, whatever they are."""
    return Step(body=body, **more)


def hang_up() -> Step:
    """The connection is closed without a word."""
    return Step(status=0)


class ScriptedServer:
    """The server; see above. A script is steps in order, or one function from a request to its step.

    After its last step a script of steps answers 503 with the code `script_over`.
    """

    def __init__(self, *script: Step | Script) -> None:
        self.requests: list[ScriptedRequest] = []
        self._script = script
        self._lock = Lock()
        self._ending = Event()
        self._server: _ChatServer | None = None

    @property
    def base_url(self) -> str:
        """What to set as `llm.baseUrl`."""
        return f"{self.address}/v1"

    @property
    def address(self) -> str:
        """What to set as `rerank.baseUrl`; the port is the operating system's choice."""
        assert self._server, "the server runs inside its with block"
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._server = _ChatServer(self)
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def step_for(self, request: ScriptedRequest) -> Step:
        """Record a request and say what is done with it."""
        with self._lock:
            at = len(self.requests)
            self.requests.append(request)
        if len(self._script) == 1 and callable(self._script[0]):
            return self._script[0](request)
        steps = [step for step in self._script if isinstance(step, Step)]
        return steps[at] if at < len(steps) else status(503, body={"error": {"code": "script_over"}})

    def rest(self, seconds: float) -> None:
        """Wait, but not longer than the server lives."""
        self._ending.wait(seconds)


class _ChatServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: ScriptedServer) -> None:
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client may go away at any moment; anything else is reported as the library does."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(cast("socket", request), client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self) -> None:
        if self.path not in PATHS:
            self._write(status(404))
            return
        body = self.rfile.read(min(int(self.headers.get("Content-Length", "0")), _LARGEST_REQUEST))
        headers = {name.lower(): value for name, value in self.headers.items()}
        script = cast("_ChatServer", self.server).script
        step = script.step_for(ScriptedRequest(self.path, headers, cast("dict[str, Any]", json.loads(body))))
        script.rest(step.delay_s)
        try:
            self._write(step)
        except ConnectionError:  # the client has gone, as a client with a deadline does
            self.close_connection = True

    def _write(self, step: Step) -> None:
        self.close_connection = True
        if not step.status:
            return
        body = _body(step, self.path) if step.body is None else step.body
        self.send_response(step.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        for name, value in step.headers.items():
            self.send_header(name, value)
        self.end_headers()
        sent = body if step.cut is None else body[: step.cut]
        if not step.trickle_s:
            self.wfile.write(sent)
            return
        for at in range(len(sent)):
            self.wfile.write(sent[at : at + 1])
            cast("_ChatServer", self.server).script.rest(step.trickle_s)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the library's)
        """Nothing: a test's output is the test's own."""


def _body(step: Step, path: str) -> bytes:
    made = _response(step) if path == "/v1/responses" else _completion(step)
    return json.dumps(made, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _completion(step: Step) -> dict[str, object]:
    message = {"role": "assistant", "content": None if step.refusal else step.text, "refusal": step.refusal}
    made: dict[str, object] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": step.finish}],
    }
    return made | _usage(step, "prompt_tokens", "completion_tokens")


def _response(step: Step) -> dict[str, object]:
    said: dict[str, object] = {"type": "output_text", "text": step.text, "annotations": []}
    refused = {"type": "refusal", "refusal": step.refusal}
    causes = {"length": "max_output_tokens", "content_filter": "content_filter"}
    made: dict[str, object] = {
        "id": "resp_scripted",
        "object": "response",
        "created_at": 0,
        "model": "scripted",
        "status": "incomplete" if step.finish in causes else "completed",
        "incomplete_details": {"reason": causes[step.finish]} if step.finish in causes else None,
        "output": [
            {"type": "reasoning", "id": "rs_scripted", "summary": []},
            {
                "type": "message",
                "id": "msg_scripted",
                "role": "assistant",
                "status": "completed",
                "content": [refused if step.refusal else said],
            },
        ],
    }
    return made | _usage(step, "input_tokens", "output_tokens")


def _usage(step: Step, entered: str, left: str) -> dict[str, object]:
    if step.input_tokens is None or step.output_tokens is None:
        return {}
    total = step.input_tokens + step.output_tokens
    return {"usage": {entered: step.input_tokens, left: step.output_tokens, "total_tokens": total}}
