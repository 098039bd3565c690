"""Settings in, the extractor and judge that they choose out, with the tokens and cost that these spend."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from pellucid.capture.secrets.redact import redact
from pellucid.deadline import Deadline
from pellucid.encoders.chat.model import ChatModel, CommandChat, Meter, OpenAIChat
from pellucid.observe.extract.extractor import Extractor, HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge, Judge
from pellucid.observe.model.extract import LlmExtractor
from pellucid.observe.model.judge import LlmJudge
from pellucid.settings import Settings

Spent = tuple[int, int, float]
"""Input tokens, output tokens, cost."""
ModelKind = Literal["llm", "command"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """The extractor and judge in use; `is_remote` if a model extracts, `name` the model or "heuristic"."""

    extractor: Extractor
    judge: Judge
    name: str = "heuristic"
    is_remote: bool = False
    meters: tuple[Meter, ...] = ()

    def spent(self, since: Spent = (0, 0, 0.0)) -> Spent:
        """Return (input tokens, output tokens, cost) that the models have used so far, less `since`, an earlier return
        value."""
        sent = sum(meter.input_tokens for meter in self.meters)
        received = sum(meter.output_tokens for meter in self.meters)
        return sent - since[0], received - since[1], round(sum(meter.cost for meter in self.meters) - since[2], 9)

    def dropped(self) -> Counter[str]:
        """Return the number of the model's claims, and parts of claims, that were dropped so far, by reason: mostly
        what the turns do not bear out, also duplicates and claims beyond `llm.maxFacts`. Empty if no model extracts."""
        if not isinstance(self.extractor, LlmExtractor):
            return Counter()
        return Counter({str(reason): count for reason, count in self.extractor.dropped.items()})


def open_extraction(settings: Settings, deadline: Deadline | None = None) -> Extraction:
    """Build the extractor and judge that the settings choose, and return them with the models' meters. Each is
    heuristic or asks a chat model; if both ask the same kind of model, they share one client. `deadline` is when the
    call that asks is given up (None: never). InputError if a setting of a model is missing or not valid, ChatError if
    its program does not exist."""
    extracts, judges = settings.observe.extractor, settings.observe.judge
    chats = {kind: open_chat(settings, kind, deadline) for kind in (extracts, judges) if kind != "heuristic"}
    return Extraction(
        extractor=HeuristicExtractor() if extracts == "heuristic" else LlmExtractor(chats[extracts], settings.llm),
        judge=HeuristicJudge() if judges == "heuristic" else LlmJudge(chats[judges], settings.llm),
        name="heuristic" if extracts == "heuristic" else chats[extracts].model,
        is_remote=extracts != "heuristic",
        meters=tuple(chat.meter for chat in chats.values()),
    )


def open_chat(settings: Settings, kind: ModelKind, deadline: Deadline | None = None) -> ChatModel:
    """Make a client of the settings' chat model of a kind: an HTTP endpoint ("llm") or a local program ("command").
    `deadline` is when the call that asks is given up (None: never).

    Raises:
        InputError: a setting is missing or not valid.
        ChatError: the program of the setting does not exist.
    """
    if kind == "llm":
        return OpenAIChat(settings.llm, deadline=deadline)
    return CommandChat(settings.llm, lambda text: redact(text).text, deadline=deadline)


def default_model_kind(settings: Settings) -> ModelKind:
    """Return the kind of model that the extractor uses, else the kind that the judge uses. If both are heuristic:
    `command` if a command but no URL is configured, else `llm`."""
    for kind in (settings.observe.extractor, settings.observe.judge):
        if kind != "heuristic":
            return kind
    return "command" if settings.llm.command and not settings.llm.base_url else "llm"
