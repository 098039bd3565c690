"""Files in, a real repository with commits of them out; and the history that is read of one."""

import os
import subprocess
from pathlib import Path

from pellucid.git.history import FileHistory, header_history
from pellucid.git.program import open_repository

JAN, FEB, MAR, APR, MAY = (f"2024-0{month}-01T00:00:00Z" for month in range(1, 6))


class Git:
    def __init__(self, top: Path) -> None:
        self.top = top
        self.run("init", "-q", "-b", "main")

    def run(self, *words: str, at: str = JAN) -> str:
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
        environment = {
            "PATH": os.defpath,
            "HOME": str(self.top),
            "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
            "GIT_COMMITTER_DATE": at,
        }
        command = ["git", *who, *words]
        return subprocess.run(
            command, cwd=self.top, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, at: str, files: dict[str, str | None]) -> str:
        for name, text in files.items():
            if text is None:
                (self.top / name).unlink()
            else:
                (self.top / name).parent.mkdir(parents=True, exist_ok=True)
                (self.top / name).write_text(text, "utf-8")
        self.run("add", "-A")
        self.run("commit", "-q", "--allow-empty", "-m", "x", at=at)
        return self.run("rev-parse", "HEAD")


def header(path: str, data: bytes) -> tuple[str, dict[str, str]] | None:
    """The first line as a status, of the path or of what a second line `is …` names; a file of rubbish has none."""
    first, *more = data.decode().split("\n")
    names = [line.removeprefix("is ") for line in more[:1] if line.startswith("is ")]
    return None if first == "rubbish" else ((names or [path])[0], {"status": first})


def told(git: Git, *paths: str) -> dict[str, FileHistory]:
    return {each.path: each for each in header_history(open_repository(git.top), paths, header)}


def states(history: FileHistory) -> list[tuple[str, str | None]]:
    return [(f"{each.at:%Y-%m-%d}", each.values["status"] if each.values else None) for each in history.versions]
