"""Other tools' memory files in; what would become of them, then just that, once and for all, out."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kits.vault import ask, keep
from pellucid.app import App
from pellucid.capture.memories.adopted import MemoryFormat
from pellucid.deadline import Deadline
from pellucid.memory.erasure.tombstone import words_key
from pellucid.model.ledger import TombstoneRow
from pellucid.model.memory import Memory
from pellucid.operations.memory.adopting import AdoptInput, AdoptOutput, adopt, preview
from pellucid.operations.memory.undoing import UndoInput, undo

EXAMPLES = Path(__file__).parents[3] / "examples" / "memories"
HERE = "local/default"
Ask = Callable[..., AdoptInput]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    folder.mkdir()
    return folder


def asked(*paths: Path, samples: int = 5, memory_format: MemoryFormat | None = None) -> AdoptInput:
    return AdoptInput(paths=paths, namespace=HERE, samples=samples, memory_format=memory_format)


def held(app: App) -> dict[str, Memory]:
    """Every memory of the namespace by its content."""
    return {served.memory.content: served.memory for served in app.index.memories(HERE)}


def sums_up(outcome: AdoptOutput) -> bool:
    parts = (outcome.new, outcome.known, outcome.repeated, outcome.adopted_before, outcome.forgotten)
    return outcome.read == sum(parts) and outcome.new == sum(outcome.categories.values())


def fact(folder: Path, name: str, body: str, **given: str) -> None:
    keys = {"id": name, "category": "fact", "created": "2026-04-20T08:00:00Z"} | given
    head = "".join(f"{key}: {value}\n" for key, value in keys.items())
    (folder / f"{name}.md").write_text(f"---\n{head}---\n\n{body}\n", "utf-8")


@pytest.mark.requirement("ADOPT-1")
def test_a_preview_says_what_adopting_then_does_and_writes_nothing(whole: App) -> None:
    looked = preview(whole, asked(EXAMPLES))
    assert held(whole) == {}
    assert whole.records.operations() == []
    done = adopt(whole, asked(EXAMPLES))
    assert looked.new == done.new == len(held(whole)) > 25
    same = {"written": True, "samples": (), "operations": ()}
    assert looked.model_copy(update=same) == done.model_copy(update=same)
    assert [sample.content for sample in looked.samples] == [sample.content for sample in done.samples]
    assert sums_up(looked)


def test_an_adopted_memory_says_where_and_when_it_comes_from(whole: App) -> None:
    adopt(whole, asked(EXAMPLES))
    memories = held(whole)
    rule = memories["Git › Never rewrite the history of `main`."]
    assert (rule.source, rule.asserted_by, rule.source_class) == ("import", "user", "system_memory")
    assert (rule.category, rule.trust_zone, rule.evidence) == ("rule", "working", ("project/docs/git.md:4-4",))
    coffee = memories["Tomás is allergic to coffee"]
    assert (coffee.asserted_by, coffee.entity_ref) == ("inferred", "tomas")
    assert coffee.created == datetime(2026, 2, 11, 17, 30, tzinfo=UTC)
    assert coffee.valid_at == coffee.created
    assert 0 < coffee.importance_score < 1


def test_what_was_adopted_is_recalled(whole: App) -> None:
    adopt(whole, asked(EXAMPLES))
    answer = ask(whole, "what is Tomás allergic to?")
    assert "allergic to coffee" in answer.context


@pytest.mark.requirement("ADOPT-1")
def test_repeating_it_adds_nothing_and_an_edit_adds_what_is_new(whole: App, given: Path) -> None:
    path = given / "CLAUDE.md"
    path.write_text("- The crane lifts forty tonnes at most\n- The ferry leaves at nine in the morning\n")
    assert adopt(whole, asked(path)).new == 2
    again = adopt(whole, asked(path))
    assert (again.new, again.known) == (0, 2)
    path.write_text("\n# Harbour\n\n- The ferry leaves at nine in the morning\n- The tide tables hang in the office\n")
    edited = adopt(whole, asked(path))
    assert (edited.new, edited.known) == (1, 1)
    assert len(held(whole)) == 3


def test_words_that_a_person_keeps_already_are_known(whole: App, given: Path) -> None:
    keep(whole, "The ferry leaves at nine.")
    (given / "CLAUDE.md").write_text("- the ferry leaves at nine\n- the ferry LEAVES at nine!\n")
    outcome = adopt(whole, asked(given))
    assert (outcome.new, outcome.known) == (0, 2)


def test_words_that_are_kept_in_private_are_not_known_to_who_adopts_them(whole: App, given: Path) -> None:
    kept = keep(whole, "The relay uses port 9090", scopes=("private",))
    fact(given, "one", "The relay uses port 9090")
    assert (adopt(whole, asked(given)).new, adopt(whole, asked(given)).known) == (1, 1)
    assert {each.memory.id == kept.memory.id for each in whole.index.memories(HERE)} == {True, False}


def test_the_same_words_twice_are_kept_once(whole: App, given: Path) -> None:
    for name in ("CLAUDE.md", "AGENTS.md"):
        (given / name).write_text("- The ferry leaves at nine in the morning\n")
    for outcome in (preview(whole, asked(given)), adopt(whole, asked(given))):
        assert (outcome.new, outcome.repeated, outcome.known) == (1, 1, 0)


def test_a_memory_that_was_deleted_after_its_adoption_does_not_come_back(whole: App, given: Path) -> None:
    (given / "CLAUDE.md").write_text("- The ferry leaves at nine in the morning\n")
    adopt(whole, asked(given))
    path = whole.index.memories(HERE)[0].path
    (whole.settings.home / "vault" / path).unlink()
    whole.unit_of_work.take_over_edits()
    again = adopt(whole, asked(given))
    assert (again.new, again.adopted_before) == (0, 1)
    assert held(whole) == {}


def test_something_forgotten_is_not_brought_back(whole: App, given: Path) -> None:
    grave = words_key(whole.key, HERE, "The ferry leaves at nine", None)
    row = TombstoneRow(memory_id="mem_" + "0" * 32, namespace=HERE, at=whole.clock.now(), keys=(grave.hex(),))
    whole.unit_of_work.commit("forget", (), [row.to_wire()])
    (given / "CLAUDE.md").write_text("- The ferry leaves at nine\n")
    outcome = adopt(whole, asked(given))
    assert (outcome.new, outcome.forgotten) == (0, 1)


def test_an_adoption_can_be_undone_as_a_whole(whole: App) -> None:
    outcome = adopt(whole, asked(EXAMPLES / "project"))
    undo(whole, UndoInput(target=outcome.operations[0], namespace=HERE))
    assert {memory.status for memory in held(whole).values()} == {"archived"}


@pytest.mark.requirement("ADOPT-1")
def test_chains_of_superseded_memories_keep_their_links_under_our_ids(whole: App, given: Path) -> None:
    fact(given, "fact-1", "The cluster has two nodes.", status="superseded", supersededBy="fact-2")
    fact(
        given, "fact-2", "The cluster has four nodes.", status="superseded", supersededBy="fact-3", supersedes="fact-1"
    )
    fact(given, "fact-3", "The cluster has six nodes.", supersedes='["fact-2", "fact-9"]')
    fact(given, "fact-4", "The cluster is in Trieste.", status="superseded", supersededBy="fact-8")
    outcome = adopt(whole, asked(given))
    assert (outcome.new, outcome.statuses) == (4, {"superseded": 3, "active": 1})
    two, four, six, trieste = (
        held(whole)[f"The cluster {rest}."]
        for rest in (
            "has two nodes",
            "has four nodes",
            "has six nodes",
            "is in Trieste",
        )
    )
    assert (two.superseded_by, four.supersedes) == (four.id, (two.id,))
    assert (four.superseded_by, six.supersedes, six.status) == (six.id, (four.id,), "active")
    assert (trieste.status, trieste.superseded_by) == ("superseded", None)
    again = adopt(whole, asked(given))
    assert (again.new, again.known, again.adopted_before) == (0, 1, 3)


def test_a_newer_memory_names_the_older_one_that_was_known_already(whole: App, given: Path) -> None:
    kept = keep(whole, "Mira waters the plants on Mondays.")
    fact(given, "fact-1", "Mira waters the plants on Mondays.")
    fact(given, "fact-2", "Jonas waters the plants now.", supersedes="fact-1")
    adopt(whole, asked(given))
    assert held(whole)["Jonas waters the plants now."].supersedes == (kept.memory.id,)


def test_a_superseded_memory_is_never_an_answer(whole: App) -> None:
    adopt(whole, asked(EXAMPLES / "remnic"))
    answer = ask(whole, "how many nodes has the search cluster?")
    assert "three nodes" in answer.context
    assert "has five nodes" not in answer.context


def test_a_time_that_lies_ahead_becomes_now(whole: App, given: Path) -> None:
    (given / "dump.json").write_text(json.dumps([{"memory": "The ferry leaves", "created_at": "9998-01-01T00:00:00Z"}]))
    adopt(whole, asked(given))
    assert held(whole)["The ferry leaves"].created <= whole.clock.now()


def test_words_without_a_telling_form_are_classified_by_our_own_cues(whole: App, given: Path) -> None:
    (given / "memories.txt").write_text("We decided to use the northern crane.\n禁止直接推送到主分支。\nA crane.\n")
    adopt(whole, asked(given))
    assert [
        held(whole)[content].category
        for content in (
            "We decided to use the northern crane.",
            "禁止直接推送到主分支。",
            "A crane.",
        )
    ] == ["decision", "rule", "fact"]


def test_no_answer_and_no_file_holds_a_secret_or_a_machines_path(whole: App, given: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (given / "CLAUDE.md").write_text(f"- Push with {token} from the harbour office\n")
    (given / "dump.jsonl").write_text('{"memory": "The tide turns"}\n{broken\n')
    outcome = adopt(whole, asked(given))
    files = b"".join(path.read_bytes() for path in whole.settings.home.rglob("*") if path.is_file())
    assert token.encode() not in files
    assert str(given).encode() not in files
    assert str(given) not in str(outcome)
    assert outcome.problems == ("dump.jsonl:2: not valid JSON",)
    assert outcome.redactions == {"github-token": 1}


def test_more_memories_than_one_commit_holds_are_kept_in_several(whole: App, given: Path) -> None:
    rows = [{"id": str(number), "memory": f"Crane {number} rests"} for number in range(501)]
    (given / "dump.json").write_text(json.dumps({"results": rows}))
    outcome = adopt(whole, asked(given, samples=2))
    assert (outcome.new, len(outcome.samples), len(held(whole))) == (501, 2, 501)
    assert [row.kind for row in whole.records.operations()] == ["import", "import"]


def test_another_writer_that_was_faster_is_not_repeated(whole: App, given: Path) -> None:
    (given / "CLAUDE.md").write_text("- The ferry leaves at nine in the morning\n")
    exclusive = whole.unit_of_work.exclusive
    outcome = None

    def overtaken(wait_s: float, namespace: str | None = None, deadline: Deadline | None = None):
        remember_first()
        return exclusive(wait_s, namespace, deadline)

    def remember_first() -> None:
        object.__setattr__(whole.unit_of_work, "exclusive", exclusive)
        keep(whole, "The ferry leaves at nine in the morning")

    object.__setattr__(whole.unit_of_work, "exclusive", overtaken)
    outcome = adopt(whole, asked(given))
    assert (outcome.new, outcome.known) == (0, 1)
    assert len(held(whole)) == 1
