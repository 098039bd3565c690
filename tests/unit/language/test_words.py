"""Texts in, normal forms, hashes and words out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.language.spelling import content_hash, entity_key, normalise
from pellucid.language.words import content_words, joined_words, reading_length, words


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  Cut RELEASES, every Tuesday! ", "cut releases every tuesday"),
        ("We don’t ship", "we do not ship"),
        ("We can't, cannot and won't", "we can not can not and will not"),
        ("per-tenant", "per tenant"),
        ("C++ and C#", "c++ and c#"),
        ("1.5 or 15 or -15", "1.5 or 15 or −15"),
        ("at 10:00, 50%", "at 10:00 50%"),
        ("Straße", "strasse"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("我住在里斯本。", "我住在里斯本"),
        ("!!!", "!!!"),
        ("", ""),
    ],
)
def test_normalise_keeps_what_carries_meaning(text: str, normal: str) -> None:
    assert normalise(text) == normal


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.text(min_size=1).filter(str.strip))
def test_no_text_vanishes(text: str) -> None:
    assert normalise(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "caf"),
        ("我喜欢猫", "我喜欢狗"),
        ("It is safe", "It is not safe"),
        ("It's safe", "It isn't safe"),
        ("version 1.5", "version 15"),
        ("5 degrees", "-5 degrees"),
        ("🙂", "🙁"),
    ],
)
def test_different_texts_hash_differently(one: str, other: str) -> None:
    assert content_hash(one) != content_hash(other)


def test_dress_does_not_change_the_hash_and_the_entity_does() -> None:
    assert content_hash("The TTL is 300 s.") == content_hash("the ttl is  300 s")
    assert content_hash("The TTL is 300 s", "cache") != content_hash("The TTL is 300 s", "session")
    assert content_hash("x", "Quote Cache") == content_hash("x", "quote-cache ")
    assert len(content_hash("x")) == 64


def test_entity_keys_are_trimmed_folded_and_hyphenated() -> None:
    assert entity_key("  Quote  Cache ") == entity_key("quote-cache") == "quote-cache"


def test_unspaced_scripts_give_bigrams_and_others_words() -> None:
    assert words("我住在里斯本") == ("我住", "住在", "在里", "里斯", "斯本")
    assert words("Ana's config/cache.toml") == ("anas", "config", "cache.toml")


def test_content_words_leave_out_what_names_nothing() -> None:
    assert content_words("We will use the cache, and the cache is 300 s") == ("cache", "300")
    assert content_words("Ich habe eine Katze") == ("katze",)


def test_three_signs_of_an_unspaced_script_read_like_two_words() -> None:
    assert reading_length("I have two cats") == 4
    assert reading_length("猫を二匹飼っています") == 7


def test_the_words_that_a_forgotten_statement_is_known_by_are_those_of_before() -> None:
    """Keys of what was forgotten are kept: a word less or more in them, and it could come back."""
    assert content_words("Wann hatte der Turm einen Riss, und wer kann ihn flicken?") == (
        *("wann", "hatte", "turm", "riss", "wer", "kann", "ihn", "flicken"),
    )
    assert content_words("¿Cuándo y dónde está el faro que todavía brilla?") == (
        *("cuándo", "dónde", "faro", "todavía", "brilla"),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see ag.SessionFileExtension()", ["Session", "File", "Extension"]),
        ("parseHTTPHeader, HTTPServer", ["parse", "HTTP", "Header", "HTTP", "Server"]),
        ("my_fooBar.baz", ["foo", "Bar"]),
        ("URLs, IDs, PRs, v2API, sha256, Plain, UPPER, snake_case, o'Neill, mRNA, iPhone, kappaB", []),
        ("abCd" * 40, []),
    ],
)
def test_names_of_code_are_taken_apart_where_case_begins_a_word(text: str, found: list[str]) -> None:
    assert [word for _, parts in joined_words(text) for word in parts] == found
    assert all(text.startswith("".join(parts), place) for place, parts in joined_words(text))
