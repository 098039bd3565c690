"""Turns and the memories of them in, coverage, compression and speed out: the quality of extraction by itself."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time

from pellucid.capture.segment import segments
from pellucid.clock import Clock
from pellucid.lab.datasets.dataset import Dataset, Group, KeptMemory
from pellucid.language.words import content_words
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import Extractor
from pellucid.observe.judge import Judge
from pellucid.observe.pipeline import observe


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many records are cited as worth keeping, and how many of those are covered.

    `covered`: a memory has the record as evidence and shares a content word with it. `agreeing`: a memory has it as
    evidence and shares a content word with a sentence that cites the record. Names of speakers do not count.
    """

    cited: int = 0
    covered: int = 0
    agreeing: int = 0

    def __add__(self, other: "Coverage") -> "Coverage":
        """Add the counts, one by one."""
        return Coverage(self.cited + other.cited, self.covered + other.covered, self.agreeing + other.agreeing)


def coverage(
    cited: Mapping[str, Sequence[str]], texts: Mapping[str, str], kept: Iterable[KeptMemory], names: Collection[str]
) -> Coverage:
    """Return how many records are cited as worth keeping, and how many of these the `kept` memories cover, by the
    record's own words and by those of a citing sentence (see `Coverage`).

    `cited` maps the keys of records worth keeping to the sentences that cite them; `texts` maps keys to the texts of
    records (cited ones without a text do not count); `names` are the speakers' names, whose words do not count.
    """
    name_words = {word for name in names for word in content_words(name)}
    words_by_key: dict[str, set[str]] = defaultdict(set)
    shared: set[str] = set()
    own = {key: set(content_words(texts[key])) - name_words for key in cited if key in texts}
    for memory in kept:
        memory_words = set(content_words(memory.text)) - name_words
        for key in own.keys() & set(memory.keys):
            words_by_key[key] |= memory_words
            if memory_words & own[key]:
                shared.add(key)
    agreeing = sum(any(words_by_key[key] & set(content_words(sentence)) for sentence in cited[key]) for key in own)
    return Coverage(len(own), len(shared), agreeing)


def measure_distillation(parts: Sequence[tuple[Group, Sequence[KeptMemory]]]) -> dict[str, float]:
    """Return the counts, the coverage (as shares of the cited turns) and the compression of the memories of groups.

    In wire form: `memories`, `traceCharacters`, `memoryCharacters`, `compression`, `compressionWithCaptions`; if a turn
    is cited, also `citedTurns`, `coverage`, `coverageBySentence` (see `Coverage`). `compression` is characters of the
    turns over characters of the memories, 0 without memories; what nobody said (a picture's caption) is left out of the
    turns, and counted in `compressionWithCaptions`.
    """
    found = sum((_covered(group, kept) for group, kept in parts), start=Coverage())
    trace = sum(len(record.turn.content) for group, _ in parts for record in group.records)
    unsaid = sum(record.unsaid for group, _ in parts for record in group.records)
    texts = [memory.text for _, kept in parts for memory in kept]
    characters = sum(map(len, texts))
    out: dict[str, float] = {
        "memories": len(texts),
        "traceCharacters": trace - unsaid,
        "memoryCharacters": characters,
        "compression": _ratio(trace - unsaid, characters),
        "compressionWithCaptions": _ratio(trace, characters),
    }
    if found.cited:
        out |= {
            "citedTurns": found.cited,
            "coverage": _ratio(found.covered, found.cited),
            "coverageBySentence": _ratio(found.agreeing, found.cited),
        }
    return out


def turns_per_second(dataset: Dataset, extractor: Extractor, judge: Judge, clock: Clock) -> float:
    """Return the number of turns extracted, scored and judged per second of processor time, rounded, without encoding
    or writing. The turns of a set are cut into segments as in an import; nothing is kept.
    """
    warm = Segment("warm", (Turn("warm", 1, "user", "We decided to start warm."),), "session_end")
    observe(warm, extractor, judge, clock)
    cut = [segment for group in dataset.groups for segment in segments(record.turn for record in group.records)]
    started = process_time()
    for segment in cut:
        observe(segment, extractor, judge, clock)
    return round(sum(len(segment.turns) for segment in cut) / max(process_time() - started, 1e-9))


def _covered(group: Group, kept: Sequence[KeptMemory]) -> Coverage:
    """Return how many records of a group are cited as worth keeping, and how many of these the memories `kept` cover
    (see `Coverage`).
    """
    names = {record.turn.speaker for record in group.records if record.turn.speaker}
    return coverage(group.cited, {record.key: record.turn.content for record in group.records}, kept, names)


def _ratio(part: float, whole: float) -> float:
    """Return a ratio to four decimals; 0 if the whole is 0."""
    return round(part / whole, 4) if whole else 0.0
