"""A memory that replaced others forgotten, what it alone had retired in force again out."""

from kits.vault import keep
from pellucid.app import App
from pellucid.model.memory import Memory
from pellucid.operations.admin.health import examine_home
from pellucid.operations.memory.changing import UpdateInput, update
from pellucid.operations.memory.forgetting import ForgetInput, PurgeInput, forget, preview_forget, purge
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.store.records import FileRemoval, content_digest

HERE = "local/default"


def say(app: App, words: str, session: str | None = None) -> Memory:
    return keep(app, words, session_id=session).memory


def asked(*memories: Memory) -> ForgetInput:
    return ForgetInput(namespace=HERE, memory_ids=tuple(each.id for each in memories))


def now(app: App, memory: Memory) -> Memory:
    return app.index.memories(HERE, [memory.id])[0].memory


def test_what_only_the_forgotten_had_retired_is_in_force_again(whole: App) -> None:
    old, new = say(whole, "The relay uses port 8080"), say(whole, "The relay uses port 9090")
    assert now(whole, old).status == "superseded"
    assert [each.id for each in preview_forget(whole, asked(new)).restored] == [old.id]
    assert [(each.id, each.status) for each in forget(whole, asked(new)).restored] == [(old.id, "active")]
    back = now(whole, old)
    assert (back.status, back.superseded_by, back.invalid_at) == ("active", None, None)


def test_purging_a_session_brings_back_what_it_had_retired(whole: App) -> None:
    old, _ = say(whole, "The relay uses port 8080", "one"), say(whole, "The relay uses port 9090", "two")
    assert [each.id for each in purge(whole, PurgeInput(namespace=HERE, session_id="two")).restored] == [old.id]
    assert now(whole, old).status == "active"


def test_what_a_third_one_replaced_since_stays_replaced_by_that(whole: App) -> None:
    old, middle = say(whole, "The relay uses port 8080"), say(whole, "The relay uses port 9090")
    last = say(whole, "The relay uses port 7070")
    assert [each.status for each in forget(whole, asked(middle)).restored] == []
    assert (now(whole, old).status, now(whole, old).superseded_by) == ("superseded", last.id)
    assert now(whole, last).supersedes == ()


def test_an_attribute_that_only_the_forgotten_had_retired_is_stated_again(whole: App) -> None:
    fields = {"namespace": HERE, "entity_ref": "cache"}
    old = remember(
        whole, RememberInput(content="The cache has 4 shards", attributes={"shards": "4", "ttl": "300 s"}, **fields)
    ).memory
    new = remember(whole, RememberInput(content="A TTL of 600 s", attributes={"ttl": "600 s"}, **fields)).memory
    assert now(whole, old).retired_attributes == {"ttl": new.id}
    forget(whole, asked(new))
    assert now(whole, old).retired_attributes == {}


def test_what_was_disputed_only_with_the_forgotten_is_disputed_no_more(whole: App) -> None:
    old, new = say(whole, "Standup is on Tuesday"), say(whole, "Standup is on Thursday")
    assert now(whole, old).disputed_with == (new.id,)
    forget(whole, asked(new))
    assert now(whole, old).disputed_with == ()


def test_a_wording_that_was_edited_away_does_not_come_back_for_the_new_one_that_is_forgotten(whole: App) -> None:
    old = say(whole, "The relay is grey")
    new = update(whole, UpdateInput(namespace=HERE, memory_id=old.id, content="The relay is dark grey")).memory
    assert forget(whole, asked(new)).restored == ()
    assert now(whole, old).status == "superseded"


def test_the_doctor_finds_what_only_the_forgotten_had_retired_and_undo_puts_it_back(whole: App) -> None:
    old, new = say(whole, "The relay uses port 8080"), say(whole, "The relay uses port 9090")
    path = whole.index.memories(HERE, [new.id])[0].path
    data = whole.records.heads([path])[0].data
    assert data is not None
    whole.unit_of_work.commit("forget", (), removals=[FileRemoval(path, content_digest(data))])
    (found,) = [each for each in examine_home(whole).findings if each.check == "superseded"]
    assert (found.subject, f'"change.undo", target="{old.id}"' in found.next_step) == (old.id, True)
    undo(whole, UndoInput(namespace=HERE, target=old.id))
    assert now(whole, old).status == "active"
    assert [each for each in examine_home(whole).findings if each.check == "superseded"] == []
