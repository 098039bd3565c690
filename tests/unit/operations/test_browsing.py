"""An id, the end of an id or a path in, one memory out: or why it is not one."""

from pathlib import Path

import pytest

from kits.vault import keep
from pellucid.app import App, open_app
from pellucid.errors import InputError, NotFoundError
from pellucid.memory.episodes import episode_write
from pellucid.model.turn import Segment, Turn
from pellucid.operations.browsing import ListInput, ShowInput, list_memories, show_memory
from pellucid.settings import load

HERE = "local/default"


@pytest.fixture
def app(tmp_path: Path, model_cache: Path) -> App:
    return open_app(load(home=tmp_path), models=model_cache.parent)


def test_a_memory_is_shown_by_its_id_or_the_end_of_it_and_only_in_its_namespace(app: App) -> None:
    turns = tuple(Turn("s", number, "user", f"turn {number}") for number in (1, 2))
    write, moments = episode_write(Segment("s", turns, "session_end"), HERE, app.clock)
    app.unit_of_work.commit("import", [write])
    first = moments[0].id
    assert show_memory(app, ShowInput(namespace=HERE, memory_id=first)).memory.content == "turn 1"
    assert show_memory(app, ShowInput(namespace=HERE, memory_id=first[-10:])).memory.id == first
    with pytest.raises(NotFoundError):
        show_memory(app, ShowInput(namespace="other/place", memory_id=first))
    with pytest.raises(NotFoundError):
        show_memory(app, ShowInput(namespace=HERE, memory_id=""))
    with pytest.raises(InputError, match="2 memories fit"):
        show_memory(app, ShowInput(namespace=HERE, memory_id=write.path))
    app.close()


def test_passages_of_what_was_said_are_listed_where_nothing_else_is_or_where_they_are_asked_for(app: App) -> None:
    turns = tuple(Turn("s", number, "user", f"turn {number}") for number in (1, 2))
    app.unit_of_work.commit("import", [episode_write(Segment("s", turns, "session_end"), HERE, app.clock)[0]])
    alone = list_memories(app, ListInput(namespace=HERE))
    assert (alone.total, alone.passages) == (2, 0)
    keep(app, "Releases are cut every Tuesday")
    behind = list_memories(app, ListInput(namespace=HERE))
    assert [each.memory.content for each in behind.memories] == ["Releases are cut every Tuesday"]
    assert (behind.total, behind.passages) == (1, 2)
    assert list_memories(app, ListInput(namespace=HERE, category="moment")).total == 2
    assert list_memories(app, ListInput(namespace=HERE, contains="turn 1")).total == 1
    app.close()


def test_every_filter_of_a_list_must_hold_whatever_the_case_of_the_words(app: App) -> None:
    kept = [
        keep(app, content, tags=tags, entity_ref=thing).memory
        for content, tags, thing in (
            ("Die Straße am Hafen ist gesperrt", ("harbour",), "road"),
            ("The road is closed", ("harbour", "road"), "road"),
            ("The crane lifts forty tonnes", ("harbour",), None),
        )
    ]

    def found(**given: object) -> list[str]:
        return [
            each.memory.id
            for each in list_memories(app, ListInput.model_validate({"namespace": HERE, **given})).memories
        ]

    first, second, third = (each.id for each in kept)
    assert found(contains="STRASSE") == [first]
    assert found(tag="harbour", entity_ref="road") == [second, first]
    assert found(tag="road", contains="crane") == []
    assert found(since=kept[2].created) == [third]
    assert found(until=kept[1].created) == [first]
    assert found(status="archived") == []
    assert found(category="decision") == []


def test_a_tag_is_found_as_it_was_given_and_in_any_other_case(app: App) -> None:
    kept = keep(app, "The crane lifts forty tonnes", tags=("Harbour",)).memory
    for typed in ("Harbour", "harbour", " HARBOUR "):
        found = list_memories(app, ListInput(namespace=HERE, tag=typed))
        assert ([each.memory.id for each in found.memories], found.total) == ([kept.id], 1)
