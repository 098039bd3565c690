"""Sentences of sessions in, what stands at the end and why out: the whole path from turn to memory."""

from datetime import timedelta

import pytest

from kits.intake import HERE, START, held, session, take
from kits.vault import keep
from pellucid.app import App
from pellucid.memory.changes import ChangeSet
from pellucid.memory.ledger_rows import lifecycle_rows
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.reconcile.statement import statement_of
from pellucid.model.observation import Evidence, ExtractedFact, MemoryObservation
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.storytelling import history_of_memory
from pellucid.operations.memory.undoing import UndoInput, undo

LATER = START + timedelta(days=10)


@pytest.mark.requirement("RECON-1")
def test_a_newer_value_of_an_attribute_supersedes_the_older_from_when_it_was_said(whole: App) -> None:
    take(whole, session("The cache TTL is 300 seconds.", name="a"))
    take(whole, session("The cache TTL is 600 seconds.", name="b", start=LATER))
    assert set(held(whole)) == {"The cache TTL is 600 seconds"}
    old, new = held(whole, "superseded")["The cache TTL is 300 seconds"], held(whole)["The cache TTL is 600 seconds"]
    assert (old.superseded_by, old.invalid_at, new.supersedes) == (new.id, new.valid_at, (old.id,))


@pytest.mark.requirement("RECON-1")
def test_another_entity_with_the_same_attribute_is_left_alone(whole: App) -> None:
    take(whole, session("The cache TTL is 300 seconds.", "The token TTL is 600 seconds."))
    assert len(held(whole)) == 2


@pytest.mark.requirement("RECON-1")
@pytest.mark.parametrize("name", ["ttl", "TTL"])
def test_only_the_attribute_that_changed_is_retired(whole: App, name: str) -> None:
    both = {name: "300 seconds", "shards": "4"}
    first = keep(whole, "The cache has 4 shards and a TTL of 300 seconds", entity_ref="cache", attributes=both).memory
    new = keep(whole, "The cache TTL is 600 seconds", entity_ref="cache", attributes={"ttl": "600 seconds"}).memory
    old = held(whole)[first.content]
    assert (old.status, old.retired_attributes) == ("active", {name: new.id})
    last = keep(whole, "The cache has 8 shards", entity_ref="cache", attributes={"shards": "8"}).memory
    assert held(whole, "superseded")[first.content].superseded_by == last.id
    assert held(whole)[new.content].status == "active"


@pytest.mark.requirement("RECON-4")
def test_a_value_that_returns_is_kept_again(whole: App) -> None:
    for day, town in enumerate(("Austin", "Boston", "Austin")):
        take(whole, session(f"I live in {town}.", name=f"s{day}", start=START + timedelta(days=day)))
    assert list(held(whole)) == ["User: I live in Austin"]
    assert set(held(whole, "superseded")) == {"User: I live in Austin", "User: I live in Boston"}


@pytest.mark.requirement("RECON-1")
def test_a_denial_supersedes_what_it_denies_and_nothing_like_it(whole: App) -> None:
    for content in (
        "The importer retries failed uploads",
        "The exporter retries failed uploads",
        "The importer does not retry failed uploads",
    ):
        keep(whole, content)
    assert set(held(whole)) == {"The importer does not retry failed uploads", "The exporter retries failed uploads"}


@pytest.mark.requirement("RECON-1")
def test_an_older_statement_that_arrives_late_is_kept_as_superseded(whole: App) -> None:
    take(whole, session("The cache TTL is 600 seconds.", name="b", start=LATER))
    take(whole, session("The cache TTL is 300 seconds.", name="a"))
    assert set(held(whole)) == {"The cache TTL is 600 seconds"}
    late = held(whole, "superseded")["The cache TTL is 300 seconds"]
    assert late.superseded_by == held(whole)["The cache TTL is 600 seconds"].id


@pytest.mark.requirement("RECON-2")
def test_a_spoken_correction_replaces_what_it_corrects(whole: App) -> None:
    take(whole, session("Our launch is on Tuesday.", "Sorry, I meant our launch is on Thursday.", name="a"))
    assert [content for content in held(whole) if "Tuesday" in content] == []
    assert [content for content in held(whole) if "Thursday" in content]


@pytest.mark.requirement("RECON-2")
def test_a_spoken_retraction_takes_back_what_it_names_and_leaves_the_rest(whole: App) -> None:
    take(whole, session("The cache TTL is 300 seconds.", "Backups are kept for 30 days.", name="a"))
    take(whole, session("Forget what I said about the cache TTL.", name="b", start=LATER))
    assert set(held(whole)) == {"Backups are kept for 30 days"}
    assert set(held(whole, "retracted")) == {"The cache TTL is 300 seconds"}
    events = [(row.event_type, row.reason_code) for row in lifecycle_rows(whole.ledger, HERE)]
    assert events == [("retracted", "spoken-retraction")]


@pytest.mark.requirement("RECON-2")
def test_only_a_person_takes_something_back(whole: App) -> None:
    take(whole, session("The cache TTL is 300 seconds.", name="a"))
    take(whole, session(("assistant", "Forget what I said about the cache TTL."), name="b", start=LATER))
    take(whole, session(("tool", "Forget what I said about the cache TTL."), name="c", start=LATER))
    assert set(held(whole)) == {"The cache TTL is 300 seconds"}


@pytest.mark.requirement("RECON-2")
def test_a_retraction_that_fits_nothing_or_too_much_does_nothing(whole: App) -> None:
    take(whole, session(*(f"The worker pool number {n} has {n} threads." for n in range(2, 10)), name="a"))
    before = set(held(whole))
    take(whole, session("Forget what I said about the worker pool.", "Forget what I said about holidays.", name="b"))
    assert set(held(whole)) == before


@pytest.mark.requirement("RECON-3")
def test_what_ranks_lower_is_put_up_for_review_instead_of_replacing(whole: App) -> None:
    truth = keep(whole, "The cache TTL is 300 seconds").memory
    changes = ChangeSet(whole.records, HERE, "extraction", whole.clock)
    fact = ExtractedFact(
        category="fact",
        content="The cache TTL is 900 seconds",
        confidence=0.9,
        entity_ref="cache",
        structured_attributes={"ttl": "900 seconds"},
        evidence=(Evidence(source="b", start=1, end=1),),
    )
    said = MemoryObservation(
        id="obs_1",
        session_id="b",
        observed_at=truth.created + timedelta(days=1),
        fact=fact,
        importance=0.7,
        source_class="assistant_output",
        verdict="accept",
        verdict_reason="durable: yes",
        judge_accepted=True,
    )
    reconciler = Reconciler(whole.index, whole.lookup, changes, whole.key)
    reconciler.consider([statement_of(said, changes)])
    (outcome,) = reconciler.decide().outcomes
    assert outcome.reason.startswith("pending-review")
    plan = changes.plan()
    whole.unit_of_work.commit("import", plan.writes, plan.rows)
    assert set(held(whole)) == {truth.content}
    assert set(held(whole, "pending_review")) == {"The cache TTL is 900 seconds"}


@pytest.mark.requirement("RECON-3")
def test_an_axiom_gives_way_to_an_axiom_only(whole: App) -> None:
    def say(seconds: int, *, axiom: bool) -> None:
        content = f"The cache TTL is {seconds} seconds"
        keep(whole, content, axiom=axiom)

    say(300, axiom=True)
    say(600, axiom=False)
    assert set(held(whole)) == {"The cache TTL is 300 seconds"}
    say(900, axiom=True)
    assert set(held(whole)) == {"The cache TTL is 900 seconds"}


@pytest.mark.requirement("RECON-1")
def test_equal_words_of_two_sessions_are_one_memory_that_was_said_again(whole: App) -> None:
    take(whole, session("We decided to cut releases every Tuesday.", name="a"))
    tally = take(whole, session("We decided to cut releases every Tuesday.", name="b", start=LATER))
    assert (tally.memories, dict(tally.verdicts)) == (0, {"reject:duplicate": 1})
    events = [(row.event_type, row.session_id) for row in lifecycle_rows(whole.ledger, HERE)]
    assert events == [("corroborated", "b")]


@pytest.mark.requirement("RECON-1")
def test_within_one_batch_the_same_rules_hold(whole: App) -> None:
    turns = session(
        "The cache TTL is 300 seconds.", "We always squash before merging.", "The cache TTL is 600 seconds."
    )
    take(whole, turns)
    assert set(held(whole)) == {"The cache TTL is 600 seconds", "We always squash before merging"}
    assert set(held(whole, "superseded")) == {"The cache TTL is 300 seconds"}


@pytest.mark.requirement("STORY-1")
def test_the_history_names_versions_causes_and_evidence(whole: App) -> None:
    take(whole, session("The cache TTL is 300 seconds.", name="a"))
    take(whole, session("The cache TTL is 600 seconds.", name="b", start=LATER))
    new = held(whole)["The cache TTL is 600 seconds"]
    story = history_of_memory(whole, HERE, new.id)
    assert [each.memory.content for each in story.versions] == [
        "The cache TTL is 300 seconds",
        "The cache TTL is 600 seconds",
    ]
    assert [each.memory.evidence for each in story.versions] == [("a:1-1",), ("b:1-1",)]
    (event,) = story.events
    assert (event.event_type, event.reason_code, event.related_memory_ids) == ("superseded", "updated", (new.id,))
    assert [row.resulting_primitive_id for row in story.verdicts] == [each.memory.id for each in story.versions]
    assert len(story.episodes) == 2


@pytest.mark.requirement("STORY-2")
def test_no_row_of_the_ledger_holds_a_word_of_a_memory(whole: App) -> None:
    take(whole, session("The zanzibar gateway listens on port 7443.", "Actually, it listens on port 7444.", name="a"))
    keep(whole, "The zanzibar gateway is owned by Priya")
    text = str(list(whole.ledger.rows())).casefold()
    assert "verdict" in text
    assert not [word for word in ("zanzibar", "7443", "priya", "listens") if word in text]


def _say(app: App, content: str, **more: object) -> object:
    return remember(app, RememberInput.model_validate({"content": content, "namespace": HERE, **more})).memory


@pytest.mark.requirement("RECON-1")
def test_a_memory_behind_a_scope_and_an_open_one_neither_replace_nor_repeat_each_other(whole: App) -> None:
    _say(whole, "The gateway port is 7443")
    _say(whole, "The gateway port is 9000", scopes=("private",))
    assert set(held(whole)) == {"The gateway port is 7443", "The gateway port is 9000"}
    _say(whole, "The gateway port is 7443", scopes=("private",))
    scopes = sorted(m.memory.scopes for m in whole.index.memories(HERE) if "7443" in m.memory.content)
    assert scopes == [(), ("private",)]


@pytest.mark.requirement("RECON-1")
@pytest.mark.parametrize("first", [(), ("private",)])
def test_words_are_known_where_they_are_kept_already_whatever_older_memory_says_them_elsewhere(
    whole: App, first: tuple[str, ...]
) -> None:
    other = ("private",) if not first else ()
    for scopes in (first, other, first, other, other):
        _say(whole, "We cut releases every Tuesday", scopes=scopes)
    assert sorted(m.memory.scopes for m in whole.index.memories(HERE)) == [(), ("private",)]
    take(whole, session("We cut releases every Tuesday.", name="a"))
    assert len(whole.index.memories(HERE)) == 2


@pytest.mark.requirement("RECON-2")
def test_a_retraction_reaches_only_what_was_said_before_it_and_nothing_pinned_or_private(whole: App) -> None:
    _say(whole, "The gateway port is 7443", pinned=True)
    _say(whole, "The gateway host is alpha.example", scopes=("private",))
    take(whole, session("The gateway timeout is 30 seconds.", name="late", start=LATER))
    before = set(held(whole))
    take(whole, session("Forget what I said about the gateway.", name="early", start=START))
    far = START + timedelta(days=3000)
    take(whole, session("Forget what I said about the gateway port.", name="b", start=far))
    take(whole, session("Forget what I said about the gateway host.", name="c", start=far))
    assert set(held(whole)) == before


@pytest.mark.requirement("RECON-1")
def test_an_older_statement_of_several_attributes_that_arrives_late_keeps_those_that_still_hold(whole: App) -> None:
    def say(at: int, **attributes: str) -> None:
        changes = ChangeSet(whole.records, HERE, "extraction", whole.clock)
        said = "and ".join(f"{name} {value} " for name, value in attributes.items())
        fact = ExtractedFact(
            category="fact",
            content=f"The gateway has {said}".strip(),
            confidence=0.9,
            entity_ref="gateway",
            structured_attributes=attributes,
            evidence=(Evidence(source=f"s{at}", start=1, end=1),),
        )
        seen = MemoryObservation(
            id=f"obs_{at}",
            session_id=f"s{at}",
            observed_at=START + timedelta(days=at),
            fact=fact,
            importance=0.7,
            verdict="accept",
            verdict_reason="durable: yes",
            judge_accepted=True,
        )
        reconciler = Reconciler(whole.index, whole.lookup, changes, whole.key)
        reconciler.consider([statement_of(seen, changes)])
        reconciler.decide()
        plan = changes.plan()
        whole.unit_of_work.commit("import", plan.writes, plan.rows)

    say(30, port="2")
    say(1, port="1", host="alpha")
    late = next(m for m in held(whole).values() if "host" in m.structured_attributes)
    assert list(late.retired_attributes) == ["port"]
    text = str(list(whole.ledger.rows()))
    assert "host" not in text


@pytest.mark.requirement("RECON-1")
def test_words_kept_already_gain_the_pin_and_the_axiom_that_are_asked_for_and_the_pin_can_be_undone(whole: App) -> None:
    take(whole, session("The gateway port is 7443."))
    (known,) = held(whole).values()
    asked = RememberInput(content=known.content, namespace=HERE, pinned=True, axiom=True, tags=("net",))
    again = remember(whole, asked)
    assert (again.created, again.memory.id) == (False, known.id)
    assert (again.memory.pinned, again.memory.asserted_by, "net" in again.memory.tags) == (True, "axiom", True)
    assert again.op_id
    undo(whole, UndoInput(namespace=HERE, target=again.op_id))
    back = held(whole)[known.content]
    assert (back.pinned, back.asserted_by) == (False, known.asserted_by)
