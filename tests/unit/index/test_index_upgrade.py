"""An index of the first version in; the same memories, and what the second version adds, out by themselves."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from kits.old_indexes import as_first_version, as_fourth_version
from kits.stories import tell
from kits.vault import HERE, Opener, a_memory, ask, contents, file_memories, keep
from pellucid.app import App
from pellucid.errors import EncoderError
from pellucid.language.spelling import attribute_key
from pellucid.language.statements.negation import polarity
from pellucid.operations.admin.health import check_databases, examine_home
from pellucid.store.index_changes import IndexState

CRANE, FERRY = "the harbour crane lifts forty tonnes", "the ferry leaves at nine"


def without_encoder(app: App) -> App:
    """The same home around an encoder that must not be asked."""

    class Silent:
        model, basis = app.embedder.model, app.embedder.basis

        def encode(self, texts: object) -> object:
            raise EncoderError("asked to encode what was encoded before", next_step="reuse it")

    indexer = replace(app.indexer, embedder=Silent())  # type: ignore[arg-type]
    return replace(app, indexer=indexer, unit_of_work=replace(app.unit_of_work, indexer=indexer))


@pytest.mark.requirement("STORE-4")
@pytest.mark.parametrize("journal", ["kept", "lost"])
def test_an_older_index_is_folded_again_by_the_next_catch_up(house: Opener, tmp_path: Path, journal: str) -> None:
    old = house()
    stated = a_memory(1, CRANE, entity_ref="crane", structured_attributes={"load": "40 t"})
    file_memories(old, [stated, *(a_memory(n, f"note number {n}") for n in range(2, 300))])
    (tmp_path / "vault" / "facts" / "mine.md").write_text(FERRY, "utf-8")
    old.unit_of_work.take_over_edits()
    held = {each.memory.id: (each.memory, each.path) for each in old.index.memories(HERE)}
    reached = old.index.state().applied_seq
    old.close()
    as_first_version(tmp_path)
    if journal == "lost":
        (tmp_path / "journal.db").unlink()
    assert check_databases(tmp_path) is None
    app = without_encoder(house())
    assert app.index.state().applied_seq == 0
    folded = app.indexer.catch_up()
    assert (folded.memories, folded.unreadable, folded.encoder_problem) == (300, (), "")
    assert {each.memory.id: (each.memory, each.path) for each in app.index.memories(HERE)} == held
    key = attribute_key("crane", "load")
    assert [each.memory for each in app.lookup.stating(HERE, [key])[key]] == [stated]
    by_hand = polarity(FERRY).key
    assert [each.memory.content for each in app.lookup.polarities(HERE, [by_hand])[by_hand]] == [FERRY]
    assert app.index.state().applied_seq == (reached if journal == "kept" else 0)
    assert app.indexer.drift().paths == ()
    assert examine_home(app).healthy


def test_an_older_index_answers_before_it_is_folded_again(house: Opener, tmp_path: Path) -> None:
    old = house()
    keep(old, CRANE)
    old.close()
    as_first_version(tmp_path)
    app = house()
    assert contents(ask(app, "harbour crane")) == [CRANE]


class _Dying:
    """An index whose process dies at its second write."""

    def __init__(self, inner: object) -> None:
        self._inner, self._writes = inner, 0

    def __getattr__(self, name: str) -> object:
        if name == "apply":
            self._writes += 1
            if self._writes == 2:
                raise KeyboardInterrupt
        return getattr(self._inner, name)


def test_a_fold_that_dies_between_two_batches_is_done_again(house: Opener, tmp_path: Path) -> None:
    old = house(encoder=None)
    file_memories(old, [a_memory(n, f"note number {n}") for n in range(1, 301)])
    old.close()
    as_first_version(tmp_path)
    app = house(encoder=None)
    with pytest.raises(KeyboardInterrupt):
        replace(app.indexer, index=_Dying(app.index)).catch_up()  # type: ignore[arg-type]
    keys = {polarity(f"note number {n}").key for n in range(1, 301)}
    assert len(app.lookup.polarities(HERE, keys)) == 256
    assert app.index.state() == IndexState(0, "", "", 0)
    app.indexer.catch_up()
    assert len(app.lookup.polarities(HERE, keys)) == 300
    assert app.index.state().applied_seq == app.records.operations()[-1].seq


@pytest.mark.requirement("STORE-4")
def test_an_index_without_stories_finds_episodes_after_the_next_catch_up(house: Opener, tmp_path: Path) -> None:
    old = house()
    episode = tell(old, 1, "harbour crane", CRANE)
    reached = old.index.state().applied_seq
    old.close()
    as_fourth_version(tmp_path)
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as index:
        index.execute("DROP INDEX memories_category; DROP TABLE stories; PRAGMA user_version = 3")
    assert check_databases(tmp_path) is None
    app = house()
    assert app.index.state().applied_seq == 0
    with app.index.reading(HERE) as reader:
        assert reader.episodes.search(None, ["crane"], 9) == []
    app.indexer.catch_up()
    query = app.embedder.encode_query("harbour crane").vector
    with app.index.reading(HERE) as reader:
        (hit,) = reader.episodes.search(query, ["crane"], 9)
    assert (hit.id, round(hit.cosine, 3)) == (episode.id, 1.0)
    assert app.index.state().applied_seq == reached
    assert examine_home(app).healthy
