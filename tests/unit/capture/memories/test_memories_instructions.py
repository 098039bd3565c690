"""CLAUDE.md, AGENTS.md and MEMORY.md in; one memory a statement, in context, imports followed inside the tree."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kits.memories import Read, read, written
from pellucid.model.memory import Category


def claude(folder: Path, text: str) -> Read:
    return read(written(folder, "CLAUDE.md", text))


def test_an_item_that_does_not_stand_alone_carries_its_heading(tmp_path: Path) -> None:
    found = claude(tmp_path, "# Atlas\n\n## Testing\n\n- Run `make test` before pushing\n")
    assert found.contents == ["Testing › Run `make test` before pushing"]
    assert found.memories[0].evidence == "CLAUDE.md:5-5"
    assert found.memories[0].category == "rule"
    assert found.memories[0].asserted_by == "user"


def test_a_statement_that_says_what_it_is_about_stays_as_it_is(tmp_path: Path) -> None:
    said = "The integration suite needs a running Postgres 16, which the compose file starts."
    assert claude(tmp_path, f"# Atlas\n\n## Testing\n\n{said}\n").contents == [said]


def test_a_nested_item_keeps_its_parents_words_where_it_needs_them(tmp_path: Path) -> None:
    text = "## Flaky\n- When a test is flaky:\n  - quarantine it\n  - name an owner\n"
    found = claude(tmp_path, text + "- Deploys happen on Tuesdays from main\n")
    assert found.contents[:2] == ["When a test is flaky: quarantine it", "When a test is flaky: name an owner"]
    assert len(found.contents) == 3


def test_a_line_that_introduces_a_list_is_the_context_of_each_item_and_no_memory_itself(tmp_path: Path) -> None:
    found = claude(tmp_path, "Before a release:\n\n- freeze the API\n- tell support\n")
    assert found.contents == ["Before a release: freeze the API", "Before a release: tell support"]


def test_numbered_steps_are_one_procedure_with_their_code(tmp_path: Path) -> None:
    text = "## Rollback\n\n1. Stop the worker\n2. Restore\n   ```\n   make restore\n   ```\n3. Watch the log\n"
    found = claude(tmp_path, text)
    procedure = found.memories[0]
    assert procedure.category == "procedure"
    assert procedure.content == (
        "Rollback:\n1. Stop the worker\n2. Restore\n   ```\n   make restore\n   ```\n3. Watch the log"
    )
    assert procedure.evidence == "CLAUDE.md:3-8"


def test_numbered_prohibitions_are_rules_of_their_own(tmp_path: Path) -> None:
    found = claude(tmp_path, "## Style\n\n1. Never use tabs\n2. Always annotate functions\n")
    assert [memory.category for memory in found.memories] == ["rule", "rule"]


def test_code_stays_with_the_instruction_that_introduces_it(tmp_path: Path) -> None:
    found = claude(tmp_path, "To run one test:\n\n```bash\nmake one\n```\n")
    assert found.contents == ["To run one test:\n```bash\nmake one\n```"]
    assert found.memories[0].category == "procedure"
    assert found.memories[0].evidence == "CLAUDE.md:1-5"


def test_a_heading_introduces_code_that_nothing_else_does_and_code_without_both_is_counted(tmp_path: Path) -> None:
    assert claude(tmp_path, "## Build\n```\nmake build\n```\n").contents == ["Build:\n```\nmake build\n```"]
    bare = claude(tmp_path, "```\nmake build\n```\n")
    assert (bare.contents, bare.dropped) == ([], {"code-without-instruction": 1})


def test_a_long_listing_is_counted_and_its_instruction_kept(tmp_path: Path) -> None:
    listing = "\n".join(f"line {number}" for number in range(60))
    found = claude(tmp_path, f"The folders look like this today:\n\n```\n{listing}\n```\n")
    assert found.contents == ["The folders look like this today:"]
    assert found.dropped == {"long-code": 1}


def test_a_table_row_is_a_memory_that_names_its_columns(tmp_path: Path) -> None:
    found = claude(
        tmp_path, "| Command | What it does |\n|---|:--|\n| `make lint` | checks all `a\\|b` files |\n| | |\n"
    )
    assert found.contents == ["Command: `make lint`; What it does: checks all `a|b` files"]


def test_what_states_nothing_is_counted_by_its_reason(tmp_path: Path) -> None:
    text = (
        "# Atlas\n\nThis file provides guidance to coding agents that work in this repository.\n\n"
        "[![build](https://ci.example/b.svg)](https://ci.example)\n\n"
        "<!-- a note\nto myself -->\n\n- [Testing](#testing)\n- [x] moved the docs\n- [ ] move the tests\n\n"
        "## Notes\n\n(Anything else goes here)\n\n_None yet._\n\nTBD\n\nLast updated: 2026-01-01\n\n<br/>\n"
    )
    found = claude(tmp_path, text)
    assert found.contents == ["Atlas › move the tests"]
    assert found.dropped == {
        "boilerplate": 2,
        "badge": 1,
        "comment": 1,
        "table-of-contents": 1,
        "done-task": 1,
        "placeholder": 3,
        "markup": 1,
    }


def test_a_comment_inside_code_is_code(tmp_path: Path) -> None:
    found = claude(tmp_path, "Put this line on top of every page:\n\n```html\n<!-- licence -->\n```\n<!-- gone -->\n")
    assert "<!-- licence -->" in found.contents[0]
    assert found.dropped == {"comment": 1}


@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("Never push to main", "rule"),
        ("Use British spelling in docs", "rule"),
        ("Passwords must not be logged", "rule"),
        ("I prefer short answers", "preference"),
        ("Mira likes tables", "preference"),
        ("The API lives in `src/api`", None),
        ("Test results are kept in the bucket for a month", None),
    ],
)
def test_the_form_of_a_sentence_tells_its_category(tmp_path: Path, line: str, category: Category | None) -> None:
    assert claude(tmp_path, f"- {line}\n").memories[0].category == category


@pytest.mark.parametrize(
    ("heading", "category"),
    [("User preferences", "preference"), ("Key decisions", "decision"), ("Lessons learned", "principle")],
)
def test_a_heading_tells_the_category_of_what_stands_under_it(tmp_path: Path, heading: str, category: Category) -> None:
    assert claude(tmp_path, f"# A\n## {heading}\n- one cache for each tenant\n").memories[0].category == category


def test_emphasis_and_links_become_plain_words_and_code_spans_stay(tmp_path: Path) -> None:
    text = (
        "- **Docs**: see [the guide](docs/g.md) and [the site](https://x.example/a), `a__b__c`, [[Notes|our notes]]\n"
    )
    assert claude(tmp_path, text).contents == [
        "Docs: see the guide and the site (https://x.example/a), `a__b__c`, our notes"
    ]


def test_imports_are_followed_once_inside_the_tree_and_counted_otherwise(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    written(tmp_path, "outside.md", "- must not be read\n")
    written(root, "docs/git.md", "- Squash every branch before it is merged to main\n@../CLAUDE.md\n")
    text = (
        "- See @docs/git.md for details\n@docs/git.md\n@../outside.md\n@~/.claude/me.md\n"
        "@/etc/hostname\n@docs/none.md\n"
        "- mail ops@example.com, decorate with @dataclass, not `@docs/git.md`\n\n```\n@docs/git.md\n```\n"
    )
    found = read(written(root, "CLAUDE.md", text).parent)
    assert [memory.evidence for memory in found.memories] == ["CLAUDE.md:7-11", "docs/git.md:1-1"]
    assert found.dropped["import-outside"] == 3
    assert found.dropped["import-missing"] == 1
    assert "must not be read" not in str(found.contents)


def test_imports_end_after_five_and_never_go_round(tmp_path: Path) -> None:
    for number in range(9):
        written(tmp_path, f"n{number}.md", f"- statement number {number} about the harbour crane\n@n{number + 1}.md\n")
    found = read(written(tmp_path, "CLAUDE.md", "@n0.md\n@CLAUDE.md\n"))
    assert len(found.contents) == 5
    assert found.dropped["import-too-deep"] == 1
    assert found.dropped["already-read"] == 1


def test_an_agents_file_that_is_a_link_to_claude_md_is_read_once(tmp_path: Path) -> None:
    written(tmp_path, "CLAUDE.md", "- Run the linter before every commit\n")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    assert len(read(tmp_path).contents) == 1


def test_a_day_in_a_name_a_heading_or_an_entry_dates_what_stands_under_it(tmp_path: Path) -> None:
    daily = read(written(tmp_path, "memory/2026-04-20.md", "- Ines moved the review\n"), kind="memory-md")
    assert daily.memories[0].created == datetime(2026, 4, 20, tzinfo=UTC)
    text = "## 2026-01-05\n- one cache a tenant\n## Else\n- 2026-02-03: the feed runs hourly\n- undated thing\n"
    path = written(tmp_path, "MEMORY.md", text)
    days = [memory.created for memory in read(path).memories]
    assert days[:2] == [datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 2, 3, tzinfo=UTC)]
    modified = days[2]
    assert modified is not None
    assert abs(modified.timestamp() - path.stat().st_mtime) < 1


def test_an_index_entry_gives_way_to_the_note_it_points_at(tmp_path: Path) -> None:
    written(tmp_path, "memory/MEMORY.md", "- [Style](style.md) — how she writes\n- [Gone](gone.md) — a lost note\n")
    note = "---\nname: Style\ndescription: how she writes\ntype: feedback\n---\n\nAnswers begin with the conclusion.\n"
    written(tmp_path, "memory/style.md", note)
    found = read(tmp_path)
    assert found.contents == ["Gone — a lost note", "Answers begin with the conclusion."]
    assert found.one("conclusion").category == "rule"
    assert found.one("conclusion").asserted_by == "inferred"
    assert found.dropped == {"index-entry": 1}


def test_line_numbers_hold_across_a_frontmatter_windows_line_ends_and_a_multi_line_secret(tmp_path: Path) -> None:
    key = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + "MIIEowIBAAKCAQEA\n" * 3 + "-----END RSA PRIVATE " + "KEY-----"
    text = f"\ufeff---\npaths: src/**\n---\n{key}\n\n- Keep the lighthouse keeper's name out of the logs\n"
    found = read(written(tmp_path, "CLAUDE.md", text.replace("\n", "\r\n")))
    assert found.one("lighthouse").evidence == "CLAUDE.md:10-10"
    assert "MIIE" not in str(found.memories)
    assert found.report.redactions == {"private-key": 1}


def test_setext_headings_quotes_and_rules_are_understood(tmp_path: Path) -> None:
    found = claude(tmp_path, "Atlas\n=====\n\nTesting\n-------\n\n> Run all\n> tests\n\n---\n\n***\n")
    assert found.contents == ["Testing › Run all tests"]


def test_an_unclosed_fence_and_comment_lose_no_more_than_themselves(tmp_path: Path) -> None:
    found = claude(tmp_path, "- Keep the changelog short and honest for every reader <!-- open\n\n```\nno end\n")
    assert found.contents == ["Keep the changelog short and honest for every reader <!-- open\n```\nno end"]


def test_deep_nesting_and_very_long_paragraphs_are_read(tmp_path: Path) -> None:
    nested = "\n".join(
        "  " * depth + f"- level {depth} of the crane manual says something of its own" for depth in range(400)
    )
    assert len(claude(tmp_path, nested).contents) == 400
    sentence = "The harbour crane number {} lifts exactly forty tonnes. "
    long = claude(tmp_path, "".join(sentence.format(number) for number in range(200)))
    assert all(len(content) <= 2000 for content in long.contents)
    assert "number 199 lifts" in long.contents[-1]


@pytest.mark.parametrize("text", ["", "\n\n", "---\n---\n", "#\n##\n", "- \n-\n", "| a |\n|---|\n", "```"])
def test_a_file_that_says_nothing_gives_nothing(tmp_path: Path, text: str) -> None:
    assert read(written(tmp_path, "CLAUDE.md", text).parent).contents == []


@pytest.mark.parametrize(
    "line", ["Verwende in Überschriften nie Großbuchstaben", "禁止直接推送到主分支", "テストは必ず書く"]
)
def test_other_scripts_are_kept_as_they_are(tmp_path: Path, line: str) -> None:
    assert line in claude(tmp_path, f"- {line}\n").contents[0]
