"""Messages in, how deep to recall for them and why out."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.recall.query.gate import gate

SEEN = Path(__file__).parents[2] / "golden" / "query_class" / "seen.toml"
TRIVIAL = {"おはよう、今日もよろしく"}


@pytest.mark.parametrize(
    "message",
    [
        "",
        "  ",
        "👍",
        "🎉🎉",
        "...",
        "?!",
        "ok",
        "OK!",
        "Okay.",
        "thanks",
        "Thank you so much!",
        "ok, thanks 🙏",
        "hi",
        "Good morning!",
        "yes",
        "no",
        "got it, thanks",
        "lgtm",
        "haha",
        "Danke!",
        "vielen Dank",
        "alles klar, danke",
        "ja",
        "Guten Morgen",
        "gracias",
        "¡Muchas gracias!",
        "vale, perfecto",
        "sí",
        "merci beaucoup",
        "d'accord, merci",
        "d’accord",
        "oui",
        "ありがとうございます！",
        "了解です。",
        "谢谢",
        "好的，谢谢",
        "明白了",
    ],
)
def test_a_greeting_thanks_or_assent_alone_needs_no_memory(message: str) -> None:
    assert gate(message).depth == "no_recall"


@pytest.mark.parametrize(
    "message",
    [
        "ok so what did we decide about the ok button",
        "thanks to the cache, what changed?",
        "yes?",
        "ok?",
        "thanks, and the wifi password",
        "no milk",
        "hello world example",
        "good morning, hope you slept well",
        "are you there?",
        "thanks, that fixed it",
        "sure, use the one Ana likes",
        "42",
        "Ada",
        "danke, und die Adresse",
        "gracias por el café",
        "谢谢你上次的建议",
        "ok go with the second",
        "right, the rent",
    ],
)
def test_more_than_a_greeting_is_recalled_in_full(message: str) -> None:
    assert gate(message).depth == "full"


def test_no_query_of_the_labelled_set_goes_without_memory_unless_it_only_greets() -> None:
    texts = [row["text"] for row in tomllib.loads(SEEN.read_text("utf-8"))["query"]]
    assert {text for text in texts if gate(text).depth == "no_recall"} <= TRIVIAL


@pytest.mark.parametrize(
    "message",
    [
        "run the tests",
        "fix the lint error",
        "Please rerun the build",
        "commit and push",
        "rename foo to bar",
        "continue",
        "fix the timeline component",
        "Starte den Server neu",
        "ejecuta las pruebas",
        "lance les tests",
        "テストを実行して",
        "运行测试",
    ],
)
def test_a_short_command_is_worth_little(message: str) -> None:
    gated = gate(message)
    assert gated.depth == "minimal"
    assert gated.reason == "a short command"


@pytest.mark.parametrize(
    "message",
    [
        "run the tests?",
        "can you run the tests",
        "run the tests the way we agreed",
        "continue where we left off",
        "fix the lint error like last time",
        "check whether the export still fails",
        "open the file where names are kept",
        "run the tests and " + "then run them " * 8,
        "fixing is hard",
        "remove what I told you to",
        "update our style guide",
        "use my preferred formatter",
        "what does run do",
        "启动之前的服务吗",
        "前回と同じテストを実行して",
    ],
)
def test_a_question_and_what_rests_on_memory_is_never_minimal(message: str) -> None:
    assert gate(message).depth == "full"


@pytest.mark.parametrize(
    "message", ["timeline of the outage", "What depends on the auth library?", "the sequence of alerts", "it depends"]
)
def test_how_things_hang_together_is_recalled_in_full(message: str) -> None:
    """Which edges a question asks for is read from its own words, at any depth; see `query_edges`."""
    assert gate(message).depth == "full"


@given(st.text(max_size=300))
def test_any_text_has_a_depth_and_a_reason(text: str) -> None:
    gated = gate(text)
    assert gated.depth in {"no_recall", "minimal", "full"}
    assert gated.reason


@given(st.text(max_size=200))
def test_a_text_with_a_question_mark_and_a_word_is_full(text: str) -> None:
    assert gate(f"x{text}?").depth == "full"


@pytest.mark.parametrize("unit", ["ok ", "thanks", "a", " ", "super merci ", "好", "what depends ", "-", "run "])
def test_a_text_of_twenty_thousand_characters_is_no_trouble(unit: str) -> None:
    assert gate((unit * 20_000)[:20_000]).reason
