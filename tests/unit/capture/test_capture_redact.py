"""What redaction takes out, what it leaves alone, and that no text makes it slow."""

import re
from collections import defaultdict
from importlib import import_module

import pytest

from kits.secret_samples import IN_CONTEXT, STANDALONE, WORDS, harmless, leaked, samples
from pellucid.capture.secrets import commands as secret_commands
from pellucid.capture.secrets import forms as secret_forms
from pellucid.capture.secrets import names as secret_names
from pellucid.capture.secrets import patterns as secret_patterns
from pellucid.capture.secrets.redact import redact


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_least_99_percent_of_secret_bytes_are_gone_for_every_type(seed: int):
    total, left = defaultdict(int), defaultdict(int)
    for sample in samples(seed, variants=20):
        total[sample.type] += len(sample.secret)
        left[sample.type] += leaked(sample, redact(sample.text).text)

    assert len(total) >= 35
    assert sum(left.values()) <= 0.01 * sum(total.values())
    # a single unlucky sample of a type may slip, a whole form of it may not
    assert {name: left[name] / total[name] for name in total if left[name] > 0.05 * total[name]} == {}


def test_at_most_one_harmless_line_in_a_thousand_is_touched():
    lines = list(harmless(seed=5, count=6000))

    touched = [line for line in lines if redact(line).text != line]

    assert len(lines) >= 5000
    assert len(touched) <= 0.001 * len(lines), touched


def test_every_sampled_type_is_counted_under_some_name():
    silent = [sample for sample in samples(7, variants=3) if not redact(sample.text).counts]

    assert silent == []


def test_standalone_credentials_are_named_by_their_vendor():
    named = {name for sample in samples(8, variants=2) for name in redact(sample.text).counts}

    assert named >= STANDALONE.keys()
    assert len(STANDALONE) + len(IN_CONTEXT) >= 35


def test_a_secret_is_replaced_by_its_type_and_the_words_around_it_stay():
    token = "gh" + "p_" + "a1B2" * 9

    redacted = redact(f"use {token} for the mirror, {token} for the origin")

    assert redacted.text == "use [redacted:github-token] for the mirror, [redacted:github-token] for the origin"
    assert redacted.counts == {"github-token": 2}


def test_redaction_is_idempotent():
    for sample in samples(11, variants=6):
        once = redact(sample.text).text
        assert redact(once).text == once


def test_text_without_secrets_is_returned_unchanged():
    text = "Deploys run at 17:30; see docs/deploy.md.\n" * 50

    assert redact(text).text == text
    assert redact("").counts == {}


def test_offsets_hold_in_text_whose_lower_case_is_longer():
    token = "x7K" * 12

    assert redact(f"İİİ password={token} İ").text == "İİİ password=[redacted:password] İ"


def test_a_private_key_cut_off_before_its_end_is_taken_out():
    body = "\n".join("Ab3/" * 16 for _ in range(5))

    redacted = redact(f"-----BEGIN RSA PRIVATE KEY-----\n{body}")

    assert "Ab3/" not in redacted.text
    assert redacted.counts == {"private-key": 1}


def test_a_mention_of_a_key_header_is_no_key():
    text = 'if "-----BEGIN PRIVATE KEY-----" in line:\n    return parse(line)\n'

    assert redact(text).text == text


def test_a_secret_in_several_layers_of_json_is_found():
    inner = '{\\"password\\": \\"hunt3r!x9\\"}'

    assert "hunt3r" not in redact(f'{{"out": "{inner}"}}').text


HOSTILE = (
    "password=",
    "token: ",
    '"secret": "',
    'api_key=\\"',
    "://",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "sk-",
    "eyJ",
    "eyJ0eXAi.",
    "4111 ",
    "4111111111111111",
    "bearer ",
    "Authorization: ",
    "cookie: a=b;",
    "-us",
    "Q~",
    ":AA",
    "AKIA",
    "-----END",
    "curl -u ",
    "seed phrase: ",
    "a:b:c@",
    "key key_",
    "\\n",
    "=" * 3,
    "{" * 5,
    "login x password ",
    "--token ",
    "hooks.slack.com/",
    "sig=%2B",
    "Private-Lines: 3\n",
    "passw\n \n value: ",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_is_read_to_its_end(piece: str):
    text = piece * (60_000 // len(piece))

    assert isinstance(redact(text).text, str)


def _patterns() -> list[re.Pattern[str]]:
    found = [rule.shape for rule in secret_patterns.VENDORS] + [name.to_value for name in secret_names.NAMES]
    per_mark = ("_AUTHORIZATION", "_BEARER", "_COOKIE", "_URL", "_URL_TOKEN", "_BEGIN", "_END", "_CARD")
    return [*found, secret_forms._SEED_NAME, secret_forms._SEED_PHRASE, secret_commands._CRYPTED] + [
        getattr(secret_forms, name) for name in per_mark
    ]


def test_every_pattern_tried_at_a_mark_has_a_bounded_reach():
    """So the work is at most marks × reach: linear in the text, whatever it holds."""
    parser = import_module("re._parser")  # the only one who knows a pattern's width
    longest = {pattern.pattern: parser.parse(pattern.pattern, pattern.flags).getwidth()[1] for pattern in _patterns()}

    assert {pattern[:60]: width for pattern, width in longest.items() if width > 400_000} == {}


def test_prose_is_seldom_looked_at_twice():
    text = " ".join(WORDS * 50)

    assert secret_patterns.marks_in(text) == set()
    assert redact(text).text == text
