"""A question and a JSON schema in, a checked JSON answer out: the port of every chat model, and its one adapter."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Protocol, cast
from urllib.parse import urlsplit

from pydantic import JsonValue
from pydantic_core import from_json

from pellucid.encoders.chat_wire import ChatCode, Failure, JsonSchema, Question, Reply, Usage, exchange
from pellucid.errors import EncoderError, InputError
from pellucid.settings import LlmSettings

LONGEST_WAIT_S = 60.0
"""An endpoint that wants more rest than this is not asked again in this call."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0
_CHARS_A_TOKEN = 4
_MILLION = 1_000_000


class ChatError(EncoderError):
    """The chat model gave no usable answer; nothing was taken from it. `code` says what kind of failure it was."""

    def __init__(self, code: ChatCode, message: str, *, next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.code = code

    @property
    def kind(self) -> str:
        """The code in plain words, e.g. `rate limited`."""
        return self.code.removeprefix("llm_").replace("_", " ")


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """JSON that follows the schema of its question, and what it took, failed attempts included."""

    value: JsonValue
    input_tokens: int
    output_tokens: int
    attempts: int
    seconds: float


@dataclass(slots=True)
class Meter:
    """What a run has used so far: `cost` in the currency of the prices, `seconds` of waiting for the endpoint.

    `estimated` counts answers whose tokens the endpoint did not tell; they are taken as one per four characters.
    """

    calls: int = 0
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0
    cost: float = 0.0
    seconds: float = 0.0


class ChatModel(Protocol):
    """Anything that answers a question in JSON."""

    def ask(self, system: str, user: str, schema: JsonSchema, name: str) -> ChatAnswer:
        """An answer that follows `schema`. Raises ChatError when there is none, whatever the reason."""
        ...


class OpenAIChat:
    """Any OpenAI-compatible endpoint, through the `openai` package, with retries, a deadline and a cost cap of our own.

    One object a run, used by one thread at a time; `meter` says what the run has used.

    Raises:
        InputError: a setting is missing or cannot be.
        ChatError: the package is not installed.
    """

    def __init__(
        self,
        settings: LlmSettings,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        _check(settings)
        if find_spec("openai") is None:
            raise ChatError(
                "llm_not_installed", "the openai package is not installed", next_step="pip install 'pellucid[llm]'"
            )
        self._settings = settings
        self._sleep = sleep
        self._jitter = jitter
        self.meter = Meter()

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return self._settings.model

    def ask(self, system: str, user: str, schema: JsonSchema, name: str) -> ChatAnswer:
        """Ask until there is an answer that follows `schema`, `retries` times more at most where that may help."""
        started, before = time.perf_counter(), replace(self.meter)
        self.meter.calls += 1
        question = Question(system, user, schema, name)
        try:
            value = self._answer(question)
        finally:
            seconds = time.perf_counter() - started
            self.meter.seconds += seconds
        return ChatAnswer(
            value,
            self.meter.input_tokens - before.input_tokens,
            self.meter.output_tokens - before.output_tokens,
            self.meter.attempts - before.attempts,
            seconds,
        )

    def _answer(self, question: Question) -> JsonValue:
        attempts = 0
        while True:
            self._hold_cap()
            attempts += 1
            self.meter.attempts += 1
            outcome = exchange(self._settings, question)
            self._count(question, outcome)
            if isinstance(outcome, Reply):
                value, flaw = read_json(outcome.text, question.schema)
                if not flaw:
                    return value
                words = f"the answer is unusable: {flaw}"
                outcome = Failure("llm_bad_answer", words, "try another model", again=True)
            if attempts > self._settings.retries or not _worth_waiting(outcome):
                tried = f" after {attempts} attempts" if attempts > 1 else ""
                raise ChatError(outcome.code, f"{self._place()}: {outcome.words}{tried}", next_step=outcome.next_step)
            self._sleep(self._pause(outcome, attempts))

    def _hold_cap(self) -> None:
        cap = self._settings.max_cost
        if cap and self.meter.cost >= cap:
            words = f"this run has cost {self.meter.cost:.4f}, and its cap is {cap:g}"
            raise ChatError("llm_cost_cap", words, next_step="raise llm.maxCost, or continue in another run")

    def _count(self, question: Question, outcome: Reply | Failure) -> None:
        if outcome.usage is None:
            return
        text = outcome.text if isinstance(outcome, Reply) else ""
        used = outcome.usage
        if used.input_tokens is None or used.output_tokens is None:
            self.meter.estimated += 1
            used = _estimated(used, question, text)
        entered, left = used.input_tokens or 0, used.output_tokens or 0
        self.meter.input_tokens += entered
        self.meter.output_tokens += left
        self.meter.cost += (entered * self._settings.input_cost + left * self._settings.output_cost) / _MILLION

    def _pause(self, failure: Failure, attempts: int) -> float:
        """Seconds before the next attempt: doubling from .5 to 8, half to whole of it by chance, or what was asked."""
        doubled = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (attempts - 1))
        return max(failure.wait_s or 0.0, doubled * (0.5 + self._jitter() / 2))

    def _place(self) -> str:
        return f"{self._settings.model} at {urlsplit(self._settings.base_url).netloc}"


def read_json(text: str, schema: JsonSchema) -> tuple[JsonValue, str]:
    """The JSON of an answer, and what is wrong with it (empty: nothing). A Markdown fence around it is taken off."""
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```"):
        stripped = stripped.strip("`").removeprefix("json")
    try:
        value = cast("JsonValue", from_json(stripped, allow_inf_nan=False))
    except ValueError:
        return None, "it is not JSON, or was cut off" if stripped else "it is empty"
    return value, _flaw(value, schema, "the answer")


def _check(settings: LlmSettings) -> None:
    for name, value in (("baseUrl", settings.base_url), ("model", settings.model)):
        if not value:
            step = f"set it under [llm] in pellucid.toml of Pellucid's home, or {_environment_name(name)}"
            raise InputError(f"llm.{name} is not set", code="invalid_setting", next_step=step)
    if not _is_address(settings.base_url):
        raise InputError(
            "llm.baseUrl is not an http or https address without a user name", code="invalid_setting",
            next_step="write it like http://127.0.0.1:8080/v1; a key belongs into llm.apiKey",
        )  # fmt: skip
    key = settings.api_key.get_secret_value().strip()
    if not (key.isascii() and (key.isprintable() and " " not in key)):
        raise InputError("llm.apiKey holds signs no key can have", code="invalid_setting", next_step="copy it anew")
    if settings.max_cost and not (settings.input_cost or settings.output_cost):
        step = "set llm.inputCost and llm.outputCost"
        raise InputError("llm.maxCost cannot be held without prices", code="invalid_setting", next_step=step)


def _environment_name(name: str) -> str:
    return {"baseUrl": "PELLUCID_LLM__BASE_URL", "model": "PELLUCID_LLM__MODEL"}[name]


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
        )
    except ValueError:
        return False


def _worth_waiting(failure: Failure) -> bool:
    return failure.again and (failure.wait_s or 0.0) <= LONGEST_WAIT_S


def _estimated(used: Usage, question: Question, text: str) -> Usage:
    asked = (len(question.system) + len(question.user)) // _CHARS_A_TOKEN + 1
    return Usage(
        asked if used.input_tokens is None else used.input_tokens,
        len(text) // _CHARS_A_TOKEN + 1 if used.output_tokens is None else used.output_tokens,
    )


def _flaw(value: JsonValue, schema: JsonSchema, where: str) -> str:
    """Where `value` leaves the strict subset of JSON Schema; empty if nowhere. A missing value counts as null."""
    allowed = schema.get("enum")
    if isinstance(allowed, Sequence) and value not in allowed:
        return f"{where} is none of the allowed values"
    types = schema.get("type")
    names = [types] if isinstance(types, str) else list(cast("Sequence[str]", types or ()))
    if not any(_is_of(value, name) for name in names):
        return f"{where} is not of type {' or '.join(names)}"
    if isinstance(value, dict):
        properties = cast("Mapping[str, JsonSchema]", schema.get("properties", {}))
        flaws = (_flaw(value.get(name), part, name) for name, part in properties.items())
        return next(filter(None, flaws), "")
    if isinstance(value, list):
        items = cast("JsonSchema", schema["items"])
        return next(filter(None, (_flaw(item, items, f"an item of {where}") for item in value)), "")
    return ""


def _is_of(value: JsonValue, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip
