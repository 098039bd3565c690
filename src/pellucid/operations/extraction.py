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
    """Who extracts and who judges; `is_remote` says that a model has a hand in the words that are kept."""

    extractor: Extractor
    judge: Judge
    name: str = "heuristic"
    is_remote: bool = False
    meters: tuple[Meter, ...] = ()

    def spent(self, since: Spent = (0, 0, 0.0)) -> Spent:
        """What was spent on models since then."""
        entered = sum(meter.input_tokens for meter in self.meters)
        left = sum(meter.output_tokens for meter in self.meters)
        return entered - since[0], left - since[1], round(sum(meter.cost for meter in self.meters) - since[2], 9)

    def dropped(self) -> Counter[str]:
        """What a model claimed and its evidence did not bear out, so far, by reason."""
        if not isinstance(self.extractor, LlmExtractor):
            return Counter()
        return Counter({str(reason): count for reason, count in self.extractor.dropped.items()})


def extraction(settings: Settings, deadline: Deadline | None = None) -> Extraction:
    """The local extractor and judge, or those that ask a model of the settings.

    Raises:
        InputError: a model is asked for, and the settings do not say which or where.
        ChatError: it is a program, and there is none of that name.
    """
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
    """The endpoint or the program of the settings.

    Raises:
        InputError: a setting is missing or cannot be.
        ChatError: it is a program, and there is none of that name.
    """
    if asked == "llm":
        return OpenAIChat(settings.llm, deadline=deadline)
    return CommandChat(settings.llm, lambda text: redact(text).text, deadline=deadline)


def asked_by_default(settings: Settings) -> ModelKind:
    """Which model is asked where no setting says: the extractor's, the judge's, else the one that is set up."""
    for each in (settings.observe.extractor, settings.observe.judge):
        if each != "heuristic":
            return each
    return "command" if settings.llm.command and not settings.llm.base_url else "llm"
