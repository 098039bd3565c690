"""What states an attribute and what does not: a sentence, but not data, code, or the head of a list."""

import pytest

from pellucid.observe.attributes import read_attribution
from pellucid.observe.language import detect_language


def test_a_value_in_inline_code_is_stated_like_any_other() -> None:
    assert stated("The `ttl` of the cache is `300 s`") == {"ttl": "300 s"}
    assert stated("The cache lives in `src/cache.py`") == {"location": "src/cache.py"}


def stated(sentence: str) -> dict[str, str]:
    return read_attribution(sentence, detect_language(sentence)).attributes


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "two"}',
        '{"message": "I have two paths"}',
        '[{"text": "My port is 8080"}]',
        '"text": "My port is 8080",',
        'print("My port is 8080")',
        'I got {"text": "My port is 8080"} back',
        'const text = "My port is 8080"',
        'text := "My port is 8080"',
        "My port is 8080;",
        'if text == "My port is 8080" {',
        "We have two paths:",
        "I have two paths here:",
    ],
)
def test_data_code_and_the_head_of_a_list_state_nothing(text: str) -> None:
    assert stated(text) == {}


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("My port is 8080", {"port": "8080"}),
        ("I have two dogs", {"dog": "two"}),
        ('My port is 8080, see config.get("port")', {"port": "8080"}),
        ("The cache TTL is 300 seconds", {"ttl": "300 seconds"}),
        ("The path of the repo is src/two.py", {"path": "src/two.py"}),
    ],
)
def test_a_sentence_states_what_it_says(text: str, attributes: dict[str, str]) -> None:
    assert stated(text) == attributes
