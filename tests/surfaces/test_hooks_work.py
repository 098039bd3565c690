"""A home and no extra `server` in, transcripts read and the user told once out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid.settings import Settings
from pellucid.settings.sections import HookSettings
from pellucid.store.local.hooked import HookedSessions
from pellucid.surfaces.hooks import work as working
from pellucid.surfaces.hooks.install import CLIENT

SESSION = "5f0c7d6e-1111-4222-8333-944455556666"


@pytest.mark.slow
def test_without_the_extra_transcripts_are_read_until_nobody_tells_of_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_cache: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setattr(working, "has_server", lambda: False)
    transcript = tmp_path / "user" / ".claude" / "projects" / "x" / f"{SESSION}.jsonl"
    transcript.parent.mkdir(parents=True)
    said = {
        "type": "user",
        "uuid": "u-1",
        "sessionId": SESSION,
        "timestamp": "2026-04-20T17:00:00.000Z",
        "message": {"role": "user", "content": "We decided that the quay is kept for the ferry, because it is deep."},
    }
    transcript.write_text(json.dumps(said) + "\n")
    home = tmp_path / "home"
    (home / "hooks" / "waiting").mkdir(parents=True, mode=0o700)
    (home / "models").symlink_to(model_cache.parent)
    event = {"hook_event_name": "SessionEnd", "session_id": SESSION, "transcript_path": str(transcript)}
    word = {"host": "claude-code", "event": event}
    (home / "hooks" / "waiting" / f"claude-code_{SESSION}.json").write_text(json.dumps(word))

    asked = 0

    def nobody_tells_of_more(sessions: HookedSessions, *_: object) -> bool:
        nonlocal asked
        asked += 1
        return not any(each.offset == transcript.stat().st_size for each in sessions.known()) and asked < 100

    monkeypatch.setattr(working, "is_active", nobody_tells_of_more)
    working.work(Settings(home=home, namespace="local/default", hooks=HookSettings(idle_minutes=1)))
    assert "quay is kept" in "".join(path.read_text() for path in (home / "vault").rglob("*.md"))
    command = [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "--home", str(home)]
    (home / "hooks" / "start.lock").mkdir()  # nothing can be started
    said = json.dumps(event).encode()
    told = [subprocess.run(command, input=said, capture_output=True, check=True, timeout=20).stdout for _ in range(2)]
    assert "pellucid[server]" in json.loads(told[0])["systemMessage"]
    assert told[1] == b""
