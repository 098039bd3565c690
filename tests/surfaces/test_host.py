"""A process that stays: calls in namespaces that they name, and a home that is looked after."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kits.waiting import until
from pellucid.errors import InputError, StoreError
from pellucid.operations.browsing import LIST
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.upkeep import JobOutcome
from pellucid.settings import load
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.watching import Watching


def test_calls_at_once_keep_to_the_namespace_that_each_names(tmp_path: Path) -> None:
    with Host(load(home=tmp_path / "home")) as host, ThreadPoolExecutor(4) as clients:

        def keep(number: int) -> str:
            call = host.call(f"team/n{number % 2}")
            return REMEMBER(call, content=f"The relay of rack {number} listens on port {9000 + number}.").path

        assert len(set(clients.map(keep, range(8)))) == 8
        assert [LIST(host.call(f"team/n{each}")).total for each in (0, 1, 2)] == [4, 4, 0]


def test_a_namespace_that_is_none_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with Host(load(home=tmp_path / "home")) as host, pytest.raises(InputError, match="expects tenant/project"):
        host.call("../escape")


def test_the_upkeep_goes_on_after_a_job_that_raised_what_nobody_foresaw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pellucid.surfaces.host._UPKEEP_EVERY_S", 0.01)
    taken, told, done = tmp_path / "home" / "hooks" / "waiting" / "claude-code_s.json", list[str](), list[str]()
    taken.mkdir(parents=True)  # a folder where a client leaves a file
    with Host(load(home=tmp_path / "home"), report=told.append, on_job_done=lambda outcome: done.append(outcome.job)):
        until(lambda: "transcripts" in done, "a later pass over the transcripts")
    assert done.index("passes") < done.index("transcripts")
    assert [each.partition(" in ")[0] for each in told] == ["the upkeep job transcripts failed: IsADirectoryError"]


def test_the_watch_goes_on_after_the_index_could_not_be_opened(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "index.db"
    done: list[JobOutcome] = []
    with Host(load(home=home)) as host:
        (home / "index.db").rename(away)  # as far as the watching thread sees, which opens it anew
        (home / "index.db").mkdir()
        with Watching(host, done.append):
            until(lambda: done, "the first look at the folders")
            assert isinstance(done.pop(0).problem, StoreError)
            (home / "index.db").rmdir()
            away.rename(home / "index.db")
            (home / "vault" / "note.md").write_text("---\nconfidence: nine\n---\nquay", "utf-8")
            until(lambda: any(each.unreadable for each in done), "the edit")
    assert [each.problem for each in done if each.unreadable] == [None]


@pytest.mark.slow
def test_an_edit_is_taken_over_in_a_home_of_the_usual_name_too(tmp_path: Path) -> None:
    home, done = tmp_path / ".pellucid", list[JobOutcome]()
    with Host(load(home=home)) as host, Watching(host, done.append):
        until(lambda: any(each.job == "edits" for each in done), "the first look at the vault")
        (home / "vault" / "note.md").write_text("---\nconfidence: nine\n---\nquay", "utf-8")
        until(lambda: any(each.unreadable for each in done), "the edit")
