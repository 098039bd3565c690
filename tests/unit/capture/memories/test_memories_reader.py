"""Files and folders of every kind in; memories that may be stored, or an error or a count that says why not, out."""

import os
from itertools import islice
from pathlib import Path

import pytest

from kits.memories import read, written
from pellucid.capture.memories.adopted import MEMORY_FORMATS
from pellucid.capture.memories.reader import read_memories
from pellucid.capture.report import CaptureReport
from pellucid.errors import InputError
from pellucid.settings.sections import CaptureSettings

EXAMPLES = Path(__file__).parents[4] / "examples" / "memories"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
RECALLED = (
    f'<pellucid-recall id="rec_{"0" * 32}">\n- the ferry leaves at nine\n\n- the tide turns\n</pellucid-recall>\n'
)


def test_the_examples_show_every_format_and_nothing_in_them_is_malformed() -> None:
    found = read(EXAMPLES)
    assert set(found.report.formats) == set(MEMORY_FORMATS)
    assert found.report.malformed == 0
    assert found.dropped["forgotten"] == 1
    assert len(found.contents) >= 25


@pytest.mark.requirement("CAP-2")
def test_no_field_holds_a_secret(tmp_path: Path) -> None:
    note = f"---\ntitle: k {TOKEN}\npermalink: p/{TOKEN}\ntags: [{TOKEN}]\n---\n- [fact] it is {TOKEN} #{TOKEN}\n"
    remnic = (
        f"---\nid: {TOKEN}\ncategory: fact\nentityRef: {TOKEN}\nsupersededBy: {TOKEN}\nsupersedes: {TOKEN}\n"
        f'structuredAttributes: {{"key": "{TOKEN}"}}\n---\n\nsaid {TOKEN}\n'
    )
    written(tmp_path, "note.md", note)
    written(tmp_path, "facts/a.md", remnic)
    written(tmp_path, "CLAUDE.md", f"## {TOKEN}\n- push with **{TOKEN}**\n\n```\nexport T={TOKEN}\n```\n")
    written(tmp_path, "memories.json", f'[{{"content": "{"x " * 995}{TOKEN}", "tags": ["{TOKEN}"], "id": "{TOKEN}"}}]')
    found = read(tmp_path)
    assert [memory.kind for memory in found.memories] == ["claude-md", "chatgpt", "chatgpt", "basic-memory", "remnic"]
    assert TOKEN not in str(found.memories)
    assert TOKEN[:20] not in str(found.memories)
    assert found.report.redactions.total() > 8


@pytest.mark.requirement("CAP-3")
def test_what_we_recalled_once_does_not_come_back(tmp_path: Path) -> None:
    written(tmp_path, "MEMORY.md", f"- The crane lifts forty tonnes on a calm day\n{RECALLED}- Mira likes tea\n")
    found = read(tmp_path)
    assert found.contents == ["The crane lifts forty tonnes on a calm day", "Mira likes tea"]
    assert found.report.stripped == {"own-recall": 1}


@pytest.mark.requirement("CAP-3")
def test_an_excluded_path_is_not_read_even_when_it_is_imported(tmp_path: Path) -> None:
    written(tmp_path, "private/CLAUDE.md", "- a private thing\n")
    written(tmp_path, "CLAUDE.md", "@private/CLAUDE.md\n- an open thing\n")
    found = read(tmp_path, settings=CaptureSettings(exclude_paths=("private",)))
    assert found.contents == ["an open thing"]
    assert found.dropped["excluded-path"] == 2


def test_a_folder_is_read_in_sorted_order_and_what_is_not_ours_to_read_is_left_out(tmp_path: Path) -> None:
    for folder in ("b", "a", "node_modules/x", ".git", ".claude/rules"):
        written(tmp_path, f"{folder}/CLAUDE.md", f"- a rule that stands in the folder {folder}\n")
    written(tmp_path, ".claude/rules/style.md", "- two spaces everywhere\n")
    found = read(tmp_path)
    assert [memory.path for memory in found.memories] == [
        ".claude/rules/CLAUDE.md",
        ".claude/rules/style.md",
        "a/CLAUDE.md",
        "b/CLAUDE.md",
    ]
    assert found.dropped == {"folder-not-entered": 2}


def test_links_in_circles_and_out_of_the_tree_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    written(tmp_path, "outside/CLAUDE.md", "- an outside thing\n")
    written(root, "deep/CLAUDE.md", "- an inside thing\n")
    (root / "deep" / "again").symlink_to(root)
    (root / "loop.md").symlink_to("loop.md")
    (root / "CLAUDE.md").symlink_to(tmp_path / "outside" / "CLAUDE.md")
    (root / "AGENTS.md").symlink_to("deep/CLAUDE.md")
    found = read(root)
    assert found.contents == ["an inside thing"]
    assert found.dropped == {"link-not-followed": 2, "already-read": 1}


def test_a_file_given_twice_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path, "CLAUDE.md", "- an inside thing\n")
    assert len(read(path, tmp_path, path).contents) == 1


@pytest.mark.parametrize("text", [b"", b" \r\n", b"\0\1\2", b"\x89PNG\r\n\x1a\n\0\0", b"# A text\n\nabout cranes\n"])
def test_a_named_file_without_a_known_form_is_an_error_and_a_found_one_is_counted(tmp_path: Path, text: bytes) -> None:
    path = written(tmp_path, "thing.md", text)
    with pytest.raises(InputError, match="holds no memories in a form we know"):
        read(path)
    assert read(tmp_path).dropped == {"no-memory-file": 1}


def test_a_path_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read(tmp_path / "none.md")


@pytest.mark.parametrize("kind", MEMORY_FORMATS)
@pytest.mark.parametrize(
    "text", [b"", b"\0\0", b"\xff\xfe\xff", b"{", b"[", b"---\n", b"@", b"[[", "🦀".encode(), b"- [", b"|"]
)
def test_any_bytes_read_as_any_format_raise_nothing(tmp_path: Path, kind: str, text: bytes) -> None:
    path = written(tmp_path, "x.md", text)
    read(path, kind=next(each for each in MEMORY_FORMATS if each == kind))


def test_a_text_that_is_too_large_is_counted_and_wrong_bytes_are_replaced(tmp_path: Path) -> None:
    written(tmp_path, "a/CLAUDE.md", b"- a crane\n" * 500_000)
    written(tmp_path, "b/CLAUDE.md", b"- the ferr\xff leaves at nine\n")
    found = read(tmp_path)
    assert found.contents == ["the ferr\ufffd leaves at nine"]
    assert [problem.reason for problem in found.report.problems] == ["larger than 4 MiB"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_an_error_when_named_and_counted_when_found(tmp_path: Path) -> None:
    path = written(tmp_path, "CLAUDE.md", "- a thing\n")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        read(path)
    assert read(tmp_path).dropped == {"unreadable-file": 1}


def test_a_folder_of_thousands_of_files_is_streamed(tmp_path: Path) -> None:
    for number in range(2000):
        (tmp_path / f"{number:04}.md").write_text(f"---\nid: fact-{number}\ncategory: fact\n---\nferry {number}\n")
    report = CaptureReport()
    found = read_memories([tmp_path], CaptureSettings(), report)
    first = list(islice(found, 10))
    assert (len(first), report.files) == (10, 10)
    assert len(list(found)) == 1990
