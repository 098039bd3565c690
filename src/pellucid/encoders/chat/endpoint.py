"""One question in, one reply or failure out: a single bounded exchange with an OpenAI-compatible endpoint.

Only the question is sent, with the headers of `json_headers`: no redirect is followed, no proxy or password of the
environment is used. The answer is read up to `LONGEST_BODY` bytes and `timeout_s` seconds.
"""

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, JsonValue, ValidationError

from pellucid.clock import in_utc
from pellucid.encoders.chat.exchange import ChatPrompt, Failure, Reply, Usage
from pellucid.encoders.http_post import (
    LONGEST_BODY,
    HttpResponse,
    NoAnswerError,
    can_be_key,
    json_headers,
    parse_address,
    post,
)
from pellucid.errors import InputError
from pellucid.settings.sections import LlmSettings

_MOST_TOKENS = 10**9
_REPEATABLE = re.compile(
    r"insufficient_quota|rate_limit_exceeded|invalid_api_key|model_not_found|context_length_exceeded"
    r"|unsupported_parameter|unsupported_value|invalid_type"
    r"|response_format|max_completion_tokens|max_output_tokens|text\.format|messages|input|model"
)
"""Only these words of an endpoint's own error are passed on: any other could repeat the key or a turn."""


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


def check_settings(settings: LlmSettings) -> None:
    """Raise InputError if no endpoint can be asked with these settings: `llm.baseUrl` or `llm.model` is missing, the
    address is none by `parse_address`, the key cannot be one (`can_be_key`), or `llm.maxCost` is set without a price.
    """
    for name, value in (("baseUrl", settings.base_url), ("model", settings.model)):
        if not value:
            step = f"set it under [llm] in pellucid.toml, or {_ENVIRONMENT[name]}; or name a program: docs/llm.md"
            raise InputError(f"llm.{name} is not set", code="invalid_setting", next_step=step)
    if parse_address(settings.base_url) is None:
        raise InputError(
            "llm.baseUrl is not an http or https address without a user name",
            code="invalid_setting",
            next_step="write it like http://127.0.0.1:8080/v1; a key belongs into llm.apiKey",
        )
    if not can_be_key(settings.api_key.get_secret_value().strip()):
        raise InputError("llm.apiKey holds signs no key can have", code="invalid_setting", next_step="copy it anew")
    if settings.max_cost and not (settings.input_cost or settings.output_cost):
        step = "set llm.inputCost and llm.outputCost"
        raise InputError("llm.maxCost cannot be held without prices", code="invalid_setting", next_step=step)


_ENVIRONMENT = {"baseUrl": "PELLUCID_LLM__BASE_URL", "model": "PELLUCID_LLM__MODEL"}


def model_and_host(settings: LlmSettings) -> str:
    """Return the model and the host, as errors name them: `gpt-4.1 at api.openai.com`."""
    return f"{settings.model} at {urlsplit(settings.base_url).netloc}"


def exchange(settings: LlmSettings, question: ChatPrompt, within_s: float) -> Reply | Failure:
    """Ask the endpoint once, waiting at most `within_s` seconds; return its reply, not checked, or why there is none.

    Nothing is raised for what the endpoint or the network does. `settings` must have passed `check_settings`.
    """
    path, body = _path_and_body(settings, question)
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    headers = json_headers(settings.api_key.get_secret_value().strip())
    try:
        answer = post(settings.base_url.rstrip("/") + path, headers, data, within_s)
    except NoAnswerError as error:
        return _failure_without_answer(error)
    return _failure_of(answer) or _read_reply(answer.body, settings.api)


def _path_and_body(settings: LlmSettings, question: ChatPrompt) -> tuple[str, dict[str, object]]:
    """Return the path below the base URL (`/responses` or `/chat/completions`, by `llm.api`), and the JSON body that
    asks for an answer by the question's schema (strict) of at most `llm.maxOutputTokens`.
    """
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
    """Return the failure for a request without a whole answer: `llm_timeout` if it was late; if it was too long, that
    of its HTTP status, or `llm_bad_answer` for a 2xx; else `llm_unreachable`.
    """
    if error.reason == "late":
        return Failure("llm_timeout", str(error), "raise llm.timeoutS, or try again later", again=True)
    if error.reason == "long":
        return _failure_of(HttpResponse(error.status, b"")) or _unusable(f"more than {LONGEST_BODY} bytes", Usage())
    return Failure("llm_unreachable", str(error), "check llm.baseUrl", again=True)


def _failure_of(answer: HttpResponse) -> Failure | None:
    """Return the failure that an answer's HTTP status means; None for 2xx.

    429 is `llm_rate_limited`, 500 and above `llm_unreachable`, 408 `llm_timeout`: asking again can help (`again`), but
    not after a 429 whose quota is used up. The first two have the wait that the answer asks for. Any other status is
    `llm_refused`, which asking again does not help.
    """
    status, details = answer.status, _error_words(answer)
    words = f"the endpoint answered {status}" + (f" ({', '.join(details)})" if details else "")
    if 200 <= status < 300:
        return None
    if status == 429:
        again = "insufficient_quota" not in details
        step = "wait, or raise the quota of the key"
        return Failure("llm_rate_limited", words, step, again=again, wait_s=_wait_s(answer))
    if status >= 500:
        return Failure("llm_unreachable", words, "try again later", again=True, wait_s=_wait_s(answer))
    if status == 408:
        return Failure("llm_timeout", words, "try again later", again=True)
    return Failure("llm_refused", words, _REFUSED.get(status, _REFUSED[400] if status >= 400 else _MOVED))


_SHORTER = "raise llm.maxOutputTokens, or lower llm.maxInputChars"
_MOVED = "set llm.baseUrl to where the endpoint is now: no redirect is followed with your turns"
_REFUSED = {
    400: "the model must know structured output (a strict JSON schema) behind llm.api; see docs/llm.md",
    401: "check llm.apiKey (PELLUCID_LLM__API_KEY)",
    403: "check what llm.apiKey may do, and llm.model",
    404: "check llm.baseUrl, llm.model and llm.api",
}


def _error_words(answer: HttpResponse) -> list[str]:
    """Return the code and the parameter of an endpoint's own error, each only if it is one of the words of
    `_REPEATABLE`, which cannot contain a key or a turn. Empty if the body is no such error.
    """
    try:
        error = _ErrorBody.model_validate_json(answer.body).error
    except ValidationError:
        return []
    return [word for word in (error.code, error.param) if isinstance(word, str) and _REPEATABLE.fullmatch(word)]


def _wait_s(answer: HttpResponse) -> float | None:
    """Return the seconds to wait by the header `Retry-After`, a number or a date (0 if it is negative or past); None if
    it is missing or unreadable.
    """
    header = answer.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(header)) if header.lower() != "nan" else None
    except ValueError:
        pass
    try:
        at = in_utc(parsedate_to_datetime(header))
    except (ValueError, OverflowError):
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _read_reply(body: bytes, api: Literal["responses", "chat"]) -> Reply | Failure:
    """Return the reply in the body of a successful answer, or why there is none: the body is not the JSON of the API,
    the answer was cut off, the model refused or failed, or there is no choice. An answer without text is an empty
    reply.
    """
    try:
        return _read_responses(body) if api == "responses" else _read_completion(body)
    except ValidationError:
        return _unusable(f"it is not the JSON of the {api} API", Usage())


def _read_completion(body: bytes) -> Reply | Failure:
    """Return the reply in the body of a `/chat/completions` answer, that of the first choice; or why there is none: no
    choice, a refusal or a content filter, or an answer that was cut off.

    Raises ValidationError if the body does not have that form.
    """
    completion = _Completion.model_validate_json(body)
    usage = Usage(_token_count(completion.usage, "prompt_tokens"), _token_count(completion.usage, "completion_tokens"))
    if not completion.choices:
        return _unusable("it holds no choice", usage)
    choice = completion.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        return _declined(usage)
    if choice.finish_reason == "length":
        return _unusable("it was cut off", usage, _SHORTER)
    return Reply(choice.message.content or "", usage)


def _read_responses(body: bytes) -> Reply | Failure:
    """Return the reply in the body of a `/responses` answer, the texts of its messages joined; or why there is none: a
    refusal or a content filter, an answer that was cut off, or a run that failed or was cancelled.

    Raises ValidationError if the body does not have that form.
    """
    response = _Responses.model_validate_json(body)
    usage = Usage(_token_count(response.usage, "input_tokens"), _token_count(response.usage, "output_tokens"))
    parts = [part for item in response.output if item.type == "message" for part in item.content or ()]
    cause = response.incomplete_details.reason if response.incomplete_details else None
    if cause == "content_filter" or any(part.type == "refusal" for part in parts):
        return _declined(usage)
    if response.status == "incomplete":
        return _unusable("it was cut off", usage, _SHORTER)
    if response.status in {"failed", "cancelled"}:
        return Failure("llm_unreachable", f"the endpoint says {response.status}", again=True, usage=usage)
    return Reply("".join(part.text or "" for part in parts if part.type == "output_text"), usage)


def _token_count(usage: JsonValue, name: str) -> int | None:
    """Return the count of this name in an answer's `usage`; None if it is missing, no whole number, negative or above a
    thousand million (`_MOST_TOKENS`).
    """
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_TOKENS else None


def _unusable(flaw: str, usage: Usage, step: str = "try another model") -> Failure:
    """Return the failure `llm_bad_answer`, which asking again can help; `flaw` ends its sentence `the answer is
    unusable: …`, `usage` are the tokens spent on it, `step` is its next step.
    """
    return Failure("llm_bad_answer", f"the answer is unusable: {flaw}", step, again=True, usage=usage)


def _declined(usage: Usage) -> Failure:
    """Return the failure `llm_refused`, which asking again does not help, for a model that refused to answer; `usage`
    are the tokens spent on it.
    """
    return Failure("llm_refused", "the model declined to answer", "try another model", usage=usage)
