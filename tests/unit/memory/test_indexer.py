"""A vault that people and programs change in, an index that follows it out."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kits.vault import (
    ELSEWHERE,
    HERE,
    SESSIONS,
    Opener,
    a_memory,
    ask,
    bring_in,
    contents,
    drop_index,
    edit,
    file_memories,
    keep,
    ranking,
    run,
)
from pellucid.app import App
from pellucid.errors import EncoderError
from pellucid.operations.admin.health import examine_home, rebuild
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.recall.auditing import AuditInput, audit

BROKEN_EPISODE = b"""---
id: ep_11111111111111111111111111111111
created: 2026-01-01
updated: 2026-01-01
sessionId: s
topic: t
turns: 1-1
---

<!-- pellucid:moment {"id": } -->
words
"""
CRANE, FERRY = "the harbour crane lifts forty tonnes", "the ferry leaves at nine"


def vault(app: App) -> Path:
    return app.settings.home / "vault"


def kept(app: App) -> list[str]:
    """The content of every active memory the index knows here."""
    found = list_memories(app, ListInput(namespace=app.settings.namespace, limit=10_000))
    return sorted(each.memory.content for each in found.memories)


def test_an_edited_file_is_what_is_remembered(app: App) -> None:
    path = keep(app, CRANE).path
    edit(app.settings.home, path, "forty", "fifty")
    drift, folded = app.unit_of_work.take_over_edits()
    assert (drift.edited, drift.added, drift.deleted) == ((path,), (), ())
    assert folded.memories == 1
    assert kept(app) == [CRANE.replace("forty", "fifty")]
    state = run(app, "fifty tonnes")
    assert state.plan.frequencies == (1, 1)
    assert run(app, "forty").plan.frequencies == (0,)


def test_a_recall_takes_an_edit_over_by_itself_and_names_the_operation(app: App) -> None:
    path = keep(app, CRANE).path
    edit(app.settings.home, path, "forty", "fifty")
    answer = ask(app, "how much does the harbour crane lift?")
    assert contents(answer) == [CRANE.replace("forty", "fifty")]
    operation = audit(app, AuditInput(namespace=HERE, entry=answer.memories[0].audit_entry_id)).operation
    assert operation
    assert operation["kind"] == "external-edit"


def test_a_deleted_file_is_forgotten_by_the_next_recall(app: App) -> None:
    path = keep(app, CRANE).path
    keep(app, FERRY)
    (vault(app) / path).unlink()
    assert contents(ask(app, "harbour crane")) == [FERRY]
    assert app.unit_of_work.take_over_edits()[0].paths == ()


def test_a_file_written_by_hand_is_a_memory(app: App) -> None:
    (vault(app) / "facts").mkdir(parents=True, exist_ok=True)
    (vault(app) / "facts" / "mine.md").write_text(f"{CRANE}\n", "utf-8")
    drift, folded = app.unit_of_work.take_over_edits()
    assert (drift.added, folded.memories) == (("facts/mine.md",), 1)
    assert contents(ask(app, "crane")) == [CRANE]
    again, nothing = app.unit_of_work.take_over_edits()
    assert again.paths == ()
    assert nothing.memories == 0


def test_a_renamed_file_is_the_same_memory(app: App) -> None:
    kept_as = keep(app, CRANE)
    old = vault(app) / kept_as.path
    old.rename(old.with_name("a-name-of-mine.md"))
    drift, _ = app.unit_of_work.take_over_edits()
    assert len(drift.added) == len(drift.deleted) == 1
    answer = ask(app, "crane")
    assert [each.memory.id for each in answer.memories] == [kept_as.memory.id]
    assert answer.memories[0].path.endswith("a-name-of-mine.md")


@pytest.mark.parametrize("folder", ["aside", "zoo"])
def test_many_files_moved_at_once_are_the_same_memories(app: App, folder: str) -> None:
    file_memories(app, [a_memory(n, f"note number {n}", category="decision") for n in range(1, 301)])
    (vault(app) / folder).mkdir()
    for file in sorted((vault(app) / "facts").rglob("*.md")):
        file.rename(vault(app) / folder / file.name)
    app.unit_of_work.take_over_edits()
    assert len(kept(app)) == 300


def test_two_files_that_change_places_lose_neither_memory(app: App) -> None:
    one, two = (vault(app) / keep(app, text).path for text in (CRANE, FERRY))
    aside = one.with_name("aside")
    one.rename(aside)
    two.rename(one)
    aside.rename(two)
    app.unit_of_work.take_over_edits()
    assert kept(app) == sorted([CRANE, FERRY])


def test_a_copy_becomes_the_memory_when_the_original_goes(app: App) -> None:
    original = vault(app) / keep(app, CRANE).path
    copy = original.with_name("copy.md")
    shutil.copy2(original, copy)
    app.unit_of_work.take_over_edits()
    assert kept(app) == [CRANE]
    assert [finding.check for finding in examine_home(app).findings] == ["id"]
    original.unlink()
    app.unit_of_work.take_over_edits()
    assert kept(app) == [CRANE]


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe not utf-8",
        b"---\na: [\n---\nwords\n",
        b"---\ncategory: rumour\n---\nwords\n",
        b"---\na: &x 1\nb: *x\n---\nwords\n",
        BROKEN_EPISODE,
        b"---\ncreated: 0001-01-01T00:00:00+14:00\n---\nwords\n",
        b"---\na: " + b"[" * 1_100 + b"\n---\nwords\n",
    ],
    ids=["not utf-8", "not yaml", "no such category", "alias", "broken marker", "beyond time", "nested"],
)
def test_an_unreadable_file_is_reported_and_the_others_are_read(app: App, text: bytes) -> None:
    keep(app, CRANE)
    (vault(app) / "facts" / "bad.md").write_bytes(text)
    (vault(app) / "facts" / "good.md").write_text(FERRY, "utf-8")
    drift, folded = app.unit_of_work.take_over_edits()
    assert len(drift.added) == 2
    assert [path for path, _ in folded.unreadable] == ["facts/bad.md"]
    assert kept(app) == sorted([CRANE, FERRY])
    report = examine_home(app)
    assert not report.healthy
    assert [(finding.check, finding.subject) for finding in report.findings] == [("file", "facts/bad.md")]
    assert rebuild(app).memories == 2


def test_a_file_that_becomes_unreadable_no_longer_answers_until_it_is_mended(app: App) -> None:
    path = keep(app, CRANE).path
    edit(app.settings.home, path, "category: fact", "category: rumour")
    assert contents(ask(app, "crane")) == []
    edit(app.settings.home, path, "category: rumour", "category: fact")
    app.unit_of_work.take_over_edits()
    assert contents(ask(app, "crane")) == [CRANE]


@pytest.mark.requirement("STORE-4")
def test_a_rebuild_changes_no_answer_and_reuses_every_vector(app: App) -> None:
    bring_in(app, SESSIONS)
    asked = ("when do we cut releases?", "who leads the data platform team?", "currency of an invoice")
    before = [ranking(run(app, query)) for query in asked]
    without = replace(app, indexer=replace(app.indexer, embedder=_Refusing(app.embedder)))
    outcome = rebuild(without)
    assert outcome.memories == len(app.index.memories(HERE))
    assert outcome.encoder_problem is None
    assert [ranking(run(app, query)) for query in asked] == before


class _Refusing:
    """An encoder of the same name that cannot be reached."""

    def __init__(self, inner: object) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> object:
        if name == "encode":
            raise EncoderError("the model is not here", next_step="fetch it")
        return getattr(self._inner, name)


def test_without_an_encoder_memories_are_kept_and_a_rebuild_gives_them_vectors(house: Opener) -> None:
    bare = house()
    indexer = replace(bare.indexer, embedder=_Refusing(bare.embedder))
    app = replace(bare, indexer=indexer, unit_of_work=replace(bare.unit_of_work, indexer=indexer))
    outcome = keep(app, CRANE)
    assert outcome.created
    assert outcome.encoder_problem == "the model is not here (fetch it)"
    assert contents(ask(app, "crane")) == [CRANE]
    assert examine_home(app).without_vector == 1
    assert [finding.check for finding in examine_home(app).findings] == ["vectors"]
    rebuild(bare)
    assert examine_home(bare).without_vector == 0
    assert examine_home(bare).healthy


class _Renamed:
    """The same encoder under another name, which counts what it encodes."""

    model = "another-model"

    def __init__(self, inner: Any) -> None:
        self._inner, self.encoded = inner, list[str]()

    def encode(self, texts: list[str]) -> object:
        self.encoded += texts
        return self._inner.encode(texts)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


def test_a_changed_model_is_a_finding_and_a_rebuild_encodes_everything_again(house: Opener) -> None:
    first = house()
    keep(first, CRANE)
    model = _Renamed(first.embedder)
    indexer = replace(first.indexer, embedder=model)
    app = replace(
        first,
        embedder=model,
        indexer=indexer,
        unit_of_work=replace(first.unit_of_work, indexer=indexer),
        recaller=replace(first.recaller, embedder=model),
    )
    assert [finding.check for finding in examine_home(app).findings] == ["model"]
    later = keep(app, FERRY)
    assert later.encoder_problem
    assert "rebuild" in later.encoder_problem
    assert model.encoded == []
    assert ask(app, "ferry").degraded
    rebuild(app)
    assert sorted(model.encoded) == sorted([CRANE, FERRY])
    assert app.index.state().model == "another-model"
    answer = ask(app, "ferry")
    assert not answer.degraded
    assert examine_home(app).healthy


@pytest.mark.requirement("STORE-4")
@pytest.mark.parametrize("how", ["rebuilt", "deleted"])
def test_a_file_written_by_hand_keeps_its_id_and_place_through_a_new_index(
    house: Opener, tmp_path: Path, how: str
) -> None:
    app = house()
    keep(app, FERRY)
    (vault(app) / "facts" / "mine.md").write_text(CRANE, "utf-8")
    app.unit_of_work.take_over_edits()
    before = [(each.memory, each.path) for each in app.index.memories(HERE)]
    if how == "rebuilt":
        rebuild(app)
        after = app
    else:
        app.index.close()
        drop_index(tmp_path)
        after = house()
        after.unit_of_work.take_over_edits()
    assert [(each.memory, each.path) for each in after.index.memories(HERE)] == before


@pytest.mark.requirement("STORE-7")
def test_a_file_that_names_no_namespace_is_in_the_same_one_whoever_looks(house: Opener) -> None:
    home = house()
    keep(home, FERRY)
    (vault(home) / "facts" / "mine.md").write_text(CRANE, "utf-8")
    elsewhere = house(namespace=ELSEWHERE)
    elsewhere.unit_of_work.take_over_edits()
    first = {namespace: len(home.index.memories(namespace)) for namespace in (HERE, ELSEWHERE)}
    rebuild(home)
    assert {namespace: len(home.index.memories(namespace)) for namespace in (HERE, ELSEWHERE)} == first


@pytest.mark.parametrize("change", ["before", "by the rebuild"])
def test_what_a_rebuild_indexed_leads_to_an_operation_too(app: App, change: str) -> None:
    path = keep(app, CRANE).path
    edit(app.settings.home, path, "forty", "fifty")
    if change == "before":
        app.unit_of_work.take_over_edits()
    rebuild(app)
    answer = ask(app, "crane")
    assert audit(app, AuditInput(namespace=HERE, entry=answer.memories[0].audit_entry_id)).operation


def test_a_file_touched_but_not_changed_is_folded_to_the_same_row(app: App) -> None:
    path = keep(app, CRANE).path
    before = run(app, "crane")
    os.utime(vault(app) / path, ns=(1, 1))
    assert app.unit_of_work.take_over_edits()[0].edited == (path,)
    assert ranking(run(app, "crane")) == ranking(before)
    assert app.unit_of_work.take_over_edits()[0].paths == ()


def test_an_index_is_as_far_as_the_record_after_every_write(house: Opener) -> None:
    app = house()
    for text in (CRANE, FERRY):
        keep(app, text)
        assert app.index.state().applied_seq == app.records.operations()[-1].seq
    other = house()
    keep(other, "written by another")
    assert len(kept(app)) == 3
