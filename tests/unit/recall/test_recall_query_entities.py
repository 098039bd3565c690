"""Queries in, the things they name out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.recall.query.entities import entities


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ('what is "the big engine" in `foo_bar`?', ("the big engine", "foo_bar")),
        ("was steht in „Kleine Reise“ und «Ici»", ("Kleine Reise", "Ici")),
        ("ログの「保存期間」はどう", ("保存期間",)),
        ("is SPEC-054 or ADR #3 or #123 done, and ABC-12?", ("SPEC-054", "ADR #3", "#123", "ABC-12")),
        ("where is CVE-2024-1234 fixed, in a1b2c3d4?", ("CVE-2024-1234", "a1b2c3d4")),
        (
            "open src/app/plan.py and ./run.sh and /etc/hosts and docs/",
            ("src/app/plan.py", "./run.sh", "/etc/hosts", "docs/"),
        ),
        ("why does plan.py call os.path.join", ("plan.py", "os.path.join")),
        (
            "set max_batch and MAX_SIZE with --dry-run in getUserName",
            ("max_batch", "MAX_SIZE", "--dry-run", "getUserName"),
        ),
        ("what does render() do", ("render",)),
        ("mail ana@example.org about https://example.org/a?b=1.", ("ana@example.org", "https://example.org/a?b=1")),
    ],
)
def test_quotes_ids_paths_and_identifiers_are_named(query: str, names: tuple[str, ...]) -> None:
    assert entities(query) == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("what did Ada Lovelace say to Ben?", ("Ada Lovelace", "Ben")),
        ("Ada Lovelace wrote it", ("Ada Lovelace",)),
        ("Did Priya sign off with Mr. Okafor in May?", ("Priya", "Mr. Okafor")),
        ("Anna's bike and James' car", ("Anna", "James")),
        ("Ben’s API on GitHub Actions", ("Ben", "API", "GitHub Actions")),
        ("what did Ludwig van Beethoven like", ("Ludwig van Beethoven",)),
        ("PostgreSQL or SQLite?", ("PostgreSQL", "SQLite")),
        ("ask Tom, Ana and Bea. Then Ana again", ("Tom", "Ana", "Bea")),
        ("I know O'Brien", ("O'Brien",)),
        ("¿Dónde vive Lucía Gómez?", ("Lucía Gómez",)),
        ("Wo wohnt Jörg Müller?", ("Jörg Müller",)),
    ],
)
def test_capitalised_names_are_named_without_their_possessive(query: str, names: tuple[str, ...]) -> None:
    assert entities(query)[-len(names) :] == names


@pytest.mark.parametrize(
    "query",
    [
        "What is the plan?",
        "The plan is fine. Where is it?",
        "I'm sure I've said it, and so did I",
        "in May on Monday",
        "and/or client/server",
        "python 3.12 at 10:30",
        "e.g. this",
        "don't we? It's fine",
        "PLEASE READ THIS NOW",
        "Which one? Mine",
        "Last March",
        "Est-ce que tout va bien ?",
        "--",
        "''",
        '""',
        "Thanks",
        "Welche Version läuft auf dem Server und wie ist die Konfiguration?",
    ],
)
def test_ordinary_words_are_no_names(query: str) -> None:
    assert entities(query) == ()


def test_each_is_named_once_and_at_most_sixty_four() -> None:
    assert entities("ask Ben and Ben and Ben") == ("Ben",)
    assert len(entities(" ".join(f"x_{i}" for i in range(500)))) == 64
    assert len(entities(" ".join([*(f"x_{i}" for i in range(63)), *["Ada", "Bea"], "x_99"]))) == 64


@given(st.text(max_size=300))
def test_each_name_stands_in_the_text_as_it_is(text: str) -> None:
    found = entities(text)
    assert all(name and name in text for name in found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    "unit", ["a", "a.", "a/", "a_", '"a ', "Ada ", "-a", "/a", "a-", "'a'", "#", "a@", "1a", " ", "A1-"]
)
def test_a_text_of_twenty_thousand_characters_is_no_trouble(unit: str) -> None:
    assert len(entities((unit * 20_000)[:20_000])) <= 64
