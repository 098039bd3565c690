"""Sentences in, the files they speak of out."""

import time

import pytest

from pellucid.store.local.index.mentions import file_name, paths_in, plain_path


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("In render/thumbs.py the lock comes first", ("render/thumbs.py",)),
        ("see ./src/app/main.ts, and docs/README.md.", ("src/app/main.ts", "docs/readme.md")),
        ("config.toml holds it", ("config.toml",)),
        ("it is in src/pellucid/recall", ("src/pellucid/recall",)),
        ("src/app.py:12-14 says so", ("src/app.py",)),
        ("version 3.12.1 costs 4.50 on 1.2.2026", ()),
        ("read https://example.org/a/b.html", ()),
        ("we went there. Then home.", ()),
        ("ask ada@example.org", ()),
        ("", ()),
    ],
)
def test_paths_are_found_and_what_only_looks_like_one_is_not(text: str, paths: tuple[str, ...]) -> None:
    assert paths_in(text) == paths


def test_a_text_full_of_paths_gives_a_bounded_number_in_bounded_time() -> None:
    assert len(paths_in(" ".join(f"a/b{n}.py" for n in range(500)))) == 64
    started = time.process_time()
    paths_in("a/" * 10_000 + "." * 5_000)
    assert time.process_time() - started < 20  # a runaway pattern takes hours


def test_paths_are_compared_without_case_and_dots() -> None:
    assert plain_path(".\\Src\\App.PY") == "src/app.py"
    assert file_name("src/app.py") == "app.py"
    assert file_name("app.py") == "app.py"
