"""Memories by hand in, decisions out: what is provably the same, what is not, and what a merge keeps."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from kits.vault import NOON, TickingClock, a_memory
from pellucid.memory.consolidation.clusters import LARGEST, Item, clusters
from pellucid.memory.consolidation.consolidate import Batch, Decision, batches, decide, derive_memory, is_candidate
from pellucid.memory.consolidation.equivalence import speakers
from pellucid.model.memory import Memory

pytestmark = pytest.mark.requirement("LIFE-3")
LATER = NOON + timedelta(days=40)


def pair(one: str, other: str, first: dict[str, Any] | None = None, second: dict[str, Any] | None = None) -> Decision:
    """What is decided about two statements that were brought together; their extra fields are `first`, `second`."""
    found = [a_memory(1, one, **(first or {})), a_memory(2, other, **(second or {}))]
    nadia = [a_memory(n, f"{name}: I like tea", entity_ref=name) for n, name in ((8, "Nadia"), (9, "Ben"))]
    batch = Batch("near", (found[0].id, found[1].id), speakers(nadia))
    return decide(batch, {each.id: each for each in found}, NOON)[0]


CACHE = {"entity_ref": "cache"}
SAME: list[tuple[str, str]] = [
    ("The cache TTL is 300 seconds", "the cache TTL is 300 seconds."),
    ("The cache TTL is 300 seconds", "Cache TTL is 300 seconds"),
    ("The deploy job runs on the staging cluster", "The deploy job runs on staging cluster"),
    ("We don't deploy on Fridays", "We do not deploy on Fridays"),
    ("We can't use the old queue", "We cannot use the old queue"),
    ("We're using Postgres for the ledger", "We are using Postgres for the ledger"),
    ("We also use Redis for the queue", "We use Redis for the queue"),
    ("The team decided that the API stays on Go", "The team decided the API stays on Go"),
    ("our api is written in rust", "Our API is written in Rust"),
    ("Nadia: I prefer dark mode", "Nadia:  I prefer dark mode!"),
    ("The ledger uses SHA-256 for the hash", "Ledger uses SHA-256 for the hash"),
    ("Das Backup läuft im Keller", "Das Backup läuft in dem Keller"),
    ("Die Datenbank ist PostgreSQL 16", "Datenbank ist PostgreSQL 16"),
    ("Wir deployen nicht am Freitag", "Wir deployen nicht am Freitag."),
    ("El servidor es un Debian 12", "Servidor es un Debian 12"),
    ("El equipo usa la cola de Redis para el correo.", "El equipo usa la cola de Redis para el correo"),
    ("キャッシュのTTLは300秒です。", "キャッシュの TTL は 300 秒"),
    ("本番はポスグレを使う", "本番はポスグレを使う。"),
    ("バックアップは毎晩です", "バックアップは毎晩だ"),
    ("缓存的 TTL 是 300 秒。", "缓存的TTL是300秒"),
    ("我们用Postgres存账本", "我们用 Postgres 存账本!"),
]
DIFFERENT: list[tuple[str, str, str]] = [
    ("The cache TTL is 300 seconds", "The cache TTL is 600 seconds", "numbers differ"),
    ("The cache TTL is 300 seconds", "The cache TTL is 300 minutes", "words differ"),
    ("The limit is 5 MB", "The limit is 5 Mb", "capitals differ"),
    ("The limit is 1.5 GB", "The limit is 15 GB", "numbers differ"),
    ("The offset is -5", "The offset is 5", "identifiers differ"),
    ("The release is on 2026-04-20", "The release is on 2026-04-21", "numbers differ"),
    ("We deploy on Fridays", "We do not deploy on Fridays", "negation differs"),
    ("We deploy on Fridays", "We never deploy on Fridays", "negation differs"),
    ("We no longer use Redis", "We use Redis", "negation differs"),
    ("Alice reports to Bob", "Bob reports to Alice", "order differs"),
    ("The api calls the ledger", "The ledger calls the api", "order differs"),
    ("Max beats Anna at chess", "Anna beats Max at chess", "order differs"),
    ("The service reads from the queue", "The service reads to the queue", "function words differ"),
    ("Run the check before the deploy", "Run the check after the deploy", "function words differ"),
    ("Only admins can merge", "Admins can merge", "function words differ"),
    ("All tests must pass", "Tests must pass", "function words differ"),
    ("Few users have access", "The few users have access", "function words differ"),
    ("The servers are slow", "Servers are slow", "function words differ"),
    ("The coffee is bad for us", "Coffee is bad for us", "function words differ"),
    ("We met the old neighbours", "We met old neighbours", "function words differ"),
    ("The two founders left", "Two founders left", "function words differ"),
    ("We retired the 3 nodes", "We retired 3 nodes", "function words differ"),
    ("We use Postgres", "We used Postgres", "function words differ"),
    ("We will use Postgres", "We use Postgres", "function words differ"),
    ("If the queue is full we drop", "The queue is full we drop", "function words differ"),
    ("We might move to Lisbon", "We move to Lisbon", "function words differ"),
    ("Ben is the founder of Acme", "Ben is a founder of Acme", "function words differ"),
    ("Do we use Postgres?", "Do we use Postgres", "punctuation differs"),
    ("No, we use Postgres", "No we use Postgres", "punctuation differs"),
    ('The "fix" works', "The fix works", "punctuation differs"),
    ('We call "old queue" slow', 'We call old "queue" slow', "order differs"),
    ("We watch The Office with friends", "We watch Office with friends", "function words differ"),
    ("the guest likes the Office", "The guest likes The Office", "function words differ"),
    ("We ship to the US", "We ship to the us", "capitals differ"),
    ("He likes Turkey a lot", "He likes turkey a lot", "capitals differ"),
    ("Rename userId in the schema", "Rename userID in the schema", "capitals differ"),
    ("The file is config/a.toml", "The file is config/b.toml", "identifiers differ"),
    ("The build runs on node-a", "The build runs on node-b", "identifiers differ"),
    ("Nadia: I live in Porto", "Ben: I live in Porto", "speakers differ"),
    ("Nadia: Love the sea", "Love the sea", "speakers differ"),
    ("Hypothesis: the cache is stale", "The cache is stale", "words differ"),
    ("We don't also use Redis for mail", "We don't use Redis for mail", "function words differ"),
    ("Der Hund beißt den Mann", "Den Hund beißt der Mann", "order differs"),
    ("Der Katze hilft Max gern", "Die Katze hilft Max gern", "function words differ"),
    ("Wir deployen am Freitag", "Wir deployen nicht am Freitag", "negation differs"),
    ("Anna ruft an", "Anna ruft", "function words differ"),
    ("Nur Admins dürfen mergen", "Admins dürfen mergen", "function words differ"),
    ("Wir würden Kafka nehmen", "Wir nehmen Kafka", "words differ"),
    ("La llama Ana a menudo", "Llama Ana a menudo", "function words differ"),
    ("Ana llama a Juan", "A Ana llama Juan", "order differs"),
    ("El Salvador exporta café de altura", "Salvador exporta café de altura", "function words differ"),
    ("No usamos Redis", "Usamos Redis", "negation differs"),
    ("El límite es 10 minutos", "El límite es 10 segundos", "words differ"),
    ("TTLは300秒です", "TTLは600秒です", "numbers differ"),
    ("本番ではRedisを使う", "本番ではRedisを使わない", "negation differs"),
    ("田中が佐藤に報告する", "佐藤が田中に報告する", "words differ"),
    ("管理者だけが承認できる", "管理者が承認できる", "words differ"),
    ("薬を飲んだ", "薬を飲ん", "words differ"),
    ("ここで、はきものを脱ぐ", "ここでは、きものを脱ぐ", "words differ"),
    ("我们使用Redis", "我们不使用Redis", "negation differs"),
    ("小王向小李汇报", "小李向小王汇报", "words differ"),
    ("只有管理员可以合并", "管理员可以合并", "words differ"),
    ("超时是30秒", "超时是30分钟", "identifiers differ"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_says_the_same_in_the_same_words_becomes_one(one: str, other: str) -> None:
    decision = pair(one, other)
    assert (decision.kind, len(decision.of)) == ("merge", 2), decision.reason
    assert decision.contents[0] in {one, other}
    assert pair(other, one).kind == "merge"


@pytest.mark.parametrize(("one", "other", "reason"), DIFFERENT)
def test_what_may_differ_is_left_with_the_reason(one: str, other: str, reason: str) -> None:
    assert (pair(one, other).kind, pair(other, one).kind) == ("skip", "skip")
    assert pair(one, other).reason == reason


THE, A = "The cache TTL is 300 seconds", "Cache TTL is 300 seconds"
STATES: dict[str, Any] = {"entity_ref": "cache", "structured_attributes": {"ttl": "300 seconds"}}


@pytest.mark.parametrize(
    ("reason", "first", "second"),
    [
        ("entities differ", {"entity_ref": "cache"}, {"entity_ref": "session cache"}),
        ("entities differ", {"entity_ref": "cache"}, {}),
        ("attributes differ", STATES, {"entity_ref": "cache"}),
        ("attributes differ", STATES, STATES | {"retired_attributes": {"ttl": "mem_" + "0" * 32}}),
        ("scopes differ", {"scopes": ("private",)}, {}),
        ("validity differs", {"expires_at": LATER}, {}),
    ],
)
def test_equal_words_about_other_things_or_circumstances_are_left(
    reason: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert pair(THE, A, first, second).reason == reason


def test_a_happening_is_the_same_only_on_the_same_day_or_in_the_same_session() -> None:
    one, other = "We went to the harbour by the ferry", "We went to the harbour by ferry"
    assert pair(one, other, {}, {"valid_at": LATER}).reason == "it may tell of two occasions"
    assert pair(one, other, {"session_id": "s"}, {"session_id": "s", "valid_at": LATER}).kind == "merge"
    assert pair(one, other).kind == "merge"


def test_a_speaker_in_front_is_left_out_only_of_what_begins_with_its_entity() -> None:
    assert pair(f"Nadia: {THE}", THE, CACHE, CACHE).kind == "merge"
    assert pair("Nadia: I run the cache", "I run the cache", CACHE, CACHE).reason == "speakers differ"
    assert pair(f"Rumour: {THE}", THE, CACHE, CACHE).kind == "skip"


def test_what_i_say_is_not_what_the_assistant_says_of_itself() -> None:
    user, assistant = {"source_class": "user_input"}, {"source_class": "assistant_output"}
    assert pair("I like the plan", "I like the plan.", user, assistant).reason == "speakers differ"


@pytest.mark.parametrize(
    "given",
    [
        {"category": "correction"},
        {"category": "commitment"},
        {"category": "procedure"},
        {"category": "moment"},
        {"pinned": True},
        {"asserted_by": "axiom"},
        {"trust_zone": "quarantine"},
        {"status": "disputed"},
    ],
)
def test_what_is_pinned_protected_or_not_active_is_no_candidate(given: dict[str, Any]) -> None:
    assert is_candidate(a_memory(1, THE))
    assert not is_candidate(a_memory(1, THE, **given))


def test_a_merge_is_as_weak_as_its_weakest_part_and_holds_all_of_them() -> None:
    strong = a_memory(
        1,
        THE,
        trust_zone="trusted",
        asserted_by="user",
        source_class="manual",
        confidence=0.7,
        tags=("a",),
        evidence=("s:1-1",),
        created=LATER,
        valid_at=LATER,
        **STATES,
    )
    weak = a_memory(
        2,
        A,
        trust_zone="working",
        asserted_by="inferred",
        source_class="tool_output",
        confidence=0.9,
        tags=("b",),
        evidence=("t:2-3",),
        importance_score=0.8,
        **STATES,
    )
    made = derive_memory([strong, weak], THE, TickingClock(), attributes=STATES["structured_attributes"])
    assert (made.trust_zone, made.asserted_by, made.source_class) == ("working", "inferred", "tool_output")
    assert (made.confidence, made.importance_score, made.created, made.valid_at) == (0.9, 0.8, NOON, NOON)
    assert (set(made.tags), set(made.evidence)) == ({"a", "b"}, {"s:1-1", "t:2-3"})
    assert (made.derived_from, made.source, made.id) == ((strong.id, weak.id), "consolidation", made.id)
    assert (made.structured_attributes, made.entity_ref) == ({"ttl": "300 seconds"}, "cache")


def values(one: dict[str, Any], other: dict[str, Any]) -> Decision:
    old = a_memory(1, THE, **STATES, **one)
    given = {"valid_at": LATER, "structured_attributes": {"TTL": "600 seconds"}, "entity_ref": "cache"} | other
    new = a_memory(2, "The cache TTL is 600 seconds", **given)
    found = batches([old, new], {new.id}, lambda _: None, NOON)
    held: dict[str, Memory] = {old.id: old, new.id: new}
    return decide(next(each for each in found if each.kind == "values"), held, NOON)[0]


def test_a_newer_value_of_an_attribute_retires_the_older() -> None:
    assert values({}, {}) == Decision("update", (a_memory(1, "").id, a_memory(2, "").id), "newer value", (), ("ttl",))


def test_a_newer_value_does_not_override_who_ranks_higher_nor_one_of_the_same_time() -> None:
    assert values({"asserted_by": "user"}, {}).reason == "the older was asserted by user"
    assert values({"valid_at": LATER}, {}).reason == "values differ, and neither is newer"


def test_what_has_expired_or_states_nothing_any_more_is_archived_whether_new_or_not() -> None:
    over = a_memory(1, THE, expires_at=NOON)
    retired = a_memory(2, A, **STATES, retired_attributes={"ttl": over.id})
    standing = a_memory(3, THE, expires_at=LATER)
    held = {each.id: each for each in (over, retired, standing)}
    taken = [
        one for batch in batches(list(held.values()), set(), lambda _: None, NOON) for one in decide(batch, held, NOON)
    ]
    assert [(each.kind, each.of, each.reason) for each in taken] == [
        ("invalidate", (over.id,), "expired"),
        ("invalidate", (retired.id,), "all attributes retired"),
    ]


def test_what_was_undone_is_not_done_again() -> None:
    one, other = a_memory(1, THE), a_memory(2, A)
    batch = Batch("near", (one.id, other.id))
    undone = frozenset({frozenset({one.id, other.id, "mem_" + "9" * 32})})
    assert decide(batch, {one.id: one, other.id: other}, NOON, undone)[0].reason == "it was undone before"


def test_only_memories_near_a_new_one_are_looked_at() -> None:
    found = [a_memory(n, text) for n, text in ((1, THE), (2, A), (3, "Tea is green"), (4, "Tea is green."))]
    ids = [each.id for each in found]
    assert [each.ids for each in batches(found, {ids[2]}, lambda _: None, NOON)] == [(ids[2], ids[3])]
    assert batches(found, set(), lambda _: None, NOON) == []


def item(word: str, vector: list[float] | None = None, key: str = "", *, is_new: bool = True) -> Item:
    held = None if vector is None else np.array(vector, np.float32)
    return Item("fact", key or word, frozenset(word.split()), held, is_new)


def test_clusters_join_near_vectors_and_shared_words_and_stay_small() -> None:
    near = [item("a", [1, 0]), item("b", [0.9, 0.4359]), item("c", [0, 1])]
    assert clusters(near) == [(0, 1)]
    shared = [item("one two three four five"), item("one two three four six"), item("one two three four"), item("six")]
    assert clusters(shared) == [(0, 1, 2)]
    many = [item(f"w{n}", key="same") for n in range(20)]
    assert [len(each) for each in clusters(many)] == [LARGEST, LARGEST, 4]


def test_every_pair_that_shares_enough_words_is_found() -> None:
    rng = np.random.default_rng(5)
    items = [item(" ".join(f"w{n}" for n in rng.choice(9, size=rng.integers(4, 8), replace=False))) for _ in range(40)]
    near = {
        (a, b)
        for a in range(40)
        for b in range(a + 1, 40)
        if len(items[a].words & items[b].words) >= 0.8 * max(len(items[a].words), len(items[b].words))
    }
    assert near
    together = {(a, b) for a, b in near if clusters([items[a], items[b]]) == [(0, 1)]}
    assert together == near
