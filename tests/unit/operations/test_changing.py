"""A verb and a memory in, its changed state, its history and the way back out."""

import pytest

from kits.intake import HERE, held, session, take
from kits.vault import ask, keep
from pellucid.app import App
from pellucid.errors import ConflictError, InputError, NotFoundError
from pellucid.model.memory import Memory
from pellucid.operations.memory.changing import UpdateInput, Verb, VerbInput, apply_verb, update
from pellucid.operations.memory.storytelling import history_of_memory
from pellucid.operations.memory.undoing import UndoInput, undo


def _remembered(app: App, content: str = "The staging database lives in eu-west-1", **options: object) -> Memory:
    return keep(app, content, **options).memory  # pyright: ignore[reportArgumentType]


def _of(memory: Memory, reason: str = "") -> VerbInput:
    return VerbInput(namespace=HERE, memory_id=memory.id, reason=reason)


def _served(app: App, question: str) -> set[str]:
    answer = ask(app, question)
    return {each.memory.id for each in answer.memories}


@pytest.mark.requirement("LIFE-1")
@pytest.mark.parametrize(
    ("verb", "status"), [("archive", "archived"), ("retract", "retracted"), ("dispute", "disputed")]
)
def test_a_memory_put_out_of_force_answers_nothing_and_an_undo_brings_it_back(
    whole: App, verb: Verb, status: str
) -> None:
    memory = _remembered(whole)
    question = "where does the staging database live"
    assert memory.id in _served(whole, question)
    done = apply_verb(whole, verb, _of(memory, "wrong-source"))
    assert (done.changed, done.memory.status) == (True, status)
    assert memory.id not in _served(whole, question)
    assert done.op_id
    undo(whole, UndoInput(namespace=HERE, target=done.op_id))
    back = held(whole)[memory.content]
    assert (back.status, back.invalid_at) == ("active", None)
    assert memory.id in _served(whole, question)


@pytest.mark.requirement("LIFE-1")
def test_a_verb_said_twice_changes_nothing_the_second_time(whole: App) -> None:
    memory = _remembered(whole)
    assert apply_verb(whole, "pin", _of(memory)).changed
    again = apply_verb(whole, "pin", _of(memory))
    assert (again.changed, again.op_id, again.memory.pinned) == (False, None, True)
    assert apply_verb(whole, "unpin", _of(memory)).memory.pinned is False


@pytest.mark.requirement("LIFE-1")
def test_an_undo_can_be_undone_and_names_the_memory_by_its_id_too(whole: App) -> None:
    memory = _remembered(whole)
    apply_verb(whole, "archive", _of(memory))
    first = undo(whole, UndoInput(namespace=HERE, target=memory.id))
    assert held(whole)[memory.content].status == "active"
    undo(whole, UndoInput(namespace=HERE, target=first.op_id))
    assert held(whole, "archived")[memory.content].id == memory.id


_FIELDS = "status pinned supersedes superseded_by invalid_at retired_attributes disputed_with trust_zone"
_STATE = set(_FIELDS.split())


def _states(app: App) -> dict[str, dict[str, object]]:
    return {each.memory.content: each.memory.model_dump(include=_STATE) for each in app.index.memories(HERE)}


@pytest.mark.parametrize("half", ["older", "newer", "operation"])
@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("The staging database lives in eu-west-1", "The staging database lives in us-east-2"),
        ("The cache has a TTL of 300 s and 4 shards", "The cache TTL is 600 seconds"),
        ("We cut releases every Tuesday", "We cut releases every Thursday"),
        ("We deploy on Fridays", "We never deploy on Fridays"),
    ],
)
@pytest.mark.parametrize("how", ["update", "remember"])
def test_an_undo_of_either_half_puts_back_the_state_before_both(
    whole: App, how: str, said: str, instead: str, half: str
) -> None:
    old = _remembered(whole, said)
    before = _states(whole)
    if how == "update":
        done = update(whole, UpdateInput(namespace=HERE, memory_id=old.id, content=instead))
        new, op_id = done.memory, done.op_id
    else:
        kept = keep(whole, instead)
        new, op_id = kept.memory, kept.op_id
    after = _states(whole)
    assert after != before
    target = {"older": old.id, "newer": new.id, "operation": op_id or ""}[half]
    back = undo(whole, UndoInput(namespace=HERE, target=target))
    put_back = _states(whole)
    assert put_back.pop(instead)["status"] == "archived"
    assert put_back == before
    undo(whole, UndoInput(namespace=HERE, target=back.op_id))
    assert _states(whole) == after


@pytest.mark.parametrize("verb", ["archive", "retract", "dispute", "pin"])
def test_an_undo_by_id_of_every_verb_puts_back_the_state_before(whole: App, verb: Verb) -> None:
    memory = _remembered(whole)
    before = _states(whole)
    apply_verb(whole, verb, _of(memory))
    assert _states(whole) != before
    undo(whole, UndoInput(namespace=HERE, target=memory.id))
    assert _states(whole) == before


def test_an_older_half_comes_not_back_beside_what_replaced_its_successor(whole: App) -> None:
    first = _remembered(whole, "The relay uses port 7070")
    second = update(whole, UpdateInput(namespace=HERE, memory_id=first.id, content="The relay uses port 8080")).memory
    update(whole, UpdateInput(namespace=HERE, memory_id=second.id, content="The relay uses port 9090"))
    with pytest.raises(ConflictError, match="changed again since"):
        undo(whole, UndoInput(namespace=HERE, target=first.id))


@pytest.mark.requirement("LIFE-1")
def test_an_undo_refuses_what_was_changed_again_since(whole: App) -> None:
    memory = _remembered(whole)
    archived = apply_verb(whole, "archive", _of(memory))
    apply_verb(whole, "dispute", _of(memory))
    assert archived.op_id
    with pytest.raises(ConflictError, match="changed again since"):
        undo(whole, UndoInput(namespace=HERE, target=archived.op_id))
    assert held(whole, "disputed")[memory.content].id == memory.id


@pytest.mark.requirement("LIFE-1")
def test_an_update_is_a_new_version_that_supersedes_and_its_undo_restores_the_old(whole: App) -> None:
    old = _remembered(whole, tags=("ops",))
    done = update(
        whole, UpdateInput(namespace=HERE, memory_id=old.id, content="The staging database lives in us-east-2")
    )
    assert (done.memory.supersedes, done.memory.tags) == ((old.id,), ("ops",))
    retired = held(whole, "superseded")[old.content]
    assert (retired.superseded_by, retired.invalid_at) == (done.memory.id, done.memory.valid_at)
    story = history_of_memory(whole, HERE, done.memory.id)
    assert [each.memory.id for each in story.versions] == [old.id, done.memory.id]
    assert ("superseded", "edited") in {(event.event_type, event.reason_code) for event in story.events}
    assert done.op_id
    undo(whole, UndoInput(namespace=HERE, target=done.op_id))
    assert set(held(whole)) == {old.content}
    assert set(held(whole, "archived")) == {done.memory.content}


@pytest.mark.requirement("LIFE-1")
def test_an_update_to_the_same_words_is_none_and_one_to_no_words_is_refused(whole: App) -> None:
    memory = _remembered(whole)
    assert not update(whole, UpdateInput(namespace=HERE, memory_id=memory.id, content=memory.content)).changed
    with pytest.raises(InputError, match="empty"):
        update(whole, UpdateInput(namespace=HERE, memory_id=memory.id, content="   "))
    other = _remembered(whole, "Backups are kept for 30 days")
    with pytest.raises(ConflictError, match="says the same already"):
        update(whole, UpdateInput(namespace=HERE, memory_id=memory.id, content=other.content))
    assert set(held(whole)) == {memory.content, other.content}


@pytest.mark.requirement("LIFE-1")
def test_a_secret_in_an_update_is_not_kept(whole: App) -> None:
    memory = _remembered(whole)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    done = update(whole, UpdateInput(namespace=HERE, memory_id=memory.id, content=f"The token is {secret}"))
    assert secret not in done.memory.content


@pytest.mark.requirement("LIFE-1")
def test_verbs_keep_to_their_namespace_and_say_what_they_want(whole: App) -> None:
    memory = _remembered(whole)
    with pytest.raises(NotFoundError):
        apply_verb(whole, "archive", VerbInput(namespace="other/place", memory_id=memory.id))
    with pytest.raises(InputError, match="short code"):
        apply_verb(whole, "archive", _of(memory, "because somebody told me so"))
    with pytest.raises(NotFoundError, match="can be undone"):
        undo(whole, UndoInput(namespace=HERE, target="op_0"))


@pytest.mark.requirement("LIFE-1")
def test_a_moment_can_be_retracted_and_restored_in_its_episode_file(whole: App) -> None:
    take(whole, session("We meet at noon.", "The door code is on the fridge."), "verbatim")
    moment = held(whole)["We meet at noon."]
    done = apply_verb(whole, "retract", VerbInput(namespace=HERE, memory_id=moment.id))
    assert set(held(whole)) == {"The door code is on the fridge."}
    assert done.op_id
    undo(whole, UndoInput(namespace=HERE, target=done.op_id))
    assert len(held(whole)) == 2
    with pytest.raises(InputError, match="word for word"):
        update(whole, UpdateInput(namespace=HERE, memory_id=moment.id, content="We meet at one."))


@pytest.mark.requirement("LIFE-1")
def test_a_comment_a_person_wrote_in_the_file_survives_a_verb(whole: App) -> None:
    memory = _remembered(whole)
    path = whole.settings.home / "vault" / whole.index.memories(HERE, [memory.id])[0].path
    path.write_text(path.read_text().replace("category: fact", "category: fact\nmine: yes  # keep"), "utf-8")
    whole.unit_of_work.take_over_edits()
    apply_verb(whole, "archive", _of(memory))
    assert "mine: yes  # keep" in path.read_text()
    assert "status: archived" in path.read_text()


@pytest.mark.requirement("LIFE-1")
def test_an_update_of_tags_brings_no_retired_value_back(whole: App) -> None:
    old = _remembered(
        whole, "The gateway has port 1 and host alpha", entity_ref="gateway", attributes={"port": "1", "host": "alpha"}
    )
    new = _remembered(whole, "The gateway port is 2", entity_ref="gateway", attributes={"port": "2"})
    done = update(whole, UpdateInput(namespace=HERE, memory_id=old.id, tags=("net",)))
    assert done.memory.retired_attributes == {"port": new.id}
    assert held(whole)[new.content].status == "active"
    with pytest.raises(ConflictError, match="was replaced by"):
        update(whole, UpdateInput(namespace=HERE, memory_id=old.id, tags=("other",)))


@pytest.mark.requirement("LIFE-1")
def test_an_update_states_what_its_new_words_state(whole: App) -> None:
    old = _remembered(whole, "The gateway port is 7443")
    new = update(whole, UpdateInput(namespace=HERE, memory_id=old.id, content="The gateway port is 8443")).memory
    assert (new.entity_ref, new.structured_attributes) == ("gateway", {"port": "8443"})
    _remembered(whole, "The gateway port is 9000")
    assert set(held(whole)) == {"The gateway port is 9000"}


@pytest.mark.requirement("LIFE-1")
def test_an_update_keeps_no_secret_in_any_field_and_makes_no_moment(whole: App) -> None:
    memory = _remembered(whole)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    asked = {"tags": (secret,), "entity_ref": f"gw {secret}", "attributes": {"token": secret}, "agent": secret}
    done = update(whole, UpdateInput.model_validate({"namespace": HERE, "memory_id": memory.id, **asked}))
    assert secret not in str(done)
    with pytest.raises(InputError, match="verbatim turn"):
        update(whole, UpdateInput(namespace=HERE, memory_id=done.memory.id, category="moment"))


@pytest.mark.requirement("LIFE-1")
def test_a_verb_leaves_alone_what_somebody_put_in_the_place_of_a_memory(whole: App) -> None:
    memory = _remembered(whole)
    path = whole.settings.home / "vault" / whole.index.memories(HERE, [memory.id])[0].path
    path.write_text(path.read_text().replace(memory.id, "mem_" + "0" * 32), "utf-8")
    with pytest.raises(ConflictError, match="holds mem_000"):
        apply_verb(whole, "archive", _of(memory))
    assert "status: active" in path.read_text()


@pytest.mark.requirement("STORY-2")
def test_the_name_of_an_attribute_is_no_word_of_the_ledger_and_its_retirement_can_be_undone(whole: App) -> None:
    both = {"zanzibar": "1", "host": "alpha"}
    old = _remembered(whole, "The gateway has zanzibar 1 and host alpha", entity_ref="gateway", attributes=both)
    done = keep(whole, "The gateway zanzibar is 2", entity_ref="gateway", attributes={"zanzibar": "2"})
    assert list(held(whole)[old.content].retired_attributes) == ["zanzibar"]
    assert "zanzibar" not in str(list(whole.ledger.rows()))
    assert done.op_id
    undo(whole, UndoInput(namespace=HERE, target=done.op_id))
    assert held(whole)[old.content].retired_attributes == {}


@pytest.mark.requirement("TRUST-1")
def test_an_agent_rewords_what_is_its_own_and_lifts_nothing_out_of_quarantine(whole: App) -> None:
    def reworded(memory: Memory, content: str) -> Memory:
        asked = UpdateInput(namespace=HERE, memory_id=memory.id, content=content, said_by="assistant_output")
        return update(whole, asked).memory

    own = _remembered(whole, said_by="assistant_output")
    newer = reworded(own, "The staging database lives in us-east-2")
    assert (newer.asserted_by, newer.source_class, newer.trust_zone) == ("inferred", "assistant_output", "working")
    pasted = _remembered(whole, "The cache TTL is 300 seconds", said_by="web_content")
    retouched = reworded(pasted, "The cache TTL is 900 seconds")
    assert (retouched.source_class, retouched.trust_zone) == ("web_content", "quarantine")
    mine = _remembered(whole, "The queue limit is 7", axiom=True)
    with pytest.raises(ConflictError, match="what a person said"):
        reworded(mine, "The queue limit is 9")
