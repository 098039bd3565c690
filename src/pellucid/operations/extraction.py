"""Settings in, the extractor and judge they ask for out, and what these have spent."""

from collections import Counter
from dataclasses import dataclass, field

from pellucid.encoders.chat import Meter, OpenAIChat
from pellucid.observe.extract import Extractor, HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge, Judge
from pellucid.observe.llm_extract import LlmExtractor
from pellucid.observe.llm_judge import LlmJudge
from pellucid.settings import Settings

Spent = tuple[int, int, float]
"""Input tokens, output tokens, cost."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """Who distils and who judges; `is_remote` says that a model has a hand in the words that are kept."""

    extractor: Extractor
    judge: Judge
    name: str = "heuristic"
    is_remote: bool = False
    meter: Meter = field(default_factory=Meter)

    def spent(self, since: Spent = (0, 0, 0.0)) -> Spent:
        """What was spent on models since then."""
        meter = self.meter
        return meter.input_tokens - since[0], meter.output_tokens - since[1], round(meter.cost - since[2], 9)

    def dropped(self) -> Counter[str]:
        """What a model claimed and its evidence did not bear out, so far, by reason."""
        if not isinstance(self.extractor, LlmExtractor):
            return Counter()
        return Counter({str(reason): count for reason, count in self.extractor.dropped.items()})


def extraction(settings: Settings) -> Extraction:
    """The local extractor and judge, or those that ask the model of the settings.

    Raises:
        InputError: a model is asked for, and the settings do not say which or where, or `[llm]` is not installed.
    """
    wanted, judges = settings.observe.extractor == "llm", settings.observe.judge == "llm"
    if not wanted and not judges:
        return Extraction(HeuristicExtractor(), HeuristicJudge())
    chat = OpenAIChat(settings.llm)
    return Extraction(
        extractor=LlmExtractor(chat, settings.llm) if wanted else HeuristicExtractor(),
        judge=LlmJudge(chat, settings.llm) if judges else HeuristicJudge(),
        name=chat.model if wanted else "heuristic",
        is_remote=wanted,
        meter=chat.meter,
    )
