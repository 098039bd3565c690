"""What a person does about trust, over a whole home: explain, vouch, quarantine, roll back, and the way back."""

from datetime import timedelta

import pytest

from kits.intake import HERE, START, held, session, take
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.language.spelling import content_hash
from pellucid.memory.changes import ChangeSet
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.reconcile.statement import Statement
from pellucid.memory.trust.zones import first_zone
from pellucid.model.memory import Memory, SourceClass
from pellucid.observe.attributes import read_attribution
from pellucid.observe.language import detect_language
from pellucid.operations.memory.trusting import (
    PromoteInput,
    SourceInput,
    TrustListInput,
    promote,
    quarantine,
    rollback,
    trust_explain,
    trust_list,
)
from pellucid.operations.memory.undoing import UndoInput, undo

MORE = "That holds for the small berths and the large ones, in summer and in winter, until the board meets again."
LATER = START + timedelta(days=10)


def said(app: App, content: str, source: SourceClass, name: str = "s1", day: int = 0) -> Memory:
    """A statement of a source, decided about as an intake would."""
    changes, at = ChangeSet(app.records, HERE, "extraction", app.clock), START + timedelta(days=day)
    read = read_attribution(content, detect_language(content))
    memory = Memory(
        id=app.clock.new_id("mem"),
        category="fact",
        namespace=HERE,
        created=at,
        updated=at,
        source="extraction",
        asserted_by="user" if source == "user_input" else "inferred",
        source_class=source,
        session_id=name,
        evidence=(f"{name}:1-1",),
        entity_ref=read.entity,
        structured_attributes=read.attributes,
        valid_at=at,
        trust_zone=first_zone(source, content),
        content_hash=content_hash(content, read.entity),
        content=content,
    )
    reconciler = Reconciler(app.index, app.lookup, changes, app.key)
    reconciler.consider([Statement(memory)])
    reconciler.decide()
    plan = changes.plan()
    app.unit_of_work.commit("import", plan.writes, plan.rows)
    return memory


def now(app: App, memory: Memory) -> Memory:
    return app.index.memories(HERE, [memory.id])[0].memory


@pytest.mark.requirement("TRUST-1")
def test_a_users_word_lifts_a_tools_and_neither_a_web_page_nor_an_assistant_does(whole: App) -> None:
    tool = said(whole, "The cache TTL is 300 seconds", "tool_output")
    said(whole, "The cache TTL is 300 seconds", "web_content", "s2", 1)
    said(whole, "The cache TTL is 300 seconds", "assistant_output", "s3", 2)
    assert now(whole, tool).trust_zone == "quarantine"
    assert [row for row in lifecycle_rows(whole.ledger, HERE) if row.event_type == "corroborated"] == []
    user = said(whole, "The cache TTL is 300 seconds", "user_input", "s4", 3)
    risen = now(whole, tool)
    assert (risen.trust_zone, risen.status, risen.superseded_by) == ("working", "superseded", user.id)
    assert now(whole, user).status == "active"
    [row] = trust_explain(whole, PromoteInput(namespace=HERE, memory_id=tool.id)).events
    assert (row.event_type, row.reason_code, row.related_memory_ids) == (
        "promoted",
        "corroborated:user_input",
        (user.id,),
    )


@pytest.mark.requirement("TRUST-1")
def test_a_quarantined_memory_replaces_nothing_and_no_later_date_helps_it(whole: App) -> None:
    said(whole, "The cache TTL is 5 seconds", "tool_output", "s1", 9)
    user = said(whole, "The cache TTL is 300 seconds", "user_input", "s2", 1)
    assert now(whole, user).status == "active"


@pytest.mark.requirement("TRUST-1")
def test_a_person_vouches_one_step_at_a_time_and_takes_it_back(whole: App) -> None:
    tool = said(whole, "The cache TTL is 300 seconds", "tool_output")
    first = promote(whole, PromoteInput(namespace=HERE, memory_id=tool.id))
    assert now(whole, tool).trust_zone == "working"
    promote(whole, PromoteInput(namespace=HERE, memory_id=tool.id))
    assert now(whole, tool).trust_zone == "trusted"
    with pytest.raises(InputError):
        promote(whole, PromoteInput(namespace=HERE, memory_id=tool.id))
    undo(whole, UndoInput(namespace=HERE, target=tool.id))
    assert first.op_id
    undo(whole, UndoInput(namespace=HERE, target=first.op_id))
    assert now(whole, tool).trust_zone == "quarantine"


@pytest.mark.requirement("TRUST-1")
def test_a_promoted_memory_meets_what_it_contradicts(whole: App) -> None:
    older = said(whole, "The queue limit is 7", "assistant_output", "s1", 0)
    tool = said(whole, "The queue limit is 9", "tool_output", "s2", 1)
    done = promote(whole, PromoteInput(namespace=HERE, memory_id=tool.id))
    assert (now(whole, older).status, now(whole, tool).supersedes) == ("superseded", (older.id,))
    assert done.op_id
    undo(whole, UndoInput(namespace=HERE, target=done.op_id))
    assert (now(whole, older).status, now(whole, tool).trust_zone) == ("active", "quarantine")


@pytest.mark.requirement("TRUST-1")
def test_a_promoted_memory_that_contradicts_a_person_waits_for_review(whole: App) -> None:
    user = said(whole, "The queue limit is 7", "user_input", "s1", 0)
    tool = said(whole, "The queue limit is 9", "tool_output", "s2", 1)
    promote(whole, PromoteInput(namespace=HERE, memory_id=tool.id))
    assert (now(whole, user).status, now(whole, tool).status) == ("active", "pending_review")


@pytest.mark.requirement("TRUST-1")
def test_rolling_a_source_back_restores_what_it_replaced_in_one_operation(whole: App) -> None:
    good = said(whole, "The queue limit is 7", "assistant_output", "s1", 0)
    bad = said(whole, "The queue limit is 9", "assistant_output", "s2", 1)
    other = said(whole, "The upload limit is 20 MB", "assistant_output", "s2", 1)
    assert now(whole, good).status == "superseded"
    request = SourceInput(namespace=HERE, session_id="s2")
    shown = rollback(whole, request.model_copy(update={"preview": True}))
    assert (shown.done, now(whole, bad).trust_zone) == (False, "working")
    done = rollback(whole, request)
    assert (done.op_id is not None, len(done.changed)) == (True, 3)
    assert (now(whole, good).status, now(whole, good).invalid_at) == ("active", None)
    assert {now(whole, each).trust_zone for each in (bad, other)} == {"quarantine"}
    assert done.op_id
    undo(whole, UndoInput(namespace=HERE, target=done.op_id))
    assert (now(whole, good).status, now(whole, bad).trust_zone) == ("superseded", "working")
    assert now(whole, bad).supersedes == (good.id,)


@pytest.mark.requirement("TRUST-1")
def test_what_was_replaced_again_by_something_that_stays_is_not_restored(whole: App) -> None:
    first = said(whole, "The queue limit is 7", "assistant_output", "s1", 0)
    said(whole, "The queue limit is 9", "assistant_output", "s2", 1)
    last = said(whole, "The queue limit is 11", "assistant_output", "s3", 2)
    rollback(whole, SourceInput(namespace=HERE, session_id="s2"))
    assert (now(whole, first).status, now(whole, last).status) == ("superseded", "active")


@pytest.mark.requirement("TRUST-1")
def test_a_zone_is_listed_with_reasons_and_a_source_is_quarantined_whole(whole: App) -> None:
    take(whole, session("The cache TTL is 300 seconds.", name="a", start=LATER))
    said(whole, "The queue limit is 9", "web_content")
    shown = trust_list(whole, TrustListInput(namespace=HERE))
    assert (shown.total, shown.reasons[0].partition(":")[0]) == (1, "web_content")
    done = quarantine(whole, SourceInput(namespace=HERE, source_class="user_input"))
    assert [each.zone for each in done.changed] == ["quarantine"]
    assert {memory.trust_zone for memory in held(whole).values()} == {"quarantine"}
    again = quarantine(whole, SourceInput(namespace=HERE, source_class="user_input"))
    assert (again.changed, again.op_id) == ((), None)
    with pytest.raises(InputError):
        quarantine(whole, SourceInput(namespace=HERE))


@pytest.mark.requirement("TRUST-2")
def test_an_assistant_that_repeats_a_tool_is_put_where_the_tool_is(whole: App) -> None:
    take(
        whole,
        session(
            ("tool", "The queue limit is 9 for every guest, because the pool has nine slots."),
            ("assistant", f"The queue limit is 9 for every guest, because the pool has nine slots.\n\n{MORE}"),
            ("user", "We decided to keep the retry limit at 5, because the gateway retries itself."),
            ("assistant", f"The retry limit stays at 5, because the gateway retries itself.\n\n{MORE}"),
            tool="bash",
        ),
    )
    zones = {memory.content: memory.trust_zone for memory in held(whole).values()}
    assert {zone for text, zone in zones.items() if "queue" in text} == {"quarantine"}
    assert {zone for text, zone in zones.items() if "retry" in text} == {"working"}


@pytest.mark.requirement("TRUST-2")
def test_a_conclusion_that_copies_a_sentence_of_a_tool_is_put_where_the_tool_is(whole: App) -> None:
    copied = "Every harbour client has to send its berth list to the new registry at night before the gates are shut."
    turns = session(
        ("tool", f"Notes of the registry. {copied} More follows."),
        ("assistant", f"The import failed because the berth list was read twice. {copied} {MORE}"),
        tool="web_fetch",
    )
    take(whole, turns)
    zones = {memory.content: memory.trust_zone for memory in held(whole).values()}
    assert {zone for text, zone in zones.items() if "berth list to the new registry" in text} == {"quarantine"}
