"""Diffs and lists of files in, the paths they touch out, and the memories that speak of them."""

from dataclasses import replace

import pytest

from kits.vault import HERE, Opener, a_memory, file_memories, run
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.operations.recall.recalling import RecallInput, xray_new_recall
from pellucid.recall.legs.leg import LegAnswer
from pellucid.recall.legs.review import LARGEST, MOST, review, review_of_file, review_paths
from pellucid.recall.score.ladder import RUNGS
from pellucid.recall.state import World

GIT = """\
diff --git a/src/app.py b/src/app.py
index 8a1..9b2 100644
--- a/src/app.py
+++ b/src/app.py
@@ -1,4 +1,4 @@ def run():
 one
--- a/not/a/header.py
+++ b/not/a/header.py
-rename from not/this.py
+diff --git a/nor/this.py b/nor/this.py
 two
@@ -20 +20,0 @@
-three
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git "a/caf\\303\\251 \\"one\\".txt" "b/caf\\303\\251 \\"one\\".txt"
--- "a/caf\\303\\251 \\"one\\".txt"
+++ "b/caf\\303\\251 \\"one\\".txt"
@@ -1 +1 @@
-a
\\ No newline at end of file
+b
\\ No newline at end of file
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/born.py b/born.py
new file mode 100644
--- /dev/null
+++ b/born.py
@@ -0,0 +1 @@
+x
diff --git a/picture of a and b.png b/picture of a and b.png
index 1..2 100644
Binary files a/picture of a and b.png and b/picture of a and b.png differ
diff --git a/run me.sh b/run me.sh
old mode 100644
new mode 100755
"""


def test_a_git_diff_names_both_sides_of_every_file_and_nothing_of_its_content() -> None:
    assert review_paths(GIT) == (
        "src/app.py",
        "old name.txt",
        "new name.txt",
        'café "one".txt',
        "gone.py",
        "born.py",
        "picture of a and b.png",
        "run me.sh",
    )
    assert review_paths(GIT.replace("\n", "\r\n")) == review_paths(GIT)


@pytest.mark.parametrize(
    ("diff", "paths"),
    [
        ("diff --git src/a.py src/a.py\n--- src/a.py\n+++ src/a.py\n@@ -1 +1 @@\n-a\n+b\n", ("src/a.py",)),
        ("diff --git i/a/b.py w/a/b.py\n--- i/a/b.py\n+++ w/a/b.py\n@@ -1 +1 @@\n-a\n+b\n", ("a/b.py",)),
        ("diff --git a/x.py b/x.py\nnew file mode 100644\nindex 0..0\n", ("x.py",)),
        (
            "--- old/a.py\t2026-01-01 10:00\n+++ new/a.py\t2026-01-02 10:00\n@@ -1 +1 @@\n-a\n+b\n",
            ("old/a.py", "new/a.py"),
        ),
        ("Index: src/a.py\n=====\n--- src/a.py\t(revision 1)\n+++ src/a.py\t(working copy)\n", ("src/a.py",)),
        (
            "Binary files one/a.png and two/a.png differ\ndiff -u one/b.py two/b.py\n--- one/b.py\n+++ two/b.py\n",
            ("one/a.png", "two/a.png", "one/b.py", "two/b.py"),
        ),
        (
            "diff --cc src/a.py\nindex 1,2..3\n--- a/src/a.py\n+++ b/src/a.py\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n- b\n -c\n"  # noqa: ISC004
            "++d\ndiff --git a/b.py b/b.py\n",
            ("src/a.py", "b.py"),
        ),
        (
            "diff --git a/x.bin b/x.bin\nGIT binary patch\nliteral 2\nJcmZQz0ssI2\n\ndiff --git a/y.py b/y.py\n",
            ("x.bin", "y.py"),
        ),
        (
            "From 1 Mon\nSubject: rename from here\n\nrename from here\n---\n a.py | 2 +-\n\n"  # noqa: ISC004
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n-- \n2.4\n",
            ("a.py",),
        ),
        ("\x1b[1mdiff --git a/a.py b/a.py\x1b[m\n\x1b[1m--- a/a.py\x1b[m\n\x1b[1m+++ b/a.py\x1b[m\n", ("a.py",)),
    ],
    ids=[
        "no prefix",
        "mnemonic prefix",
        "no hunks",
        "diff -u",
        "svn",
        "binary",
        "merge",
        "binary patch",
        "mail",
        "coloured",
    ],
)
def test_other_kinds_of_diff_are_read(diff: str, paths: tuple[str, ...]) -> None:
    assert review_paths(diff) == paths


@pytest.mark.parametrize(
    ("listed", "paths"),
    [
        ("src/a.py\n\n  Makefile \nsrc/a.py\n", ("src/a.py", "Makefile")),
        ("src/a b.py\0src/c.py\0", ("src/a b.py", "src/c.py")),
        ("M\tsrc/a.py\nR100\told.py\tnew.py\nD\tgone.py\n", ("src/a.py", "old.py", "new.py", "gone.py")),
        (' M src/a.py\n?? "caf\\303\\251.py"\nR  old.py -> new.py\n', ("src/a.py", "café.py", "old.py", "new.py")),
        ("", ()),
    ],
    ids=["lines", "zeros", "name-status", "status --short", "nothing"],
)
def test_a_list_of_files_is_read(listed: str, paths: tuple[str, ...]) -> None:
    assert review_paths(listed) == paths


def test_too_many_files_and_what_names_none_are_refused() -> None:
    many = [f"src/f{n}.py" for n in range(MOST)]
    assert len(review_paths("\n".join(many))) == MOST
    with pytest.raises(InputError, match="501 files, and 500 are the most"):
        review_paths("\n".join([*many, "one-more.py"]))
    with pytest.raises(InputError, match="neither a diff nor a list"):
        review_paths("x" * 1001)
    with pytest.raises(InputError, match="characters"):
        review_paths("x" * (LARGEST + 1))


def asked(app: App, *paths: str) -> tuple[LegAnswer, list[str], list[str]]:
    """What the leg says, and the memories of its two arms."""
    state = run(app, "anything to know?")
    state = replace(state, request=replace(state.request, review=paths))
    with app.index.reading(HERE) as reader:
        said = review(state, state.plan, World(reader, None))
        arms = [[each.memory.content for each in reader.memories(rows)] for rows in (said[1].rows, said[1].open_rows)]
    return said, arms[0], arms[1]


@pytest.fixture
def notes(house: Opener) -> App:
    app = house()
    file_memories(
        app,
        [
            a_memory(1, "Every crane has a driver."),
            a_memory(2, "The name app.py is kept for the entry point."),
            a_memory(3, "Changes to src/app.py need a second reader."),
            a_memory(4, "src/app.py was one file with cli.py.", status="superseded"),
        ],
    )
    return app


def test_memories_that_speak_of_the_files_are_nominated_those_that_name_the_path_first(notes: App) -> None:
    (report, hits), admitted, opened = asked(notes, "src/app.py")
    assert (report.health, report.admitted, report.open) == ("ok", 2, 1)
    assert admitted == ["Changes to src/app.py need a second reader.", "The name app.py is kept for the entry point."]
    assert hits.scores.tolist() == [1.0, 0.5]
    assert opened == ["src/app.py was one file with cli.py."]


@pytest.mark.requirement("REC-5")
def test_without_files_the_leg_is_off_and_with_unknown_ones_it_is_empty(notes: App) -> None:
    (off, _), _, _ = asked(notes)
    assert (off.health, off.reason) == ("off", "no files are under review")
    (empty, _), _, _ = asked(notes, "docs/tides.md")
    assert empty.health == "empty"


def test_what_review_alone_nominated_is_served_so_and_may_miss_the_querys_words(notes: App) -> None:
    floors = {"minTokenOverlap": 0.5, "minFactScore": -1.0}
    asking = RecallInput(
        query="quarterly tax return",
        namespace=HERE,
        review="src/app.py",
        settings=floors,
        without=("vector", "lexical", "passage", "recent"),
    )
    shown = xray_new_recall(notes, asking)
    assert [each.served_by for each in shown.results] == ["review-context"] * 2
    rung = next(each for each in shown.filters if each.name == "token-overlap")
    assert (rung.considered, rung.admitted) == (2, 2)
    state = run(notes, asking.query, review=asking.review, settings=floors, without=asking.without)
    assert {RUNGS[soft - 1] for soft in state.pool.soft.tolist() if soft} == {"token-overlap"}
    assert not run(notes, asking.query, settings=floors, without=asking.without).served


def test_what_is_remembered_of_a_file_is_brought_before_what_only_sounds_like_the_question(house: Opener) -> None:
    app = house()
    notes = [a_memory(n, f"What to watch for when changing service {n}: its window is day {n}.") for n in range(1, 17)]
    said = a_memory(20, "The bank blocks us after six attempts.", entity_ref="src/retry.py")
    file_memories(app, [*notes, said])
    for file in ("src/retry.py", "/home/ada/shop/src/retry.py"):
        state = run(app, "what to watch for when changing this?", review=file)
        assert state.served[0].memory.content == said.content


@pytest.mark.parametrize("text", [GIT, " M src/a.py\n?? docs/b c.md\n"])
def test_a_diff_and_a_list_of_git_status_are_reviewed_as_they_are(text: str) -> None:
    assert review_of_file("change.txt", text) == text


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("src/a.py\nMakefile\n", ["src/a.py", "Makefile"]),
        ('"caf\\303\\251.py"', ['"caf\\303\\251.py"']),
        ("dist/\n*.pyc\n.venv\n", ["dist/", ".venv"]),
        ("def run(n):\n    return n + 1\n\n\nclass A:\n    pass\n", []),
        ("# Retry\n\nSix attempts at most.\n", []),
        ("", []),
        ("x" * 1001, []),
        ('{"a": 1,\n "b": 2}\n', []),
        ("a: 1\nb: 2\n", []),
    ],
)
def test_any_other_file_is_reviewed_itself_and_what_it_may_list(text: str, listed: list[str]) -> None:
    assert review_paths(review_of_file("notes/change.txt", text)) == (
        "notes/change.txt",
        *review_paths("\n".join(listed)),
    )
