"""A sentence in, how likely it is worth keeping out; and the labels in, the shipped weights out."""

import json
from pathlib import Path

import pytest

from pellucid.lab.heads.statements import fit, load
from pellucid.observe.extract.durability import KINDS, features, load_table, tokens


@pytest.mark.parametrize(
    ("durable", "passing"),
    [
        (
            "The importer rejects files above 2 GB because the parser keeps offsets in 31 bits.",
            "Run the importer again.",
        ),
        ("Never amend a commit that is already pushed, CI caches by hash.", "Amend the commit and push."),
        ("we'll stay on postgres 15 until the extension supports 16", "is postgres 16 out yet?"),
    ],
)
def test_what_holds_next_month_reads_above_what_is_for_now(durable: str, passing: str) -> None:
    table = load_table()
    assert table.read(durable, by_user=True).durable > 0.5 > table.read(passing, by_user=True).durable


def test_words_are_told_apart_in_scripts_without_blanks() -> None:
    assert tokens("缓存300秒") == ["缓", "存", "0", "秒"]
    assert tokens("It isn’t 5.") == ["it", "isn't", "0", "."]


def test_a_long_sentence_weighs_no_more_than_a_short_one() -> None:
    def length(text: str) -> float:
        return sum(value**2 for name, value in features(text).items() if not name.startswith("="))

    assert length("one two") == pytest.approx(length("a much longer sentence with many different words in it"))


def test_fitting_reads_labels_and_tells_them_apart(tmp_path: Path) -> None:
    keep = [
        f"we decided to keep the {thing} in its own table" for thing in ("log", "queue", "index", "cache", "ledger")
    ]
    drop = [f"can you look at the {thing} again" for thing in ("log", "queue", "index", "cache", "ledger")]
    rows = [{"text": text, "role": "user", "kind": "decision"} for text in keep]
    rows += [{"text": text, "role": "user", "kind": "none"} for text in drop]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fitted = fit(load([path]))
    assert fitted.accuracy == 1.0
    head = [line for line in fitted.table.splitlines() if line.startswith("#")]
    assert head[0].startswith("# weights in hundredths; fitted on 10 sentences")
    assert fit(load([path])).table == fitted.table


def test_the_shipped_weights_have_a_column_for_every_kind() -> None:
    assert {len(row) for row in load_table().weights.values()} == {2 + len(KINDS)}


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("We've been shipping whenever someone feels like it and support never knows what is live", "fact"),
        ("We have been running two registries since the merger", "fact"),
        ("We've been deploying by hand since March", "fact"),
        ("We decided to keep Postgres for the ledger", "decision"),
    ],
)
def test_what_has_been_going_on_is_neither_decided_nor_ruled(sentence: str, kind: str) -> None:
    assert load_table().read(sentence, by_user=True).kind == kind
