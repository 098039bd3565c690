"""The questions of `examples/README.md` in, the memories of the example sessions that answer them out."""

from pathlib import Path

from kits.vault import SESSIONS, Opener, ask, bring_in
from pellucid.app import App

ANSWERED_BY = {
    "When do we release?": "every Tuesday",
    "Why might a page during the load test be harmless?": "GC pauses cross 200ms",
    "One cache for all tenants?": "per-tenant, not global",
    "How long does a quote stay in the cache?": "300 seconds",
    "Where are the cache settings?": "config/cache.toml",
    "How often does the partner feed run?": "every 15 minutes",
    "How do I roll back the quote cache?": "enabled = false",
    "What does Ines need, and until when?": "July capacity numbers",
    "When do invoices move?": "16 and 17 May",
    "Which column holds an invoice's currency?": "currency is on the customer",
    "May an invoice get a new number?": "Never renumber",
    "Who is Tomás's manager?": "report to Farid",
    "What is Tomás allergic to?": "coffee",
    "When must the gateway not be restarted?": "Monday morning",
    "Until when may the public API change?": "20 March",
    "How many nodes has the search cluster?": "three nodes",
}


def test_the_questions_of_the_examples_are_answered_by_the_first_two_memories(house: Opener) -> None:
    readme = (Path(__file__).parents[3] / "examples" / "README.md").read_text("utf-8")
    asked = [line.split(" | ")[0].removeprefix("| ") for line in readme.splitlines() if line.count("? | ") == 1]
    assert asked == list(ANSWERED_BY)
    app = house()
    bring_in(app, SESSIONS, mode="both")
    places = {question: _place(app, question, words) for question, words in ANSWERED_BY.items()}
    assert {question: place for question, place in places.items() if place not in (1, 2)} == {}
    assert sum(place == 1 for place in places.values()) >= 14


def _place(app: App, question: str, words: str) -> int | None:
    """The place of the first memory that holds the words of the answer."""
    found = enumerate(ask(app, question).memories, 1)
    return next((place for place, each in found if words.casefold() in each.memory.content.casefold()), None)
