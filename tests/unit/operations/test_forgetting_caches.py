"""Something forgotten in, a process that no longer holds its words out."""

import gc

import pytest

from kits.intake import HERE, held, session, take
from kits.vault import ask, keep
from pellucid.app import App
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.text_cache import drop_cached_texts, text_cache


def _backwards(text: str) -> str:
    """A word that no constant of this module is."""
    return text[::-1]


def _strings_with(word: str) -> int:
    """How many strings that some object of this process holds have the word in them, without regard to case."""
    found: set[int] = set()
    for each in gc.get_objects():
        found |= {id(part) for part in gc.get_referents(each) if isinstance(part, str) and word in part.casefold()}
    return len(found)


@pytest.mark.slow
@pytest.mark.requirement("FORGET-1")
@pytest.mark.parametrize("way", ["said", "remembered"])
def test_no_cache_of_the_process_holds_words_that_were_forgotten(whole: App, way: str) -> None:
    drop_cached_texts()

    def live_and_forget() -> str:
        word = _backwards("avilotseprexun")
        said = f"The {word} gateway listens on port 7443."
        if way == "said":
            take(whole, session(said, "Backups are kept for 30 days."), "extract")
        else:
            keep(whole, said)
        ask(whole, f"which port does the {word} gateway use")
        whole.history.settle()
        assert _strings_with(word) > 3
        forget(whole, ForgetInput(namespace=HERE, memory_ids=[m.id for text, m in held(whole).items() if word in text]))
        return word

    word = live_and_forget()
    gc.collect()
    assert _strings_with(word) <= 1  # what this test itself holds


def test_a_cache_of_texts_gives_what_its_function_gives_and_forgets_it() -> None:
    asked: list[str] = []

    @text_cache(2)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length(text) for text in ("a", "bb", "a")] == [1, 2, 1]
    assert asked == ["a", "bb"]
    drop_cached_texts()
    assert length("a") == 1
    assert asked == ["a", "bb", "a"]
