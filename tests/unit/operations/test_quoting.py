"""Sentences of a session in, the quotes that their memories keep out: shown, never longer than allowed, erasable."""

from pathlib import Path

from kits.intake import HERE, held, session, take
from pellucid.app import App
from pellucid.model.memory import Memory
from pellucid.model.observation import Evidence, ExtractedFact
from pellucid.model.turn import Turn
from pellucid.observe.pipeline import with_quotes
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.storytelling import history_of_memory
from pellucid.surfaces.present.memory.changes import history_text as shown
from pellucid.vault.markdown import FileIdentity, parse, render_memory


def _only(app: App) -> Memory:
    (memory,) = held(app).values()
    return memory


def test_a_memory_keeps_the_sentence_it_was_read_from_and_its_history_shows_it(whole: App) -> None:
    take(whole, session("Good morning! So, we decided to cut releases every Tuesday. Thanks."))
    memory = _only(whole)
    assert memory.evidence == ("s1:1-1",)
    assert memory.evidence_quotes == {"s1:1-1": "So, we decided to cut releases every Tuesday."}
    assert "s1:1-1 “So, we decided to cut releases every Tuesday.”" in shown(history_of_memory(whole, HERE, memory.id))


def test_a_quote_comes_back_from_its_file_and_a_file_without_one_is_read(whole: App) -> None:
    take(whole, session('We decided: "cut releases" every Tuesday at 9:30.'))
    memory = _only(whole)
    data = render_memory(memory)
    assert b"evidenceQuotes: " in data
    identity = FileIdentity(HERE, whole.key, memory.created)
    assert parse("facts/x.md", data, identity).memories[0][0] == memory
    old = b"".join(line for line in data.splitlines(keepends=True) if not line.startswith(b"evidenceQuotes"))
    assert parse("facts/x.md", old, identity).memories[0][0].evidence_quotes == {}


def test_a_long_quote_is_cut_at_a_word() -> None:
    said = f"We keep the logs of {', '.join(f'service number {n}' for n in range(40))} for 90 days."
    fact = ExtractedFact(
        category="fact", content=said, confidence=0.9, evidence=(Evidence(source="s", start=1, end=1),)
    )
    quote = with_quotes(fact, {1: Turn("s", 1, "user", said)}).evidence[0].quote
    assert 280 < len(quote) <= 300
    assert said.startswith(quote.removesuffix("…"))
    assert said[len(quote) - 1] in " ,"


def test_forgetting_takes_the_quote_and_what_others_quote_of_the_same_turn(whole: App, home: Path) -> None:
    said = "We decided to cut releases every Tuesday. We decided that the zephyr gateway uses port 9090."
    take(whole, session(said))
    memories = held(whole)
    target = next(each for each in memories.values() if "zephyr" in each.content)
    assert any(each.evidence_quotes for each in memories.values() if each.id != target.id)
    forget(whole, ForgetInput(namespace=HERE, memory_ids=(target.id,)))
    whole.close()
    found = [path for path in home.rglob("*") if path.is_file() and b"zephyr" in path.read_bytes().lower()]
    assert found == []
