"""Sessions with their folders in, each in the namespace of its project, once and for all."""

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pellucid.app import App, open_app
from pellucid.errors import StoreError
from pellucid.model.project import DEFAULT
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.session.importing import ImportInput, ImportOutput, import_transcripts
from pellucid.operations.session.intake import Mode
from pellucid.operations.session.observing import ObserveInput, ObserveOutput, SpoolInput, observe_turns, show_waiting
from pellucid.operations.session.projects import app_in_project, list_projects, place_of
from pellucid.settings import load

Said = dict[str, Any]


def line(session: str, said: str, folder: Path | str | None, *, key: str = "", side: bool = False) -> Said:
    """A line of a Claude Code session."""
    where = {"cwd": str(folder)} if folder else {}
    message = {"role": "user", "content": said}
    named: Said = {"type": "user", "uuid": key or f"{session}:{said}", "sessionId": session, "isSidechain": side}
    return named | where | {"timestamp": "2026-05-01T10:00:00Z", "message": message}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A folder outside of every checkout."""
    (tmp_path / "code").mkdir()
    return tmp_path / "code"


@pytest.fixture
def take(whole: App, tmp_path: Path) -> Callable[..., ImportOutput]:
    """Imports lines, by folder."""

    def go(*lines: Said, mode: Mode = "extract", by_folder: bool = True, name: str = "a") -> ImportOutput:
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
        return import_transcripts(whole, ImportInput(paths=(path,), mode=mode, namespace=DEFAULT, by_folder=by_folder))

    return go


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


def kept(app: App, namespace: str) -> list[str]:
    return sorted(each.memory.content for each in app.index.memories(namespace))


def names(out: ImportOutput) -> list[str]:
    return [each.namespace for each in out.filed]


TUESDAY = "We decided to cut releases every Tuesday, after the nightly build is green."
FRIDAY = "We decided to deploy the billing service by hand on Fridays only."
TOKEN = "We decided that the session token expires after 15 minutes."


@pytest.mark.requirement("PROJECT-1")
def test_each_session_is_filed_under_the_project_of_its_folder(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    shop, work = repository(code / "shop"), repository(code / "work" / "shop")
    out = take(line("s1", TUESDAY, shop / "src"), line("s2", FRIDAY, work), line("s3", TOKEN, None))
    assert names(out) == ["local/default", "local/shop", "local/work-shop"]
    assert [each.root for each in out.filed] == [None, str(shop), str(work)]
    assert [len(kept(whole, each)) for each in names(out)] == [1, 1, 1]
    assert "Tuesday" in kept(whole, "local/shop")[0]
    assert "Fridays" in kept(whole, "local/work-shop")[0]


def test_a_session_belongs_to_the_folder_it_began_in_with_its_side_chains(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    shop, other = repository(code / "shop"), repository(code / "other")
    out = take(
        {"type": "custom-title", "customTitle": "Release days", "sessionId": "s1"},
        line("s1", TUESDAY, shop),
        line("s1", FRIDAY, other),
        line("s1", TOKEN, other, side=True),
    )
    assert names(out) == ["local/shop"]
    assert kept(whole, "local/other") == []


def test_sessions_that_interleave_line_by_line_are_each_read_as_one(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    shop, other = repository(code / "shop"), repository(code / "other")
    take(*(line(f"s{n % 2}", f"Line {n}: {TUESDAY}", (shop, other)[n % 2]) for n in range(12)), mode="verbatim")
    for namespace in ("local/shop", "local/other"):
        assert len(whole.lookup.episodes(namespace)) == 1
        assert whole.lookup.held(namespace).passages == 6


def test_importing_again_takes_nothing_whatever_became_of_the_folders(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    inner = code / "shop" / "src"
    lines = (line("s1", TUESDAY, inner), line("s2", FRIDAY, code / "gone"), line("s3", TOKEN, None))
    inner.mkdir(parents=True)
    first = take(*lines)
    assert names(first) == ["local/default", "local/gone", "local/src"]
    repository(code / "shop")  # only now: new sessions go there, old ones stay
    again = take(*lines, line("s4", TOKEN.replace("15", "20"), code / "shop"))
    assert names(again) == ["local/shop"]
    assert again.dropped["already-imported"] == 3


def test_what_stands_in_the_default_namespace_stays_there_and_is_asked_beside_the_project(
    whole: App, take: Callable[..., ImportOutput], code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = repository(code / "shop")
    take(line("s1", TUESDAY, shop), by_folder=False)
    monkeypatch.chdir(shop)
    assert app_in_project(whole).settings.namespace == DEFAULT
    out = take(line("s1", TUESDAY, shop), line("s1", FRIDAY, shop), line("s2", TOKEN, shop))
    assert names(out) == ["local/default", "local/shop"]
    assert len(kept(whole, DEFAULT)) == 2
    here = app_in_project(whole)
    assert (here.settings.namespace, here.also) == ("local/shop", (DEFAULT,))
    assert take(line("s1", TUESDAY, shop), line("s2", TOKEN, shop)).turns_taken == 0
    both = take(line("s1", TUESDAY, shop), mode="both")
    assert names(both) == ["local/default"]
    assert list_projects(whole).projects[0].earlier_elsewhere


def test_what_was_forgotten_does_not_come_back_under_a_project_without_the_journal(
    home: Path, whole: App, take: Callable[..., ImportOutput], code: Path, model_cache: Path, tmp_path: Path
) -> None:
    take(line("s1", TUESDAY, code / "shop"), by_folder=False)
    (found,) = whole.index.memories(DEFAULT)
    assert forget(whole, ForgetInput(namespace=DEFAULT, memory_ids=(found.memory.id,))).done
    whole.close()
    for file in home.glob("journal.db*"):
        file.unlink()
    app = open_app(load(home=home), models=model_cache.parent)
    request = ImportInput(mode="extract", paths=(tmp_path / "a.jsonl",), namespace=DEFAULT, by_folder=True)
    assert import_transcripts(app, request).dropped["forgotten"] == 1
    assert kept(app, "local/shop") == []
    app.close()


def test_a_folder_that_moved_or_is_gone_keeps_its_project_and_another_of_its_name_gets_its_own(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    shop = repository(code / "shop")
    take(line("s1", TUESDAY, shop))
    shop.rename(code / "elsewhere")
    assert names(take(line("s2", FRIDAY, shop / "src"))) == ["local/shop"]
    assert names(take(line("s3", TOKEN, repository(code / "new" / "shop")))) == ["local/new-shop"]
    rows = {each.namespace: each for each in list_projects(whole).projects}
    assert rows["local/shop"].gone
    assert not rows["local/new-shop"].gone
    assert rows["local/shop"].sessions == 2
    assert rows["local/shop"].last_session == "2026-05-01T10:00:00.000Z"


def test_a_worktree_is_its_repositorys_and_stays_so_when_it_is_removed(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    told = ["git", "-c", "user.email=a@example.org", "-c", "user.name=A"]
    for folder, words in (
        (code, ("init", "-q", "shop")),
        (code / "shop", ("commit", "-q", "--allow-empty", "-m", "x")),
        (code / "shop", ("worktree", "add", "-q", "../linked")),
    ):
        subprocess.run([*told, *words], cwd=folder, check=True, capture_output=True)
    assert names(take(line("s1", TUESDAY, code / "linked"))) == ["local/shop"]
    assert list_projects(whole).projects[0].roots == (str(code / "shop"), str(code / "linked"))
    subprocess.run([*told, "worktree", "remove", "../linked"], cwd=code / "shop", check=True, capture_output=True)
    assert names(take(line("s2", FRIDAY, code / "linked" / "src"))) == ["local/shop"]
    repository(code / "linked")  # a stranger's checkout where the worktree was
    assert place_of(str(code / "linked"), whole.projects.known()) != place_of(
        str(code / "shop"), whole.projects.known()
    )
    assert names(take(line("s3", TOKEN, code / "linked"))) == ["local/linked"]


def test_a_checkout_inside_a_project_is_a_project_of_its_own(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    shop = repository(code / "shop")
    take(line("s1", TUESDAY, shop))
    inner = repository(shop / "vendor" / "stranger")
    place = place_of(str(inner / "src"), whole.projects.known())
    assert place
    assert (place.root, place.project) == (str(inner), None)


@pytest.mark.parametrize(
    "folder", ["/", "~", "../../x", "", "relative/x", "C:\\", "/x/" + "AKIA" + "IOSFODNN7EXAMPLE/api"]
)
def test_some_folders_are_no_project(whole: App, folder: str) -> None:
    at = str(Path(folder).expanduser()) if folder == "~" else folder
    assert place_of(at, whole.projects.known()) is None


def test_a_folder_whose_name_holds_a_secret_is_written_nowhere(
    home: Path, take: Callable[..., ImportOutput], whole: App
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    assert names(take(line("s1", TUESDAY, f"/srv/{secret}/api"))) == [DEFAULT]
    observed = observe_turns(
        whole, ObserveInput(namespace=DEFAULT, by_folder=True, lines=(json.dumps(line("s2", TOKEN, f"/srv/{secret}")),))
    )
    assert observed.spooled_to == {DEFAULT: 1}
    assert not [file for file in home.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]


@pytest.mark.parametrize(
    "name", ["default", "persona", "..", "a/../../default", "DEFAULT", "\u202etluafed", "x" * 4000, "日本"]
)
def test_what_a_folder_is_called_reaches_nobody_elses_namespace(
    whole: App, take: Callable[..., ImportOutput], name: str
) -> None:
    take(line("s0", TOKEN, None))
    out = take(line("s1", TUESDAY, f"/srv/x/y/{name}"), name="b")
    assert not {"local/default", "local/persona"}.intersection(names(out))
    assert len(kept(whole, DEFAULT)) == 1


def test_a_namespace_that_holds_something_already_is_given_to_no_folder(
    whole: App, take: Callable[..., ImportOutput], tmp_path: Path
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"role": "user", "content": TOKEN}) + "\n")
    import_transcripts(whole, ImportInput(mode="extract", paths=(path,), namespace="local/shop"))
    assert names(take(line("s1", TUESDAY, "/srv/shop"))) == ["local/srv-shop"]


def observe(app: App, *lines: Said, **given: Any) -> ObserveOutput:
    told = tuple(json.dumps(each) + "\n" for each in lines)
    return observe_turns(app, ObserveInput(namespace=DEFAULT, by_folder=True, lines=told, **given))


def test_a_live_session_is_filed_where_it_began_and_its_import_takes_nothing_twice(
    whole: App, take: Callable[..., ImportOutput], code: Path
) -> None:
    shop, other = repository(code / "shop"), repository(code / "other")
    assert observe(whole, line("s1", "Good morning, let us look at it.", shop)).spooled_to == {"local/shop": 1}
    assert observe(whole, line("s1", "And now the other one, please.", other)).spooled_to == {"local/shop": 1}
    assert show_waiting(whole, SpoolInput(namespace=DEFAULT, by_folder=True)).turns == 2
    assert show_waiting(whole, SpoolInput(namespace=DEFAULT)).turns == 0
    done = observe(whole, line("s1", TUESDAY, other), line("s2", FRIDAY, other), flush="session_end")
    assert {(each.namespace, each.session_id) for each in done.flushes} == {("local/shop", "s1"), ("local/other", "s2")}
    assert done.backlog == ()
    assert take(line("s1", TUESDAY, other), line("s2", FRIDAY, other)).turns_taken == 0
    assert len(kept(whole, "local/shop")) == 1


def test_a_registry_that_cannot_be_read_stops_what_would_ask_by_folder(
    whole: App, take: Callable[..., ImportOutput], home: Path
) -> None:
    take(line("s1", TUESDAY, "/srv/shop"))
    (home / "vault" / ".pellucid" / "projects.json").write_text("{")
    observe = partial(take, line("s2", FRIDAY, "/srv/shop"))
    for asked in (partial(app_in_project, whole), observe, partial(list_projects, whole)):
        with pytest.raises(StoreError, match=r"projects\.json"):
            asked()
    assert take(line("s2", FRIDAY, "/srv/shop"), by_folder=False).turns_taken == 1


def export(path: Path, said: str) -> Path:
    """A SpecStory export: it names no folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# A talk\n\n_**User**_\n\n{said}\n\n---\n\n_**Assistant**_\n\nGood.\n", "utf-8")
    return path


@pytest.mark.requirement("PROJECT-1")
def test_a_transcript_without_a_folder_belongs_to_the_project_that_its_file_is_in(whole: App, code: Path) -> None:
    shop, plain = repository(code / "shop"), code / "plain"
    files = [
        export(shop / ".specstory" / "history" / "a.md", TUESDAY),
        export(plain / ".specstory" / "history" / "b.md", FRIDAY),
        export(code / "elsewhere" / "c.md", TOKEN),
        export(shop / "notes" / "d.md", "We decided to keep the invoices for ten years."),
    ]
    out = import_transcripts(whole, ImportInput(paths=tuple(files), mode="extract", namespace=DEFAULT, by_folder=True))
    assert [(each.namespace, each.root, each.sessions) for each in out.filed] == [
        ("local/default", None, 1),
        ("local/plain", str(plain), 1),
        ("local/shop", str(shop), 2),
    ]


def test_where_a_file_is_counts_less_than_the_folder_it_names_and_the_namespace_that_is_given(
    whole: App, code: Path
) -> None:
    shop, work = repository(code / "shop"), repository(code / "work")
    named = shop / "a.jsonl"
    named.write_text(json.dumps(line("s1", TUESDAY, work)) + "\n", "utf-8")
    plain = export(shop / ".specstory" / "history" / "b.md", FRIDAY)
    one = import_transcripts(whole, ImportInput(paths=(named,), mode="extract", namespace=DEFAULT, by_folder=True))
    assert names(one) == ["local/work"]
    other = import_transcripts(whole, ImportInput(paths=(plain,), mode="extract", namespace="local/mine"))
    assert (names(other), len(kept(whole, "local/mine"))) == ([], 1)


def test_a_strangers_export_is_filed_under_its_own_repository(whole: App, code: Path) -> None:
    """Neither a link nor a name in it leads to another project."""
    mine = repository(code / "shop")
    export(mine / ".specstory" / "history" / "a.md", TOKEN)
    theirs = repository(code / "cloned" / "shop")
    export(theirs / ".specstory" / "history" / "a.md", FRIDAY)
    (theirs / "linked").symlink_to(mine / ".specstory" / "history", target_is_directory=True)
    for root in (mine, theirs):
        import_transcripts(whole, ImportInput(paths=(root,), mode="extract", namespace=DEFAULT, by_folder=True))
    assert "session token" in "".join(kept(whole, "local/shop"))
    assert "Fridays" in "".join(kept(whole, "local/cloned-shop"))
    assert "Fridays" not in "".join(kept(whole, "local/shop"))


def test_an_export_that_grew_stays_where_its_beginning_was_filed(whole: App, code: Path) -> None:
    path = export(code / "shop" / "a.md", TOKEN)
    ask = ImportInput(paths=(path,), mode="extract", namespace=DEFAULT, by_folder=True)
    assert names(import_transcripts(whole, ask)) == [DEFAULT]
    repository(code / "shop")
    path.write_text(path.read_text("utf-8") + f"\n---\n\n_**User**_\n\n{FRIDAY}\n", "utf-8")
    assert names(import_transcripts(whole, ask)) == [DEFAULT]


def test_what_a_program_keeps_in_hidden_folders_of_the_home_is_no_project(
    whole: App, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(code))
    repository(code / ".agent")
    path = export(code / ".agent" / "talks" / "a.md", TUESDAY)
    out = import_transcripts(whole, ImportInput(paths=(path,), mode="extract", namespace=DEFAULT, by_folder=True))
    assert names(out) == ["local/default"]
