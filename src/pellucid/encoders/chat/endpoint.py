"""One question in, one reply or failure out: a single bounded exchange with an OpenAI-compatible endpoint.

What leaves is the question, and the headers of `_headers`: no redirect is followed, no proxy or password of the
environment is used. What arrives is read up to `LONGEST_BODY` bytes and `timeout_s` seconds.
"""

import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, JsonValue, ValidationError

from pellucid.encoders.chat.exchange import ChatPrompt, Failure, Reply, Usage
from pellucid.encoders.http_post import LONGEST_BODY, HttpResponse, NoAnswerError, address, post
from pellucid.errors import InputError
from pellucid.settings.sections import LlmSettings

_MOST_TOKENS = 10**9
_TOLD = frozenset(
    {
        "insufficient_quota",
        "rate_limit_exceeded",
        "invalid_api_key",
        "model_not_found",
        "context_length_exceeded",
        "unsupported_parameter",
        "unsupported_value",
        "invalid_type",
        "response_format",
        "max_completion_tokens",
        "max_output_tokens",
        "text.format",
        "messages",
        "input",
        "model",
    }
)
"""Of an endpoint's own error only these words are passed on: whatever else it says could repeat the key or a turn."""


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


def check(settings: LlmSettings) -> None:
    """Refuse what cannot be asked.

    Raises:
        InputError: a setting is missing or cannot be.
    """
    for name, value in (("baseUrl", settings.base_url), ("model", settings.model)):
        if not value:
            step = f"set it under [llm] in pellucid.toml, or {_ENVIRONMENT[name]}; or name a program: docs/llm.md"
            raise InputError(f"llm.{name} is not set", code="invalid_setting", next_step=step)
    if address(settings.base_url) is None:
        raise InputError(
            "llm.baseUrl is not an http or https address without a user name",
            code="invalid_setting",
            next_step="write it like http://127.0.0.1:8080/v1; a key belongs into llm.apiKey",
        )
    key = settings.api_key.get_secret_value().strip()
    if not (key.isascii() and (key.isprintable() and " " not in key)):
        raise InputError("llm.apiKey holds signs no key can have", code="invalid_setting", next_step="copy it anew")
    if settings.max_cost and not (settings.input_cost or settings.output_cost):
        step = "set llm.inputCost and llm.outputCost"
        raise InputError("llm.maxCost cannot be held without prices", code="invalid_setting", next_step=step)


_ENVIRONMENT = {"baseUrl": "PELLUCID_LLM__BASE_URL", "model": "PELLUCID_LLM__MODEL"}


def place(settings: LlmSettings) -> str:
    """The model and the host, as errors name them."""
    return f"{settings.model} at {urlsplit(settings.base_url).netloc}"


def exchange(settings: LlmSettings, question: ChatPrompt, within_s: float) -> Reply | Failure:
    """Ask once, and wait so many seconds at most."""
    path, body = _path_and_body(settings, question)
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    try:
        answer = post(settings.base_url.rstrip("/") + path, _headers(settings), data, within_s)
    except NoAnswerError as error:
        return _failure_without_answer(error)
    return _failure_of(answer) or _read_reply(answer.body, settings.api)


def _headers(settings: LlmSettings) -> dict[str, str]:
    key = settings.api_key.get_secret_value().strip()
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "pellucid"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def _path_and_body(settings: LlmSettings, question: ChatPrompt) -> tuple[str, dict[str, object]]:
    """The path and body of the chosen API."""
    form: dict[str, object] = {"name": question.name, "strict": True, "schema": dict(question.schema)}
    if settings.api == "responses":
        return "/responses", {
            "model": settings.model,
            "instructions": question.system,
            "input": question.user,
            "store": False,
            "max_output_tokens": settings.max_output_tokens,
            "text": {"format": {"type": "json_schema", **form}},
        }
    return "/chat/completions", {
        "model": settings.model,
        "max_completion_tokens": settings.max_output_tokens,
        "messages": [{"role": "system", "content": question.system}, {"role": "user", "content": question.user}],
        "response_format": {"type": "json_schema", "json_schema": form},
    }


def _failure_without_answer(error: NoAnswerError) -> Failure:
    if error.reason == "late":
        return Failure("llm_timeout", str(error), "raise llm.timeoutS, or try again later", again=True)
    if error.reason == "long":
        return _failure_of(HttpResponse(error.status, b"")) or _bad(f"more than {LONGEST_BODY} bytes", Usage())
    return Failure("llm_unreachable", str(error), "check llm.baseUrl", again=True)


def _failure_of(answer: HttpResponse) -> Failure | None:
    """What a status says; `None` for 2xx. 400, 401, 403 and 404 will not heal by asking again."""
    status, told = answer.status, _error_words(answer)
    words = f"the endpoint answered {status}" + (f" ({', '.join(told)})" if told else "")
    if 200 <= status < 300:
        return None
    if status == 429:
        again = "insufficient_quota" not in told
        step = "wait, or raise the quota of the key"
        return Failure("llm_rate_limited", words, step, again=again, wait_s=_wait_s(answer))
    if status >= 500:
        return Failure("llm_unreachable", words, "try again later", again=True, wait_s=_wait_s(answer))
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


def _error_words(answer: HttpResponse) -> list[str]:
    try:
        error = _ErrorBody.model_validate_json(answer.body).error
    except ValidationError:
        return []
    return [word for word in (error.code, error.param) if isinstance(word, str) and word in _TOLD]


def _wait_s(answer: HttpResponse) -> float | None:
    """`Retry-After` in seconds, given as seconds or as a date; a negative or unreadable one is none."""
    said = answer.headers.get("retry-after", "").strip()
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


def _read_reply(body: bytes, api: Literal["responses", "chat"]) -> Reply | Failure:
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
