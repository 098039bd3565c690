"""A stream and flags in; what `pellucid observe` answers, and what it leaves in the home, out."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.cli import Cli, Said

TTL = "The quote cache TTL is 300 seconds"


Observe = Callable[..., Said]


def lines(*texts: str, **more: object) -> str:
    return "".join(json.dumps({"role": "user", "content": text, **more}) + "\n" for text in texts)


@pytest.fixture
def observe(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Observe:
    """Runs `pellucid observe` in this process, with these bytes on standard input."""

    def run(*arguments: str, given: str = "", code: int = 0) -> Said:
        (tmp_path / "stdin").write_text(given, "utf-8")
        with (tmp_path / "stdin").open() as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            return cli("observe", *arguments, code=code)

    return run


def test_a_stream_is_spooled_shown_and_flushed_at_its_end(observe: Observe) -> None:
    spooled = observe("--session", "s1", given=lines("hello", TTL))
    assert "read 2 turns; spooled 2 new ones to local/default" in spooled.out
    assert "waiting in local/default: s1, 2 turns since" in spooled.out
    assert "waiting in local/default: s1, 2 turns" in observe("--status").out

    ended = observe("--session", "s1", "--flush", "session_end")

    assert "flushed s1 on session_end: 2 turns became 1 memory\n" in ended.out
    assert observe("--status").out == "nothing waits in any project\n"


@pytest.mark.requirement("CLI-1")
def test_json_is_one_document_with_everything_counted(observe: Observe) -> None:
    given = lines("hello", id="a") + "{broken\n" + lines("hello", id="a") + lines(f"{TTL}. From now on, too.", id="b")
    said = observe("--json", given=given).json

    assert (said["turnsRead"], said["turnsSpooled"], said["malformed"]) == (3, 2, 1)
    assert said["problems"] == ["line 2: not valid JSON"]
    assert said["dropped"] == {"already-observed": 1}
    assert [(each["sessionId"], each["signal"], each["turns"]) for each in said["flushes"]] == [
        ("default", "high_signal", 2)
    ]
    assert said["flushes"][0]["memories"] == len(said["flushes"][0]["memoryIds"]) >= 1
    assert said["backlog"] == []
    assert observe("--status", "--json").json == {
        "namespace": "local/default",
        "turns": 0,
        "backlog": [],
        "everywhere": True,
    }


def test_a_file_is_read_and_an_agent_named(observe: Observe, tmp_path: Path) -> None:
    Path("turns.jsonl").write_text(lines("hello", TTL, session="f"), "utf-8")
    said = observe("turns.jsonl", "--agent", "scout", "--flush", "before_reset", "--json").json
    assert [(each["sessionId"], each["signal"]) for each in said["flushes"]] == [("f", "before_reset")]
    (memory,) = (tmp_path / "home" / "vault" / "facts").rglob("*.md")
    assert "agent: scout" in memory.read_text("utf-8")


def test_flushing_what_is_due_reads_nothing(observe: Observe) -> None:
    observe("--session", "s", given=lines("hello"))
    said = observe("--flush-due", "--json", given=lines("never read")).json
    assert (said["turnsRead"], [each["turns"] for each in said["backlog"]]) == (0, [1])


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--flush", "now"), "--flush expects one of before_reset, session_end; got"),
        (("--format", "plain-text"), "line by line"),
        (("--format", "morse"), "--format expects"),
        (("gone.jsonl",), "gone.jsonl cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said(observe: Observe, arguments: tuple[str, ...], problem: str) -> None:
    assert problem in observe(*arguments, code=2).err


def test_a_line_is_acknowledged_before_the_next_one_is_sent(tmp_path: Path) -> None:
    program = "from pellucid.surfaces.cli import main; main()"
    command = [sys.executable, "-c", program, "observe", "--home", str(tmp_path / "home"), "--session", "s"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        for number in range(1, 4):
            child.stdin.write(lines(f"part {number} is here"))
            child.stdin.flush()
            while _spooled(tmp_path / "home") < number:
                assert child.poll() is None
        child.kill()
    status = subprocess.run(
        [sys.executable, "-c", program, "observe", "--home", str(tmp_path / "home"), "--status", "--json"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(status.stdout)["turns"] == 3


def _spooled(home: Path) -> int:
    """How many turns wait, read from the file as any other process would."""
    from pellucid.store.local.spool import LocalSpool

    if not (home / "spool.db").exists():
        return 0
    spool = LocalSpool(home / "spool.db")
    try:
        return len(spool.held("local/default", "s"))
    finally:
        spool.close()
