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
from typing import Any, Self, cast

PATHS = ("/v1/chat/completions", "/v1/responses", "/v2/rerank")
_LARGEST_REQUEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Step:
    """How the server answers one request; `answer`, `status`, `raw` and `hang_up` make the usual steps.

    `text` is the model's reply; `body` replaces the whole response body. It waits `delay_s` seconds before the first
    byte and `trickle_s` between any two bytes of the body. With `cut` it closes the connection after that many bytes.
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
        """The system prompt: the texts of the `system` messages or, for the Responses API, its `instructions`; "" if
        there is none.
        """
        return self._text_of_role("system") if "messages" in self.body else str(self.body.get("instructions", ""))

    @property
    def user(self) -> str:
        """The user's input: the texts of the `user` messages or, for the Responses API, its `input` as a string; "" if
        there is none.
        """
        return self._text_of_role("user") if "messages" in self.body else str(self.body.get("input", ""))

    def _text_of_role(self, role: str) -> str:
        """Return the contents of all messages of a role such as `user`, joined by newlines; "" if there are none."""
        return "\n".join(str(message["content"]) for message in self.body["messages"] if message["role"] == role)


Script = Callable[[ScriptedRequest], Step]


def answer(value: object, **more: Any) -> Step:
    """Make a step in which the model replies `value`: a string as it is, anything else as JSON.

    `more` are other fields of `Step`, such as `delay_s`.
    """
    return Step(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), **more)


def ranking(*scores: float, **more: Any) -> Step:
    """Make a step in which a reranker answers with a score for each text.

    `scores` are in the order of the request's texts; the response lists them best first. `more` are fields of `Step`.
    """
    results = [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]
    results.sort(key=lambda result: -result["relevance_score"])
    response = {"id": "rerank-scripted", "results": results, "meta": {"api_version": {"version": "2"}}}
    return raw(json.dumps(response).encode(), **more)


def status(code: int, headers: Mapping[str, str] | None = None, body: object = None, **more: Any) -> Step:
    """Make a step that answers with the HTTP status `code`, further `headers`, and a JSON body; if `body` is None, with
    an error in OpenAI's form.

    `more` are other fields of `Step`.
    """
    error = {"error": {"message": f"scripted {code}", "type": "scripted", "param": None, "code": None}}
    return raw(json.dumps(error if body is None else body).encode(), status=code, headers=headers or {}, **more)


def raw(body: bytes, **more: Any) -> Step:
    """Make a step that answers with these bytes as the whole response body; `more` are other fields of `Step`."""
    return Step(body=body, **more)


def hang_up() -> Step:
    """Make a step that closes the connection without an answer."""
    return Step(status=0)


class ScriptedServer:
    """The server; see the module. Its script is steps in order, or one function from a request to its step.

    After the last step it answers 503 with the code `script_over`.
    """

    def __init__(self, *script: Step | Script) -> None:
        self.requests: list[ScriptedRequest] = []
        self._script = script
        self._lock = Lock()
        self._ending = Event()
        self._server: _ChatServer | None = None

    @property
    def base_url(self) -> str:
        """Return the URL to set as `llm.baseUrl`: `address` + `/v1`; `AssertionError` outside the `with` block."""
        return f"{self.address}/v1"

    @property
    def address(self) -> str:
        """Return the URL to set as `rerank.baseUrl`, such as `http://127.0.0.1:40123`; `AssertionError` outside the
        `with` block.
        """
        assert self._server, "the server runs inside its with block"
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start the server in a thread, on a free port of 127.0.0.1."""
        self._server = _ChatServer(self)
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server, and end the pauses of requests that are still being answered."""
        self._ending.set()
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def step_for(self, request: ScriptedRequest) -> Step:
        """Append a request to `requests` and return its step: the result of the script's function if that is all the
        script has, else the next step in order; if no step is left, a step with status 503 and the code `script_over`.
        Functions beside steps are passed over.
        """
        with self._lock:
            at = len(self.requests)
            self.requests.append(request)
        if len(self._script) == 1 and callable(self._script[0]):
            return self._script[0](request)
        steps = [step for step in self._script if isinstance(step, Step)]
        return steps[at] if at < len(steps) else status(503, body={"error": {"code": "script_over"}})

    def pause(self, seconds: float) -> None:
        """Block for this many seconds, or until the server is stopped."""
        self._ending.wait(seconds)


class _ChatServer(ThreadingHTTPServer):
    """The HTTP server on a free port of 127.0.0.1, a thread per connection."""

    daemon_threads = True

    def __init__(self, script: ScriptedServer) -> None:
        """Bind to a free port of 127.0.0.1, without serving yet; `script` answers the requests."""
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a `ConnectionError`: the client closed its connection. Print anything else as the library does."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(cast("socket", request), client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers each POST request by the script's next step."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self) -> None:
        """Answer by the script's next step, after its delay, and append the request to `requests`; a path that is not
        in `PATHS` gets 404 and takes no step. Of a body, 64 MiB are read at most.
        """
        if self.path not in PATHS:
            self._write(status(404))
            return
        body = self.rfile.read(min(int(self.headers.get("Content-Length", "0")), _LARGEST_REQUEST))
        headers = {name.lower(): value for name, value in self.headers.items()}
        script = cast("_ChatServer", self.server).script
        step = script.step_for(ScriptedRequest(self.path, headers, cast("dict[str, Any]", json.loads(body))))
        script.pause(step.delay_s)
        try:
            self._write(step)
        except ConnectionError:  # the client gave up waiting
            self.close_connection = True

    def _write(self, step: Step) -> None:
        """Send the step's response with its status and headers, and close the connection: byte by byte with pauses of
        `trickle_s`, only the first `cut` bytes of the body, if the step has these; nothing at all for status 0.
        """
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
            cast("_ChatServer", self.server).script.pause(step.trickle_s)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the library's)
        """Log nothing, so that a test's output is its own."""


def _body(step: Step, path: str) -> bytes:
    """Return the JSON response body for a step's text: of the Responses API for `/v1/responses`, else a chat
    completion.
    """
    response = _response(step) if path == "/v1/responses" else _chat_completion(step)
    return json.dumps(response, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _chat_completion(step: Step) -> dict[str, object]:
    """Return a step's text or refusal, its `finish` reason and its token counts as a response of the Chat Completions
    API.
    """
    message = {"role": "assistant", "content": None if step.refusal else step.text, "refusal": step.refusal}
    response: dict[str, object] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": step.finish}],
    }
    return response | _usage(step, "prompt_tokens", "completion_tokens")


def _response(step: Step) -> dict[str, object]:
    """Return a step's text or refusal and token counts as a response of the Responses API, after an empty reasoning
    item. Its status is `incomplete` if `finish` is `length` or `content_filter`, else `completed`.
    """
    text: dict[str, object] = {"type": "output_text", "text": step.text, "annotations": []}
    refusal = {"type": "refusal", "refusal": step.refusal}
    causes = {"length": "max_output_tokens", "content_filter": "content_filter"}
    response: dict[str, object] = {
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
                "content": [refusal if step.refusal else text],
            },
        ],
    }
    return response | _usage(step, "input_tokens", "output_tokens")


def _usage(step: Step, input_name: str, output_name: str) -> dict[str, object]:
    """Return `{"usage": …}` with a step's token counts and their total; `input_name` and `output_name` are the names of
    the counts in the API. Return {} if the step lacks a count.
    """
    if step.input_tokens is None or step.output_tokens is None:
        return {}
    total = step.input_tokens + step.output_tokens
    return {"usage": {input_name: step.input_tokens, output_name: step.output_tokens, "total_tokens": total}}
