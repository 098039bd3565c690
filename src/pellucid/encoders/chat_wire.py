"""One question in, one reply or failure out: a single bounded exchange with an OpenAI-compatible endpoint.

What leaves is the question, and the headers of `_SENT`: no platform, organisation or environment goes along, no
redirect is followed, no proxy is used. What arrives is read up to `LONGEST_BODY` bytes and `timeout_s` seconds.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import BaseModel, JsonValue, ValidationError

from pellucid.settings import LlmSettings

if TYPE_CHECKING:
    import openai

ChatCode = Literal[
    "llm_timeout", "llm_rate_limited", "llm_refused", "llm_bad_answer", "llm_unreachable", "llm_cost_cap",
    "llm_not_installed",
]  # fmt: skip
JsonSchema = Mapping[str, object]

LONGEST_BODY = 4 * 1024 * 1024
"""Bytes of an answer that are read; a longer one is a bad answer."""
_SENT = frozenset({"host", "accept", "connection", "content-type", "content-length"})
_MOST_TOKENS = 10**9
_TOLD = frozenset({
    "insufficient_quota", "rate_limit_exceeded", "invalid_api_key", "model_not_found", "context_length_exceeded",
    "unsupported_parameter", "unsupported_value", "invalid_type", "response_format", "max_completion_tokens",
    "max_output_tokens", "text.format", "messages", "input", "model",
})  # fmt: skip
"""Of an endpoint's own error only these words are passed on: whatever else it says could repeat the key or a turn."""


@dataclass(frozen=True, slots=True)
class Question:
    """Instructions, data, and the JSON schema (strict subset) the answer must follow; `name` names the schema."""

    system: str
    user: str
    schema: JsonSchema
    name: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; `None` where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's words, not yet trusted."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply; `again` says whether asking again may help, `wait_s` how long the endpoint wants rest."""

    code: ChatCode
    words: str
    next_step: str = ""
    again: bool = False
    wait_s: float | None = None
    usage: Usage | None = None
    """Present where the endpoint did answer, and so will charge."""


class _Request(Protocol):
    headers: MutableMapping[str, str]


class _Response(Protocol):
    status_code: int
    headers: Mapping[str, str]

    def aiter_raw(self) -> AsyncGenerator[bytes, None]: ...


@dataclass(slots=True)
class _Received:
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytearray = field(default_factory=bytearray)
    whole: bool = False


class _Part(BaseModel):
    type: str = ""
    text: str | None = None
    refusal: str | None = None


class _Item(BaseModel):
    type: str = ""
    content: list[_Part] | None = None


class _Incomplete(BaseModel):
    reason: str | None = None


class _Responses(BaseModel):
    status: str | None = None
    incomplete_details: _Incomplete | None = None
    output: list[_Item]
    usage: JsonValue = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: JsonValue = None


class _ErrorDetail(BaseModel):
    code: JsonValue = None
    param: JsonValue = None


class _ErrorBody(BaseModel):
    error: _ErrorDetail


def exchange(settings: LlmSettings, question: Question) -> Reply | Failure:
    """Ask once. A deadline over name look-up, connection and every byte needs an event loop; it gets its own thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _exchange(settings, question)).result()


async def _exchange(settings: LlmSettings, question: Question) -> Reply | Failure:
    import openai

    gate = _Gate(settings.api_key.get_secret_value().strip())
    async with _client(settings, gate) as client:
        asking = _asking(client, settings, question)
        try:
            async with asyncio.timeout(settings.timeout_s):
                await asking()
        except (TimeoutError, openai.APITimeoutError):
            words = f"no whole answer within {settings.timeout_s:g} s"
            return Failure("llm_timeout", words, "raise llm.timeoutS, or try again later", again=True)
        except openai.OpenAIError:
            if not gate.received.whole:
                return Failure("llm_unreachable", "the connection failed or broke off", "check llm.baseUrl", again=True)
    return _failure_of(gate.received) or _read(gate.received, settings.api)


class _Gate:
    """Between the `openai` client and the wire: only what is meant leaves, and no more arrives than is wanted."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.received = _Received()

    async def strip(self, request: _Request) -> None:
        """Leave the headers of `_SENT` and our own."""
        for name in [name for name in request.headers if name.lower() not in _SENT]:
            del request.headers[name]
        request.headers["User-Agent"] = "pellucid"
        if self.key:
            request.headers["Authorization"] = f"Bearer {self.key}"

    async def take(self, response: _Response) -> None:
        """Read the answer up to its bound; always raises, for the client would go on to read it without one."""
        import openai

        self.received.status, self.received.headers = response.status_code, response.headers
        async with aclosing(response.aiter_raw()) as parts:
            async for part in parts:
                self.received.body += part
                if len(self.received.body) > LONGEST_BODY:
                    break
        self.received.whole = True
        raise openai.OpenAIError("the answer was taken")


def _client(settings: LlmSettings, gate: _Gate) -> "openai.AsyncOpenAI":
    import openai

    hooks = {"request": [gate.strip], "response": [gate.take]}
    # without TLS a context that trusts nobody will do; the system's certificates take longer to load than to ask
    verify = settings.base_url.startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    transport = openai.DefaultAsyncHttpxClient(
        trust_env=False, follow_redirects=False, event_hooks=hooks, verify=verify
    )
    return openai.AsyncOpenAI(
        base_url=settings.base_url, api_key=gate.key or "none", max_retries=0, timeout=settings.timeout_s,
        http_client=transport,
    )  # fmt: skip


def _asking(client: "openai.AsyncOpenAI", settings: LlmSettings, question: Question) -> Callable[[], Awaitable[object]]:
    """The call of the chosen API; finding it loads modules, which is not the endpoint's time."""
    schema = dict(question.schema)
    if settings.api == "responses":
        return partial(
            client.responses.create,
            model=settings.model, instructions=question.system, input=question.user, store=False,
            max_output_tokens=settings.max_output_tokens,
            text={"format": {"type": "json_schema", "name": question.name, "strict": True, "schema": schema}},
        )  # fmt: skip
    return partial(
        client.chat.completions.create,
        model=settings.model, max_completion_tokens=settings.max_output_tokens,
        messages=[{"role": "system", "content": question.system}, {"role": "user", "content": question.user}],
        response_format={
            "type": "json_schema", "json_schema": {"name": question.name, "strict": True, "schema": schema}
        },
    )  # fmt: skip


def _failure_of(received: _Received) -> Failure | None:
    """What a status says; `None` for 2xx. 400, 401, 403 and 404 will not heal by asking again."""
    status, told = received.status, _told(received)
    words = f"the endpoint answered {status}" + (f" ({', '.join(told)})" if told else "")
    if 200 <= status < 300:
        return None
    if status == 429:
        again = "insufficient_quota" not in told
        step = "wait, or raise the quota of the key"
        return Failure("llm_rate_limited", words, step, again=again, wait_s=_wait_s(received))
    if status >= 500:
        return Failure("llm_unreachable", words, "try again later", again=True, wait_s=_wait_s(received))
    if status == 408:
        return Failure("llm_timeout", words, "try again later", again=True)
    return Failure("llm_refused", words, _REFUSED.get(status, _REFUSED[400] if status >= 400 else _MOVED))


_MOVED = "set llm.baseUrl to where the endpoint is now: no redirect is followed with your turns"
_REFUSED = {
    400: "the model must know structured output (a strict JSON schema) behind llm.api; see docs/llm.md",
    401: "check llm.apiKey (PELLUCID_LLM__API_KEY)",
    403: "check what llm.apiKey may do, and llm.model",
    404: "check llm.baseUrl, llm.model and llm.api",
}


def _told(received: _Received) -> list[str]:
    try:
        error = _ErrorBody.model_validate_json(bytes(received.body)).error
    except ValidationError:
        return []
    return [word for word in (error.code, error.param) if isinstance(word, str) and word in _TOLD]


def _wait_s(received: _Received) -> float | None:
    """`Retry-After` in seconds, given as seconds or as a date; a negative or unreadable one is none."""
    said = received.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(said)) if said.lower() != "nan" else None
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(said)
    except ValueError:
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _read(received: _Received, api: Literal["responses", "chat"]) -> Reply | Failure:
    if len(received.body) > LONGEST_BODY:
        return _bad(f"more than {LONGEST_BODY} bytes", Usage())
    body = bytes(received.body)
    try:
        return _read_responses(body) if api == "responses" else _read_completion(body)
    except ValidationError:
        return _bad(f"it is not the JSON of the {api} API", Usage())


def _read_completion(body: bytes) -> Reply | Failure:
    said = _Completion.model_validate_json(body)
    usage = Usage(_tokens(said.usage, "prompt_tokens"), _tokens(said.usage, "completion_tokens"))
    if not said.choices:
        return _bad("it holds no choice", usage)
    choice = said.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        return _declined(usage)
    if choice.finish_reason == "length":
        return _truncated(usage)
    return Reply(choice.message.content or "", usage)


def _read_responses(body: bytes) -> Reply | Failure:
    said = _Responses.model_validate_json(body)
    usage = Usage(_tokens(said.usage, "input_tokens"), _tokens(said.usage, "output_tokens"))
    parts = [part for item in said.output if item.type == "message" for part in item.content or ()]
    cause = said.incomplete_details.reason if said.incomplete_details else None
    if cause == "content_filter" or any(part.type == "refusal" for part in parts):
        return _declined(usage)
    if said.status == "incomplete":
        return _truncated(usage)
    if said.status in {"failed", "cancelled"}:
        return Failure("llm_unreachable", f"the endpoint says {said.status}", again=True, usage=usage)
    return Reply("".join(part.text or "" for part in parts if part.type == "output_text"), usage)


def _tokens(usage: JsonValue, name: str) -> int | None:
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count <= _MOST_TOKENS else None


def _bad(why: str, usage: Usage) -> Failure:
    return Failure("llm_bad_answer", f"the answer is unusable: {why}", "try another model", again=True, usage=usage)


def _truncated(usage: Usage) -> Failure:
    step = "raise llm.maxOutputTokens, or lower llm.maxInputChars"
    return Failure("llm_bad_answer", "the answer is unusable: it was cut off", step, again=True, usage=usage)


def _declined(usage: Usage) -> Failure:
    return Failure("llm_refused", "the model declined to answer", "try another model", usage=usage)
