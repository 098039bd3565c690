"""What an import says: what was kept, what stays behind it, what waits, what was left out and why, in words."""

from pellucid.operations.session.importing import ImportOutput
from pellucid.surfaces.present.imports import import_text


def outcome(**more: object) -> ImportOutput:
    plain = {
        "mode": "both",
        "namespace": "local/default",
        "files": 14,
        "turns_read": 4766,
        "turns_taken": 4700,
        "memories": 549,
        "episodes": 77,
        "characters_in": 10,
        "characters_out": 2,
    }
    return ImportOutput.model_validate(plain | more)


def test_it_says_what_was_kept_from_how_much_and_where() -> None:
    told = import_text(outcome(passages=2100))
    assert told.splitlines() == [
        "kept 549 memories from 4,700 new turns of 4,766 in 14 files, to local/default",
        "what was said stays behind them: 2,100 passages in 77 episodes",
    ]


def test_reasons_are_words_and_what_is_unknown_stands_as_it_is() -> None:
    verdicts = {"accept:durable": 5, "accept:quarantined": 2, "defer:unresolved-reference": 3, "reject:odd-thing": 1}
    told = import_text(outcome(verdicts=verdicts, dropped={"thinking": 7, "not-a-turn": 1}))
    assert 'in quarantine: 2 memories, until you let them in (`call("trust.list")`)' in told
    assert (
        'not kept: 3 not saying what they speak of, 1 odd-thing (of each: `call("memory.why", memory="ITS WORDS")`)'
        in told
    )
    assert "left out: 7 an agent's thinking, 1 line that carries no message" in told
    assert "durable" not in told


def test_statements_that_nothing_was_made_of_are_counted_among_what_was_not_kept() -> None:
    told = import_text(
        outcome(verdicts={"reject:transient": 1}, unkept={"no-sign": 4, "transient": 2, "outweighed": 1})
    )
    assert "not kept: 4 with no sign that they are to last, 3 states that pass, 1 beside weightier words (of" in told


def test_turns_alone_are_told_as_passages() -> None:
    told = import_text(outcome(mode="verbatim", memories=30, passages=30))
    assert told.startswith("kept 30 passages word for word from 4,700 new turns")


def test_what_stopped_an_import_is_said() -> None:
    told = import_text(
        outcome(extractor_problem="no answer; repeat the import", malformed=1, problems=("a.jsonl:3: cut",))
    )
    assert "stopped early: no answer; repeat the import" in told
    assert "1 place could not be read: a.jsonl:3: cut" in told
    told = import_text(outcome(malformed=2, problems=("a.jsonl:3: cut", "a.jsonl:5: cut")))
    assert "2 places could not be read, among them a.jsonl:3: cut; a.jsonl:5: cut" in told


def test_passages_in_quarantine_are_counted_beside_memories() -> None:
    told = import_text(outcome(passages=40, passages_in_quarantine=1, verdicts={"accept:quarantined": 1}))
    assert 'in quarantine: 1 memory and 1 passage, until you let them in (`call("trust.list")`)' in told
    assert "in quarantine: 3 passages, until" in import_text(outcome(passages=40, passages_in_quarantine=3))


def test_a_turn_that_was_too_long_is_said_to_be_cut() -> None:
    told = import_text(outcome(turns_cut=1, characters_cut=153831))
    assert "cut: 153,831 characters out of the middle of 1 turn too long to be kept whole" in told
    assert "cut" not in import_text(outcome())
