"""Five documents in the format of the EIP set in, what the lab reads of them out; and the metrics by hand."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kits.eips import PROSE, REQUIRES, write_set
from pellucid.errors import InputError
from pellucid.lab.datasets import eips
from pellucid.lab.metrics.graph import agreement, all_direct, closure, closure_recall, dependencies, pairs, without

TRUTH = {2: frozenset({1}), 3: frozenset({2}), 4: frozenset({1, 3})}


def test_documents_come_whole(tmp_path: Path) -> None:
    found = eips.documents(write_set(tmp_path))
    assert [each.number for each in found] == list(PROSE)
    assert found[0].path == "EIPS/eip-10.md"
    assert found[0].text.startswith("---\neip: 10\n")
    assert found[-1].status == eips.MOVED


def test_only_requires_rows_are_the_truth(tmp_path: Path) -> None:
    found = eips.requires(write_set(tmp_path))
    assert found == {20: frozenset({10}), 30: frozenset({20, 50}), 40: frozenset({10, 30}), 50: frozenset({10})}


def test_changes_are_sorted_by_instant_whatever_their_offset(tmp_path: Path) -> None:
    found = eips.changes(write_set(tmp_path))
    assert [each.at.astimezone(UTC) for each in found] == sorted(each.at.astimezone(UTC) for each in found)
    assert found[1].at == datetime(2022, 1, 9, 19, 0, tzinfo=UTC)


def test_answers_are_kept_as_written(tmp_path: Path) -> None:
    assert [each.answer for each in eips.questions(write_set(tmp_path), "requires")] == ["30, 10", "10, 30"]


def test_a_document_without_text_stands_as_the_header_it_had_last(tmp_path: Path) -> None:
    changes = eips.changes(write_set(tmp_path))
    (found,) = eips.headers_only([each for each in eips.documents(tmp_path) if each.number != 40], changes)
    assert (found.number, found.path, found.status) == (40, "EIPS/eip-40.md", "Draft")
    assert found.text == "---\neip: 40\nstatus: Draft\nrequires: 10, 30\n---\n"


def test_a_row_without_a_field_is_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    (folder / "asof_status_questions.jsonl").write_text('{"doc": 1, "question": "?", "as_of": "2024-01-01"}\n', "utf-8")
    with pytest.raises(InputError, match=r"asof_status_questions\.jsonl:1 has no 'answer'"):
        eips.questions(folder, "status")


def test_a_line_that_is_no_row_is_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    (folder / "status_history.jsonl").write_text("nothing\n", "utf-8")
    with pytest.raises(InputError, match=r"status_history\.jsonl:1 holds no row"):
        eips.changes(folder)


def test_a_folder_without_the_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no docs\.jsonl"):
        eips.documents(tmp_path)


def test_the_closure_follows_requirements_and_leaves_the_start_out() -> None:
    assert closure(TRUTH, 4) == {1, 2, 3}
    assert closure({1: frozenset({2}), 2: frozenset({1})}, 1) == {2}
    assert closure(TRUTH, 1) == frozenset()


def test_precision_and_recall_of_edges_name_what_is_wrong_and_missing() -> None:
    found = agreement({(2, 1), (3, 1)}, pairs(TRUTH))
    assert (found["precision"], found["recall"]) == (0.5, 0.25)
    assert found["wrong"] == [[3, 1]]
    assert found["missing"] == [[3, 2], [4, 1], [4, 3]]


def test_edges_from_and_to_what_is_aside_do_not_count() -> None:
    assert pairs(TRUTH, frozenset({1})) == {(3, 2), (4, 3)}
    assert without(TRUTH, frozenset({1})) == {3: frozenset({2}), 4: frozenset({3})}
    assert without(TRUTH, frozenset({3})) == {2: frozenset({1}), 4: frozenset({1})}


def test_direct_requirements_must_stand_in_the_first_five_or_as_many_as_there_are() -> None:
    assert all_direct([9, 8, 7, 1, 3], {1, 3})
    assert not all_direct([9, 8, 7, 6, 1, 3], {1, 3})
    assert all_direct([1, 2, 3, 4, 5, 6], {1, 2, 3, 4, 5, 6})


def test_the_closure_is_looked_for_at_twice_its_size() -> None:
    assert closure_recall([9, 1, 8, 2], {1, 2}) == 1.0
    assert closure_recall([9, 1, 8, 7, 2], {1, 2}) == 0.5


def test_a_document_that_requires_no_other_is_named_where_closures_are_measured() -> None:
    with pytest.raises(InputError, match=r"required by 7, 8 "):
        dependencies({7: [1], 8: [1], 3: [2, 1]}, {**TRUTH, 7: frozenset({7})})
    with pytest.raises(InputError, match="it is empty"):
        closure_recall([1, 2], set())


def test_the_asked_document_takes_a_place_and_is_reported_without_it() -> None:
    found = dependencies({3: [3, 9, 2], 4: [4, 1, 8, 7, 6, 3, 2]}, TRUTH)
    assert found["documents"] == 2
    assert found["direct"] == 0.5
    assert found["directOthers"] == 1.0
    assert found["closureOfMany"] == 0.5833
    assert found["withLargerClosure"] == 2


def test_the_kit_tells_the_truth_it_writes(tmp_path: Path) -> None:
    told = eips.requires(write_set(tmp_path))
    assert all(told[source] >= set(targets) for source, targets in REQUIRES.items())
