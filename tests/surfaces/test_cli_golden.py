"""Every command in, its whole help and its answers on one small home out: compared with what is written down."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import typer.main

from kits.cli import Cli
from kits.vault import TickingClock
from pellucid.surfaces.cli import app

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
UPDATE = "PELLUCID_UPDATE_GOLDENS" in os.environ  # noqa: TID251 - asked for by hand, never by a suite
ROOT = typer.main.get_command(app)
NAME = re.compile(r"[a-z][A-Za-z0-9]*")
"""Of a field; ids, paths and kinds of things are no part of a shape."""
ASKED = "Which port does the relay use?"

STORY = """
init
remember The relay uses port 8080 --tag net --entity relay --attribute port=8080 --category fact
remember "The relay uses port 9090" --entity relay --attribute port=9090 --session s1 --agent ada
remember "The ferry leaves at nine" --confidence 0.9 --importance 0.4 --pin --axiom
remember "Keep this among us" --scope private
import sessions/billing-migration.jsonl
import sessions --mode extract --format auto
observe turns.jsonl --session live --agent ada
observe --status
observe turns.jsonl --session live --flush session_end
index docs specs --dry-run
index docs specs
index list
index show specs/SPEC-010-vocabulary.md
index remove specs/SPEC-011-identities-and-berths.md
list --limit 3
list --tag net --status any --entity relay --contains PORT --since 2020-01-01 --until 2099-01-01
list --as-of 2020-01-01
show OLD
recall ASKED --top-k 3 --budget 2000
recall ASKED --verbose --without graph --set maxIterations=1 --category fact --session s1 --agent ada --scope private
xray --id last --verbose
xray ASKED --top-k 2 --align
explain --session s1
why OLD ASKED
why OLD --recall last
why "The relay uses port 8080"
replay last --live
diff last~1 last
ablate last
ablate last --without vector
lift --last 5
audit ENTRY
snapshots list --limit 2
snapshots pin last
snapshots pin last --off
snapshots export --since 2d
history NEW
history relay
history relay --as-of 2020-01-01
brief --sessions 2 --budget 200
episodes list billing
episodes list --limit 2
episodes show EPISODE
ledger export --kind lifecycle
graph show relay --hops 1 --direction out --closed
graph audit
graph backfill
tier list --limit 3
tier explain NEW
lifecycle run --dry-run
lifecycle run
lifecycle report
lifecycle consolidate --dry-run --limit 5
trust list --zone trusted --limit 2
trust explain NEW
trust quarantine --agent ada --preview
trust quarantine NEW
trust promote NEW
trust rollback --session s1 --since 2020-01-01
update FERRY The ferry leaves at ten --tag sea --confidence 0.8
reverify NEW
pin NEW
pin NEW --off
archive NEW --reason old
undo NEW
retract NEW
undo NEW
dispute NEW
undo NEW
adopt memories/mem0.json --samples 1
adopt memories/mem0.json --yes --format mem0
projects list
projects move local/nowhere .
forget FERRY
forget FERRY --chain --yes
purge --status archived --before 2099-01-01
purge --category preference --yes
doctor
rebuild
models
recall ASKED --namespace other/place
"""

WRONG = """
remember x --confidence 7
remember x --category moment
remember x --attribute port
recall ASKED --budget none
recall ASKED --top-k 0
recall ASKED --without nothing
recall ASKED --since 2030-01-01 --until 2020-01-01
recall ASKED --set recal=1
recall ASKED --set maxIterations
recall ASKED --as-of yesteryear
recall ASKED --as-of 2099-01-01
recall ASKED --review nowhere.diff
recall
xray
xray ASKED --format pdf
xray ASKED --namespace NOWHERE
why
why OLD --recall last --top-k 3
list --category bogus
list --limit 0
list --limit x
list --as-of 2020-01-01 --status archived
show nobody
import nowhere.jsonl
import sessions --mode bad
observe --flush never
adopt memories --preview --yes
adopt memories --format pdf
ablate last --without nothing
lift --leg nothing
lift --last 0
snapshots list --since never
ledger export --kind nothing
graph show relay --type NOTHING
graph show relay --hops 9
index docs
index docs specs --watch --dry-run
lifecycle report --since 2099-01-01
trust list --zone nothing
trust quarantine
trust rollback
purge
purge --status nothing
lab run --data .
lab run nothing --data .
models nothing
remembr x
"""


def helps(command: object = ROOT, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every group and command."""
    yield words
    for word, child in sorted(getattr(command, "commands", {}).items()):
        yield from helps(child, *words, word)


def same(name: str, told: str) -> None:
    """What is told now is what is written down; written anew where that is asked for."""
    path = GOLDEN / name
    if UPDATE:
        path.write_text(told, "utf-8")
    assert told.split("\n") == path.read_text("utf-8").split("\n")


@pytest.mark.requirement("CLI-1")
def test_the_whole_help_is_as_it_is_written_down(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    same("help.txt", "\n".join(f"$ pellucid {' '.join(words)}\n{cli(*words, '--help').out}" for words in helps()))


class Hours(TickingClock):
    """Looks at it are milliseconds, the commands an hour apart."""

    def later(self) -> None:
        self.at = self.at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


@pytest.mark.slow
@pytest.mark.requirement("CLI-1")
def test_what_each_command_answers_and_refuses_is_as_it_is_written_down(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Hours()
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("pellucid.app.SystemClock", lambda: clock)
    examples = Path(__file__).parents[2] / "examples"
    for name in ("specs", "memories", "sessions"):
        (tmp_path / "work" / name).symlink_to(examples / name)
    turn = '{{"role": "user", "content": "{}", "ts": "2026-04-01T10:00:00Z"}}\n'
    (tmp_path / "work" / "turns.jsonl").write_text(
        turn.format("We decided to deploy on Fridays only.") + turn.format("The retry limit is 5.")
    )
    names = {"ASKED": ASKED, "NOWHERE": "No/Where"}
    told = [told_by(cli, clock, line, names) for line in (STORY + WRONG).strip().splitlines() if line]
    same("answers.txt", "\n".join(told))


def told_by(cli: Cli, clock: Hours, line: str, names: dict[str, str]) -> str:
    """A command's exit code, and the names in the JSON that it answers or refuses with; ids are learned by the way."""
    clock.later()
    words = [names.get(word, word) for word in shlex.split(line)]
    said = cli(*words, *(() if "export" in words else ("--json",)), code=None)
    last = (said.out or said.err).strip().rpartition("\n{" if said.out else "\n")[2]
    try:
        answer = json.loads(said.out or last)
    except ValueError:
        return f"$ pellucid {line}\n[{said.code}] {last.partition(': ')[0] if said.code else 'lines'}\n"
    learn(answer, line, names)
    return (
        f"$ pellucid {line}\n[{said.code}] {answer['code'] if said.code == 2 and 'code' in answer else shape(answer)}\n"
    )


def shape(value: object) -> str:
    """The names in a JSON value, each once, however many things a list holds."""
    if isinstance(value, dict):
        named = {str(key) if NAME.fullmatch(str(key)) else "…": shape(each) for key, each in sorted(value.items())}
        return "{" + ", ".join(f"{key}{told if told[:1] in '{[' else ''}" for key, told in named.items()) + "}"
    if isinstance(value, list):
        return f"[{'; '.join(sorted(set(map(shape, value)) - {''}))}]"
    return ""


def learn(answer: dict, line: str, names: dict[str, str]) -> None:
    """The ids that later lines speak of."""
    memory = answer.get("memory", {})
    if line.startswith("remember") and "id" in memory:
        for word, name in (("8080", "OLD"), ("9090", "NEW"), ("ferry", "FERRY")):
            if word in memory["content"]:
                names.setdefault(name, memory["id"])
    if line.startswith("xray") and (results := answer.get("snapshot", {}).get("results")):
        names["ENTRY"] = results[0]["auditEntryId"]
    if line.startswith("episodes list") and answer.get("episodes"):
        names["EPISODE"] = answer["episodes"][0]["episode"]["id"]
