"""Turns and memories small enough for paper in, coverage, compression and speed out."""

from pellucid.clock import SystemClock
from pellucid.lab.datasets.dataset import Dataset, Group, Record
from pellucid.lab.metrics.extraction import Coverage, KeptMemory, coverage, measure_distillation, turns_per_second
from pellucid.model.turn import Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge

SAID = {
    "t1": "Ana, I adopted a grey cat named Pixel.",
    "t2": "Lovely, Ana!",
    "t3": "I moved to Lisbon in March.",
}
CITED = {"t1": ("Bo adopted a cat.",), "t2": ("Ana is happy.",), "t3": ("Bo lives in Portugal.",), "gone": ("x",)}


def covered(*kept: KeptMemory) -> Coverage:
    return coverage(CITED, SAID, kept, {"Ana", "Bo"})


def test_a_cited_turn_is_covered_by_a_memory_that_stands_in_it_and_shares_a_word_with_it() -> None:
    assert covered(KeptMemory("Bo: I adopted a grey cat", ("t1",))) == Coverage(3, 1, 1)


def test_evidence_without_a_shared_word_does_not_cover() -> None:
    assert covered(KeptMemory("Bo likes trains", ("t1", "t3"))) == Coverage(3, 0, 0)


def test_a_shared_word_without_evidence_does_not_cover() -> None:
    assert covered(KeptMemory("Bo adopted a grey cat", ())) == Coverage(3, 0, 0)


def test_a_speakers_name_is_not_a_shared_word() -> None:
    assert covered(KeptMemory("Ana", ("t1", "t2"))) == Coverage(3, 0, 0)


def test_the_turn_and_the_sentence_that_cites_it_are_held_apart() -> None:
    assert covered(KeptMemory("Bo moved to Lisbon", ("t3",))) == Coverage(3, 1, 0)
    assert covered(KeptMemory("Bo is in Portugal", ("t3",))) == Coverage(3, 0, 1)


def test_one_record_counts_once_however_many_memories_stand_in_it() -> None:
    assert covered(KeptMemory("a grey cat", ("t1",)), KeptMemory("the cat Pixel", ("t1",))) == Coverage(3, 1, 1)


def group() -> Group:
    records = (
        Record("t1", Turn("s", 1, "user", "I adopted a cat. [shares image: a cat]", speaker="Bo"), unsaid=22),
        Record("t2", Turn("s", 2, "user", "Nice of you.", speaker="Ana")),
    )
    return Group("g", records, (), cited={"t1": ("Bo adopted a cat.",)})


def test_what_nobody_said_is_no_trace() -> None:
    found = measure_distillation([(group(), [KeptMemory("adopted a cat", ("t1",))])])
    assert found == {
        "memories": 1,
        "traceCharacters": 28,
        "memoryCharacters": 13,
        "compression": round(28 / 13, 4),
        "compressionWithCaptions": round(50 / 13, 4),
        "citedTurns": 1,
        "coverage": 1.0,
        "coverageBySentence": 1.0,
    }


def test_a_set_that_cites_nothing_has_no_coverage_and_nothing_kept_no_ratio() -> None:
    bare = Group("g", group().records, ())
    assert measure_distillation([(bare, [])]) == {
        "memories": 0,
        "traceCharacters": 28,
        "memoryCharacters": 0,
        "compression": 0.0,
        "compressionWithCaptions": 0.0,
    }


def test_speed_counts_the_turns_of_every_group() -> None:
    speed = turns_per_second(Dataset("d", (group(), group())), HeuristicExtractor(), HeuristicJudge(), SystemClock())
    assert speed > 0
