"""A model's words in, the JSON that is taken of them out: whatever stands around it, and nothing that only looks so."""

import json

import pytest

from pellucid.encoders.chat.reply import read_json

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["word", "parts"],
    "properties": {
        "word": {"type": "string"},
        "sure": {"type": ["number", "null"]},
        "parts": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    },
}
GOOD = {"word": "yes", "sure": 0.5, "parts": ["a"]}
TEXT = json.dumps(GOOD)
EVENTS = (
    {"type": "thread.started", "thread_id": "0199"},
    {"type": "item.completed", "item": {"type": "reasoning", "text": "Is it {yes}? I think so."}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": TEXT}},
    {"type": "turn.completed", "usage": {"input_tokens": 10}},
)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\ufeff\n{TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"As [1] says, with braces {{like this}}:\n\n{TEXT}\n\nShall I {{go on}}?",
        f'{{"word": "no"}} was my first thought, but {TEXT}',
        f"[1, 2]\n{TEXT}",
        json.dumps({"type": "result", "is_error": False, "result": f"```json\n{TEXT}\n```"}),
        json.dumps({"message": {"content": GOOD}}),
        "\n".join(map(json.dumps, EVENTS)),
    ],
    ids=["bare", "blanks", "fence", "prose", "after another", "after a list", "envelope", "object in one", "events"],
)
def test_the_first_json_that_follows_the_schema_is_taken(text: str) -> None:
    assert read_json(text, SCHEMA) == (GOOD, "")


def test_of_two_that_follow_it_the_first_is_taken() -> None:
    assert read_json(f"{TEXT}\n{json.dumps({**GOOD, 'word': 'no'})}", SCHEMA)[0] == GOOD


def test_a_missing_value_counts_as_null_and_one_too_many_is_let_be() -> None:
    assert read_json('{"word": "yes", "parts": [], "more": 1}', SCHEMA)[1] == ""


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("I would say yes.", "it is not JSON, or was cut off"),
        (TEXT[:-3], "it is not JSON, or was cut off"),
        ('{"word": 3, "parts": []}', "word is not of type string"),
        ('{"word": "yes", "parts": ["c"]}', "an item of parts is none of the allowed values"),
        ('{"word": "yes"}', "parts is not of type array"),
        ('{"word": "yes", "sure": NaN, "parts": []}', "it is not JSON, or was cut off"),
        ('{"word": "yes", "sure": true, "parts": []}', "sure is not of type number or null"),
        (f"[{TEXT}]", "the answer is not of type object"),
        ('{"word": "\\ud800", "parts": []}', "it is not JSON, or was cut off"),
        ("[" * 100_000, "it is not JSON, or was cut off"),
        ('{"a":' * 100_000, "it is not JSON, or was cut off"),
        ("{" * 200 + TEXT, "it is not JSON, or was cut off"),
    ],
)
def test_what_does_not_follow_it_is_refused_with_what_is_wrong(text: str, flaw: str) -> None:
    assert read_json(text, SCHEMA) == (None, flaw)


def test_envelopes_are_opened_four_deep_and_no_deeper() -> None:
    wrapped = TEXT
    for _ in range(4):
        wrapped = json.dumps({"result": wrapped})
    assert read_json(wrapped, SCHEMA) == (GOOD, "")
    assert read_json(json.dumps({"result": wrapped}), SCHEMA)[1]
