"""A question and a JSON schema in, a checked JSON answer out: the port of every chat model, and its two adapters.

What an adapter asks with is loaded with it: every recall knows this port, and hardly one asks a model.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from pydantic import JsonValue

from pellucid.deadline import Deadline
from pellucid.encoders.chat.exchange import ChatCode, ChatPrompt, Failure, JsonSchema, Reply, Usage
from pellucid.encoders.chat.reply import read_json
from pellucid.errors import EncoderError
from pellucid.settings.sections import LlmSettings

LONGEST_WAIT_S = 60.0
"""A model that wants more rest than this is not asked again in this call."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0
_CHARS_A_TOKEN = 4
_MILLION = 1_000_000


class ChatError(EncoderError):
    """The chat model gave no usable answer; nothing was taken from it. `code` says what kind of failure it was.

    `complaint` is what a program said about it. It could repeat a turn: its text shows it, `lasting` leaves it out.
    """

    def __init__(self, code: ChatCode, message: str, *, next_step: str = "", complaint: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.code = code
        self.complaint = complaint

    def __str__(self) -> str:
        return f"{self.lasting}; it said: {self.complaint}" if self.complaint else self.lasting

    @property
    def lasting(self) -> str:
        """What may be stored of it."""
        return super().__str__()

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
    """What a run has used so far: `cost` in the currency of the prices, `seconds` of waiting for the model.

    `estimated` counts answers whose tokens the endpoint did not tell; they are taken as one per four characters. A
    program tells no tokens, and none are counted.
    """

    calls: int = 0
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0
    cost: float = 0.0
    seconds: float = 0.0


class ChatModel(Protocol):
    """Anything that answers a question in JSON. One object a run, used by one thread at a time."""

    @property
    def model(self) -> str:
        """What is asked, as the records name it."""
        ...

    @property
    def meter(self) -> Meter:
        """What the run has used."""
        ...

    def ask(self, system: str, user: str, schema: JsonSchema, name: str) -> ChatAnswer:
        """An answer that follows `schema`. Raises ChatError when there is none, whatever the reason.

        Of a model that was opened for a call with a deadline, DeadlineError when its time is over.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Way:
    """How a model is asked once, what it is called in the records and in errors, and how often a run may ask it."""

    model: str
    place: str
    once: Callable[[ChatPrompt, float], Reply | Failure]
    """The second is the seconds that it may take."""
    timeout_s: float
    most_calls: int = 0


class _Chat:
    """What both adapters share: retries with pauses, the caps of a run, the count of what it took, the check."""

    def __init__(
        self,
        settings: LlmSettings,
        way: _Way,
        deadline: Deadline | None,
        sleep: Callable[[float], None],
        jitter: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._deadline = deadline or Deadline()
        self._way = way
        self._sleep = sleep
        self._jitter = jitter
        self.meter = Meter()

    @property
    def model(self) -> str:
        """What is asked, as the records name it."""
        return self._way.model

    def ask(self, system: str, user: str, schema: JsonSchema, name: str) -> ChatAnswer:
        """Ask until there is an answer that follows `schema`, `retries` times more at most where that may help."""
        started, before = time.perf_counter(), replace(self.meter)
        self.meter.calls += 1
        question = ChatPrompt(system, user, schema, name)
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

    def _answer(self, question: ChatPrompt) -> JsonValue:
        attempts = 0
        while True:
            self._deadline.check()
            self._check_caps()
            attempts += 1
            self.meter.attempts += 1
            outcome = self._way.once(question, self._deadline.within(self._way.timeout_s))
            self._count_usage(question, outcome)
            if isinstance(outcome, Reply):
                value, flaw = read_json(outcome.text, question.schema)
                if not flaw:
                    return value
                words = f"the answer is unusable: {flaw}"
                outcome = Failure("llm_bad_answer", words, "try another model", again=True)
            self._deadline.check()
            if attempts > self._settings.retries or not _worth_waiting(outcome):
                tried = f" after {attempts} attempts" if attempts > 1 else ""
                words = f"{self._way.place}: {outcome.words}{tried}"
                raise ChatError(outcome.code, words, next_step=outcome.next_step, complaint=outcome.complaint)
            self._sleep(self._deadline.within(self._pause_s(outcome, attempts)))

    def _check_caps(self) -> None:
        """Raise ChatError where this run has reached what it may cost, or how often it may call."""
        cap, most = self._settings.max_cost, self._way.most_calls
        if cap and self.meter.cost >= cap:
            words = f"this run has cost {self.meter.cost:.4f}, and its cap is {cap:g}"
            raise ChatError("llm_cost_cap", words, next_step="raise llm.maxCost, or continue in another run")
        if most and self.meter.attempts >= most:
            words = f"this run has called {self._way.place} {most} times, which is its cap"
            raise ChatError("llm_call_cap", words, next_step="raise llm.commandCalls, or continue in another run")

    def _count_usage(self, question: ChatPrompt, outcome: Reply | Failure) -> None:
        if outcome.usage is None:
            return
        text = outcome.text if isinstance(outcome, Reply) else ""
        used = outcome.usage
        if used.input_tokens is None or used.output_tokens is None:
            self.meter.estimated += 1
            used = _estimated_usage(used, question, text)
        entered, left = used.input_tokens or 0, used.output_tokens or 0
        self.meter.input_tokens += entered
        self.meter.output_tokens += left
        self.meter.cost += (entered * self._settings.input_cost + left * self._settings.output_cost) / _MILLION

    def _pause_s(self, failure: Failure, attempts: int) -> float:
        """Seconds before the next attempt: doubling from .5 to 8, half to whole of it by chance, or what was asked."""
        doubled = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (attempts - 1))
        return max(failure.wait_s or 0.0, doubled * (0.5 + self._jitter() / 2))


class OpenAIChat(_Chat):
    """A ChatModel: any OpenAI-compatible endpoint.

    Raises:
        InputError: a setting is missing or cannot be.
    """

    def __init__(
        self,
        settings: LlmSettings,
        deadline: Deadline | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        from pellucid.encoders.chat import endpoint

        endpoint.check(settings)
        way = _Way(settings.model, endpoint.place(settings), partial(endpoint.exchange, settings), settings.timeout_s)
        super().__init__(settings, way, deadline, sleep, jitter)


class CommandChat(_Chat):
    """A ChatModel: any program that reads a prompt and prints JSON. `clean` takes secrets out of what it complains.

    Raises:
        InputError: no command is set, or it cannot be one.
        ChatError: there is no such program.
    """

    def __init__(
        self,
        settings: LlmSettings,
        clean: Callable[[str], str],
        *,
        deadline: Deadline | None = None,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        from pellucid.encoders.chat.command import ChatCommand

        command = ChatCommand.of(settings, clean)
        if isinstance(command, Failure):
            raise ChatError(command.code, command.words, next_step=command.next_step)
        limits = settings.command_timeout_s, settings.command_calls
        way = _Way(f"command:{command.name}", command.name, command.exchange, *limits)
        super().__init__(settings, way, deadline, sleep, jitter)


def _worth_waiting(failure: Failure) -> bool:
    return failure.again and (failure.wait_s or 0.0) <= LONGEST_WAIT_S


def _estimated_usage(used: Usage, question: ChatPrompt, text: str) -> Usage:
    asked = (len(question.system) + len(question.user)) // _CHARS_A_TOKEN + 1
    return Usage(
        asked if used.input_tokens is None else used.input_tokens,
        len(text) // _CHARS_A_TOKEN + 1 if used.output_tokens is None else used.output_tokens,
    )
