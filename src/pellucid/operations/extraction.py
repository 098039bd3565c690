"""Settings in, the extractor and judge they ask for out, and what these have spent."""

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
        """Return the tokens and cost that models have used in all or, with `since`, after an earlier return value."""
        entered = sum(meter.input_tokens for meter in self.meters)
        left = sum(meter.output_tokens for meter in self.meters)
        return entered - since[0], left - since[1], round(sum(meter.cost for meter in self.meters) - since[2], 9)

    def dropped(self) -> Counter[str]:
        """Count the claims of the model that their evidence did not support, by reason, so far; empty if no model
        extracts."""
        if not isinstance(self.extractor, LlmExtractor):
            return Counter()
        return Counter({str(reason): count for reason, count in self.extractor.dropped.items()})


def open_extraction(settings: Settings, deadline: Deadline | None = None) -> Extraction:
    """Build the extractor and judge that the settings choose: each heuristic, or asking a chat model (one if both ask
    the same)."""
    extracts, judges = settings.observe.extractor, settings.observe.judge
    chats = {asked: open_chat(settings, asked, deadline) for asked in (extracts, judges) if asked != "heuristic"}
    return Extraction(
        extractor=HeuristicExtractor() if extracts == "heuristic" else LlmExtractor(chats[extracts], settings.llm),
        judge=HeuristicJudge() if judges == "heuristic" else LlmJudge(chats[judges], settings.llm),
        name="heuristic" if extracts == "heuristic" else chats[extracts].model,
        is_remote=extracts != "heuristic",
        meters=tuple(chat.meter for chat in chats.values()),
    )


def open_chat(settings: Settings, asked: ModelKind, deadline: Deadline | None = None) -> ChatModel:
    """Connect to the chat model of the settings: an HTTP endpoint ("llm") or a local program ("command").

    Raises:
        InputError: a setting is missing or cannot be.
        ChatError: it is a program, and there is none of that name.
    """
    if asked == "llm":
        return OpenAIChat(settings.llm, deadline=deadline)
    return CommandChat(settings.llm, lambda text: redact(text).text, deadline=deadline)


def default_model_kind(settings: Settings) -> ModelKind:
    """Return the kind of model the extractor uses, else the judge; if neither uses one, `command` if a command and no
    URL is configured, else `llm`."""
    for each in (settings.observe.extractor, settings.observe.judge):
        if each != "heuristic":
            return each
    return "command" if settings.llm.command and not settings.llm.base_url else "llm"
