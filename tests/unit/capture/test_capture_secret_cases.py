"""Secrets in the many ways that people, programs and files put them, and what only looks like one."""

import pytest

from kits.secret_cases import GONE, KEPT, SEED
from pellucid.capture.names import clean_pairs
from pellucid.capture.secrets.redact import redact
from pellucid.language.hidden import visible_text


@pytest.mark.parametrize(("text", "secret"), GONE)
def test_a_secret_is_taken_out_however_it_stands_there(text: str, secret: str):
    redacted = redact(text)

    assert secret not in redacted.text
    assert redacted.counts
    assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_a_secret_stays(text: str):
    assert redact(text).text == text


def test_what_stands_around_a_disguised_secret_stays_as_it_is_written():
    token = "gh\u200bp_" + "a1B2" * 9

    redacted = redact(f"\u200bÄußerst wichtig\u2060: {token} — Ende\u200b")

    assert redacted.text == "\u200bÄußerst wichtig\u2060: [redacted:github-token] — Ende\u200b"


def test_a_secret_that_only_an_invisible_sign_parts_from_a_word_is_found():
    assert "a1B2a1B2" not in redact("token\u200bghp_" + "a1B2" * 9).text


def test_plain_text_is_seen_as_it_is_written():
    assert visible_text("Größe: 12 — größer") is None
    assert visible_text("plain") is None


def test_a_value_is_looked_at_beside_its_name():
    cleaned, counts = clean_pairs({"password": "hunter42x", "ttl": "300 seconds", "owner": "Ada"})

    assert cleaned == {"password": "[redacted:password]", "ttl": "300 seconds", "owner": "Ada"}
    assert counts == {"password": 1}


def test_the_words_after_a_seed_phrase_stay():
    listed = redact("Seed phrase:\n" + "\n".join(SEED) + "\n\nkeep it safe")
    numbered = redact(" ".join(f"{at}. {word}" for at, word in enumerate(SEED, 1)) + " is what it says")

    assert listed.text == "Seed phrase:\n[redacted:seed-phrase]\n\nkeep it safe"
    assert numbered.text == "1. [redacted:seed-phrase] is what it says"


def test_only_the_default_of_the_named_variable_goes():
    text = 'variable "db_password" {\n  default = "hunter42x"\n}\nvariable "region" {\n  default = "eu-west-1a2"\n}'

    assert redact(text).text == text.replace("hunter42x", "[redacted:password]")


@pytest.mark.parametrize("text", ["4111 1111 1111 1111.", "4111 1111 1111 1111. It is mine", "4111-1111-1111-1111"])
def test_a_card_number_at_the_very_beginning_is_found(text: str):
    assert "[redacted:credit-card]" in redact(text).text
