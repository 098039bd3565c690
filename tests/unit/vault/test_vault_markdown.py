"""Memories and episodes, hostile ones among them, in, files out, and the same again from the files."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.vault import HERE, NOON, a_memory
from pellucid.clock import truncate
from pellucid.errors import InputError
from pellucid.model.memory import BOUNDARY_SCOPES, CATEGORIES, FOLDERS, STATUSES, Episode, Memory, Moment
from pellucid.store.local.vault.paths import check_new
from pellucid.vault.markdown import (
    FileIdentity,
    edit_memory,
    episode_path,
    memory_path,
    parse,
    render_episode,
    render_memory,
    slug,
)

KEY = b"k" * 32
SOMEONE = FileIdentity(HERE, KEY, NOON)
PATH = "facts/2026-06/a.md"

# lone surrogates never reach the vault; characters YAML does not take are the frontmatter's own tests
CLEAN = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=["\u2028", "\u2029", "\ufffe", "\uffff"])
WORDS = st.text(CLEAN, min_size=1, max_size=15)
BODY = st.text(st.characters(exclude_categories=("Cs",)), max_size=80)
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(lambda at: truncate(at.replace(tzinfo=UTC)))  # noqa: DTZ001
IDS = st.integers(0, 2**128 - 1).map(lambda n: f"mem_{n:032x}")
MEMORIES = st.builds(
    Memory,
    id=IDS,
    category=st.sampled_from(CATEGORIES),
    namespace=st.just(HERE),
    created=MOMENTS,
    updated=MOMENTS,
    source=st.sampled_from(["extraction", "manual"]),
    session_id=st.none() | WORDS,
    agent=st.none() | WORDS,
    evidence=st.lists(WORDS, max_size=2).map(tuple),
    confidence=st.floats(0, 1),
    tags=st.lists(WORDS).map(tuple),
    pinned=st.booleans(),
    entity_ref=st.none() | WORDS,
    structured_attributes=st.dictionaries(WORDS, WORDS, max_size=2),
    importance_score=st.floats(0, 1),
    status=st.sampled_from(STATUSES),
    valid_at=st.none() | MOMENTS,
    scopes=st.lists(st.sampled_from(BOUNDARY_SCOPES), unique=True).map(tuple),
    invalid_at=st.none() | MOMENTS,
    supersedes=st.lists(IDS, max_size=2).map(tuple),
    content=BODY.map(str.strip),
)


def only(data: bytes, path: str = PATH) -> Memory:
    ((memory, _),) = parse(path, data, SOMEONE).memories
    return memory


def episode(**given: Any) -> Episode:
    known = {"id": f"ep_{7:032x}", "namespace": HERE, "created": NOON, "updated": NOON, "session_id": "s", "topic": "T"}
    return Episode(**{**known, "turns": "1-9", "started": NOON, **given})


def moments(*texts: str) -> list[Moment]:
    return [
        Moment(id=f"mem_{n:032x}", turn=n, role="user", at=NOON + timedelta(minutes=n), content=text)
        for n, text in enumerate(texts, start=1)
    ]


def said(data: bytes) -> list[str]:
    return [memory.content for memory, _ in parse("episodes/2026-06/e.md", data, SOMEONE).memories]


@pytest.mark.requirement("STORE-2")
@settings(max_examples=300, deadline=None)
@given(MEMORIES)
def test_a_memory_comes_back_from_its_file_as_it_was(memory: Memory) -> None:
    data = render_memory(memory)
    assert only(data) == memory
    assert render_memory(only(data)) == data


@pytest.mark.requirement("STORE-2")
@settings(max_examples=100, deadline=None)
@given(MEMORIES)
def test_a_comment_in_its_file_changes_nothing(memory: Memory) -> None:
    if any(
        word and (":" in word or word[0].isdigit()) for word in (memory.session_id, memory.agent, memory.entity_ref)
    ):
        return  # words that look like times and numbers have a test of their own
    commented = render_memory(memory).replace(b"---\n", b"---\n# mine\nmyOwn: {a: [1]}\n", 1)
    assert only(commented) == memory


@pytest.mark.requirement("STORE-2")
def test_an_edit_keeps_comments_unknown_keys_and_the_body() -> None:
    ours = render_memory(a_memory(1, "first line\n\n---\n\nlast line", tags=("a",)))
    users = ours.replace(b"status: active\n", b"# look here\nstatus: active   # for now\nmyOwn: {keep: me}\n")
    edited = edit_memory(users, {"status": "archived", "supersededBy": f"mem_{2:032x}"})
    assert edited == users.replace(b"status: active   # for now", b"status: archived").replace(
        b"\n---\n\nfirst", f"\nsupersededBy: mem_{2:032x}\n---\n\nfirst".encode()
    )
    assert only(edited).status == "archived"
    assert only(edited).content == "first line\n\n---\n\nlast line"


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_a_file_saved_with_windows_line_ends_is_the_same_memory(ends: str) -> None:
    memory = a_memory(1, "one line", session_id="s", evidence=("s:3-3",), tags=("a", "b"))
    data = render_memory(memory).replace(b"\n", ends.encode())
    assert only(data) == memory
    assert only(edit_memory(data, {"status": "archived"})).status == "archived"


def test_a_file_saved_with_a_byte_order_mark_is_the_same_memory() -> None:
    memory = a_memory(1, "one line", category="decision")
    assert only(b"\xef\xbb\xbf" + render_memory(memory)) == memory


def test_a_file_without_frontmatter_is_the_users_own_fact() -> None:
    memory = only(b"The harbour crane lifts forty tonnes.\n")
    assert (memory.category, memory.asserted_by, memory.source, memory.namespace) == ("fact", "user", "manual", HERE)
    assert (memory.created, memory.updated) == (NOON, NOON)
    assert memory.content == "The harbour crane lifts forty tonnes."
    assert only(b"other words").id == memory.id, "the id is the path's"
    assert only(b"other words", "facts/b.md").id != memory.id
    assert parse(PATH, b"x", replace(SOMEONE, key=b"j" * 32)).memories[0][0].id != memory.id


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"---\ncategory: rumour\n---\nx", "category"),
        (b"---\nid: mem_1\n---\nx", "id"),
        (b"---\nconfidence: 2\n---\nx", "confidence"),
        (b"---\nstatus: lost\n---\nx", "status"),
        (b"---\ncreated: soon\n---\nx", "created"),
        (b"---\nid: ep_1\n---\nx", "id"),
        (b"---\na: [\n---\nx", "not YAML"),
        (b"\xff\xfe", "UTF-8"),
        (b"---\ntags: plain\n---\nx", "tags"),
        (b"---\ncreated: 0001-01-01T00:00:00+14:00\n---\nx", "created"),
        (b"---\nvalidAt: 9999-12-31T23:59:59-14:00\n---\nx", "valid"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_path_and_place(text: bytes, where: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(PATH, text, SOMEONE)
    assert caught.value.message.startswith(PATH)
    assert where in caught.value.message
    assert caught.value.next_step


HOSTILE = (
    "",
    "plain",
    "<!-- pellucid:moment {} -->",
    '<!-- pellucid:moment {"id":"x"} -->',
    "\\<!-- pellucid:moment {} -->",
    "\\\\<!-- pellucid:x",
    "a\n<!-- pellucid:moment {} -->\nb",
    "---",
    "---\nid: ep_x\n---",
    "\n\n---\n\n",
    "# heading",
    "a\r\nb",
    "\ttab",
    "trailing  ",
    "emoji 👩‍🔧 港口",
    "<!--",
    "-->",
    "`code`\n```\nfence\n```",
    "\u2028",
    "a\u2028<!-- pellucid:",
    "\r<!-- pellucid:moment {} -->",
    "line\n\\\n<!-- pellucid:",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_turn_that_looks_like_our_own_marks_comes_back_as_it_was(text: str) -> None:
    data = render_episode(episode(), moments("before", text, "after"))
    assert said(data) == ["before", text.strip(), "after"]


@pytest.mark.requirement("STORE-2")
@settings(max_examples=200, deadline=None)
@given(st.lists(BODY | st.sampled_from(HOSTILE), min_size=1, max_size=4), WORDS)
def test_an_episode_comes_back_from_its_file_as_it_was(texts: list[str], topic: str) -> None:
    written = episode(topic=topic)
    parsed = parse("episodes/2026-06/e.md", render_episode(written, moments(*texts)), SOMEONE)
    assert parsed.episode == written
    assert [memory.content for memory, _ in parsed.memories] == [text.strip() for text in texts]
    for number, (memory, turn) in enumerate(parsed.memories, start=1):
        assert turn == number
        assert memory.id == f"mem_{number:032x}"
        assert (memory.category, memory.session_id, memory.episode_id) == ("moment", "s", written.id)
        assert memory.evidence == (f"s:{number}-{number}",)
        assert memory.created == NOON + timedelta(minutes=number)


@pytest.mark.parametrize("after", [b"\r\n", b" \n", b"\t\n"])
def test_an_episode_saved_with_other_line_ends_keeps_its_moments(after: bytes) -> None:
    data = render_episode(episode(), moments("hello", "there"))
    saved = data.replace(b"\n", b"\r\n") if after == b"\r\n" else data.replace(b"-->\n", b"-->" + after)
    assert said(saved) == ["hello", "there"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"turn":1', b'"turn":'),
        (b'"turn":1', b'"turn":"one"'),
        (b'"role":"user"', b'"role":null'),
        (b'"id":"mem_', b'"id":"mem'),
        (b'"turn":1', b'"turn":1,"odd":2'),
    ],
)
def test_an_episode_whose_marker_is_damaged_is_refused(old: bytes, new: bytes) -> None:
    data = render_episode(episode(), moments("hello"))
    assert old in data
    with pytest.raises(InputError, match=r"^e\.md"):
        parse("e.md", data.replace(old, new), SOMEONE)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We cut releases every Tuesday.", "we-cut-releases-every-tuesday"),
        ("港口起重机每天九点", "港口起重机每天九点"),
        ("Größe & Straße!", "grösse-strasse"),
        ("...", "memory"),
        ("", "memory"),
        ("🚢", "memory"),
        ("../../etc/passwd", "etc-passwd"),
        ("a" * 100, "a" * 48),
        ("word " * 30, "-".join(["word"] * 9)),
        ("CON", "con"),
    ],
)
def test_a_slug_is_a_few_words_for_people(text: str, name: str) -> None:
    assert slug(text) == name


@pytest.mark.parametrize("text", ["𞤀𞤣𞤤𞤢𞤥 " * 12, "𠀀" * 60, "𐐀" * 60], ids=["adlam", "han", "deseret"])
def test_letters_beyond_the_basic_plane_still_make_a_file_name(text: str) -> None:
    check_new(memory_path(a_memory(1, text)))


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs",), max_codepoint=0xFFFF)))
def test_every_text_makes_a_file_name_that_the_vault_takes(text: str) -> None:
    check_new(memory_path(a_memory(1, text)))
    check_new(episode_path(episode(topic=text)))


def test_a_file_stands_in_the_folder_of_its_kind_and_month() -> None:
    for category in CATEGORIES:
        path = memory_path(a_memory(0xABC, "Words here", category=category))
        assert path == f"{FOLDERS[category]}/2026-06/words-here-0000000abc.md"
    evening = datetime(2026, 5, 31, 23, 30, tzinfo=timezone(timedelta(hours=-3)))
    assert memory_path(a_memory(1, "x", created=evening)).startswith("facts/2026-06/")
    assert episode_path(episode(started=evening)).startswith("episodes/2026-06/")


def test_tiers_and_levels_stand_beside_their_numbers_and_are_derived() -> None:
    data = render_memory(a_memory(1, "x", confidence=0.7, importance_score=0.9))
    assert b"confidence: 0.7\nconfidenceTier: implied\n" in data
    assert b"importanceScore: 0.9\nimportanceLevel: critical\n" in data
    lying = data.replace(b"importanceLevel: critical", b"importanceLevel: trivial")
    assert only(lying).importance_level == "critical"
