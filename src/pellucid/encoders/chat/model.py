"""A question and a JSON schema in, a checked JSON answer out: the port of every chat model, and its two adapters.

The libraries of an adapter are loaded with the adapter: every recall loads this port, and hardly any asks a model.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pydantic import JsonValue

from pellucid.deadline import Deadline
from pellucid.encoders.chat.exchange import ChatCode, ChatPrompt, Failure, JsonSchema, Reply
from pellucid.encoders.chat.reply import read_json
from pellucid.errors import EncoderError
from pellucid.settings.sections import LlmSettings

LONGEST_WAIT_S = 60.0
"""A model that asks for a longer wait than this is not asked again in this call."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0
_CHARS_A_TOKEN = 4
_MILLION = 1_000_000


class ChatError(EncoderError):
    """The chat model gave no usable answer; nothing was taken from it. `code` says what kind of failure it was.

    `complaint` is what a program said about the failure. It could repeat a turn: `str` shows it, `storable` leaves it
    out.
    """

    def __init__(self, code: ChatCode, message: str, *, next_step: str = "", complaint: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.code = code
        self.complaint = complaint

    def __str__(self) -> str:
        return f"{self.storable}; it said: {self.complaint}" if self.complaint else self.storable

    @property
    def storable(self) -> str:
        """Return the message without `complaint`, which a program wrote and which could repeat a turn: so it is safe to
        store.
        """
        return super().__str__()

    @property
    def kind(self) -> str:
        """Return the code in plain words: `rate limited`."""
        return self.code.removeprefix("llm_").replace("_", " ")


@dataclass(slots=True)
class Meter:
    """What a run has used so far: `cost` in the currency of the prices, `seconds` of waiting for the model.

    `estimated` counts answers whose tokens the endpoint did not tell; they are taken as one token per four characters.
    A program tells no tokens, and none are counted.
    """

    calls: int = 0
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0
    cost: float = 0.0
    seconds: float = 0.0


class ChatModel(Protocol):
    """Anything that answers a question in JSON. Each run has one object, used by one thread at a time."""

    @property
    def model(self) -> str:
        """Return the model's name as the records give it: that of the setting `llm.model`, or for a program `command:`
        and its name, such as `command:llm`.
        """
        ...

    @property
    def meter(self) -> Meter:
        """Return what was used through this object so far: the counter itself, which each call changes."""
        ...

    def ask(self, system: str, user: str, schema: JsonSchema, name: str) -> JsonValue:
        """Ask for JSON that follows a schema, and return it checked.

        `system` are the instructions, `user` is the data, `schema` the JSON schema (strict subset) of the answer,
        `name` the schema's name.

        Raises ChatError if there is no usable answer, whatever the reason, and DeadlineError if the call that the model
        was opened for has run out of time.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Backend:
    """A model that can be asked: its name in the records (`model`) and in errors (`title`), and its limits."""

    model: str
    title: str
    exchange: Callable[[ChatPrompt, float], Reply | Failure]
    """Asks once; the number is the most seconds to wait."""
    timeout_s: float
    max_calls: int = 0
    """How many times a run is allowed to ask; 0 for no limit."""


class _Chat:
    """The common part of both adapters: retries with pauses, the caps of a run, the meter, the check of answers."""

    def __init__(
        self,
        settings: LlmSettings,
        backend: _Backend,
        deadline: Deadline | None,
        sleep: Callable[[float], None],
        jitter: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._deadline = deadline or Deadline()
        self._backend = backend
        self._sleep = sleep
        self._jitter = jitter
        self.meter = Meter()

    @property
    def model(self) -> str:
        """The model's name as the records give it: that of the setting `llm.model`, or for a program `command:` and its
        name.
        """
        return self._backend.model

    def ask(self, system: str, user: str, schema: JsonSchema, name: str) -> JsonValue:
        """Ask for JSON that follows `schema`, and return it checked: see `ChatModel.ask` for the parameters and errors.

        Asks again, at most `llm.retries` times, after a failure that another attempt can mend, if the wait it asks for
        is at most 60 seconds (`LONGEST_WAIT_S`). Counts the call and its seconds in `meter`.
        """
        started = time.perf_counter()
        self.meter.calls += 1
        try:
            return self._ask_with_retries(ChatPrompt(system, user, schema, name))
        finally:
            self.meter.seconds += time.perf_counter() - started

    def _ask_with_retries(self, question: ChatPrompt) -> JsonValue:
        """Ask until an answer follows the schema, at most `llm.retries` times more than once, and return that answer.
        Counts the attempts and what they used in the meter.

        Raises ChatError if no attempt is left or worth it, or a cap of the run is reached; DeadlineError if the call's
        time is over.
        """
        attempts = 0
        while True:
            self._deadline.check()
            self._check_caps()
            attempts += 1
            self.meter.attempts += 1
            outcome = self._backend.exchange(question, self._deadline.within(self._backend.timeout_s))
            self._count_usage(question, outcome)
            if isinstance(outcome, Reply):
                value, flaw = read_json(outcome.text, question.schema)
                if not flaw:
                    return value
                words = f"the answer is unusable: {flaw}"
                outcome = Failure("llm_bad_answer", words, "try another model", again=True)
            self._deadline.check()
            worth_retrying = outcome.again and (outcome.wait_s or 0.0) <= LONGEST_WAIT_S
            if attempts > self._settings.retries or not worth_retrying:
                after = f" after {attempts} attempts" if attempts > 1 else ""
                words = f"{self._backend.title}: {outcome.words}{after}"
                raise ChatError(outcome.code, words, next_step=outcome.next_step, complaint=outcome.complaint)
            self._sleep(self._deadline.within(self._pause_s(outcome, attempts)))

    def _check_caps(self) -> None:
        """Raise ChatError if this run has reached its cap: costs of `llm.maxCost`, or for a program `llm.commandCalls`
        attempts. 0 is no cap.
        """
        cap, max_calls = self._settings.max_cost, self._backend.max_calls
        if cap and self.meter.cost >= cap:
            words = f"this run has cost {self.meter.cost:.4f}, and its cap is {cap:g}"
            raise ChatError("llm_cost_cap", words, next_step="raise llm.maxCost, or continue in another run")
        if max_calls and self.meter.attempts >= max_calls:
            words = f"this run has called {self._backend.title} {max_calls} times, which is its cap"
            raise ChatError("llm_call_cap", words, next_step="raise llm.commandCalls, or continue in another run")

    def _count_usage(self, question: ChatPrompt, outcome: Reply | Failure) -> None:
        """Add the tokens of one exchange, and their cost, to the meter; estimate tokens that the endpoint did not
        count, as one for four characters. Do nothing if no endpoint answered, or a program was asked.
        """
        if outcome.usage is None:
            return
        text = outcome.text if isinstance(outcome, Reply) else ""
        used = outcome.usage
        tokens_in, tokens_out = used.input_tokens, used.output_tokens
        if tokens_in is None or tokens_out is None:
            self.meter.estimated += 1
        if tokens_in is None:
            tokens_in = (len(question.system) + len(question.user)) // _CHARS_A_TOKEN + 1
        if tokens_out is None:
            tokens_out = len(text) // _CHARS_A_TOKEN + 1
        self.meter.input_tokens += tokens_in
        self.meter.output_tokens += tokens_out
        self.meter.cost += (tokens_in * self._settings.input_cost + tokens_out * self._settings.output_cost) / _MILLION

    def _pause_s(self, failure: Failure, attempts: int) -> float:
        """Return the seconds to wait after this many attempts: 0.5, doubled with each up to 8, times a random factor
        from 0.5 to 1; at least what the failure asks.
        """
        doubled = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (attempts - 1))
        return max(failure.wait_s or 0.0, doubled * (0.5 + self._jitter() / 2))


class OpenAIChat(_Chat):
    """A ChatModel: any OpenAI-compatible endpoint. Raises InputError if a setting is missing or impossible."""

    def __init__(
        self,
        settings: LlmSettings,
        deadline: Deadline | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Prepare to ask, without sending anything; InputError as of `endpoint.check_settings`.

        `deadline` is when the call that asks is given up (None: never). `sleep` waits some seconds, `jitter` returns a
        number from 0 to 1 that spreads the pauses.
        """
        from pellucid.encoders.chat import endpoint

        endpoint.check_settings(settings)
        exchange = partial(endpoint.exchange, settings)
        backend = _Backend(settings.model, endpoint.model_and_host(settings), exchange, settings.timeout_s)
        super().__init__(settings, backend, deadline, sleep, jitter)


class CommandChat(_Chat):
    """A ChatModel: any program that reads a prompt and prints JSON. `clean` takes secrets out of its complaints.

    Raises InputError if no command is set, or it cannot be one; ChatError if the program is not on this machine.
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
        """Find the program, without running it; errors as the class says, other arguments as of `OpenAIChat`."""
        from pellucid.encoders.chat.command import ChatCommand

        command = ChatCommand.from_settings(settings, clean)
        if isinstance(command, Failure):
            raise ChatError(command.code, command.words, next_step=command.next_step)
        limits = settings.command_timeout_s, settings.command_calls
        backend = _Backend(f"command:{command.name}", command.name, command.exchange, *limits)
        super().__init__(settings, backend, deadline, sleep, jitter)
