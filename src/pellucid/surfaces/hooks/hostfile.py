"""A program's own file in, the same with a change of ours out: shown, kept beside it, written whole or not at all."""

import difflib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pellucid.errors import ConflictError, InputError
from pellucid.git.checkout import checkout_of
from pellucid.model.wire import Wire

Scope = Literal["user", "project"]


class FileChange(Wire):
    """What became of a file: how it differs from before, and where it is kept as it was without us."""

    path: str
    changed: bool
    written: bool
    diff: str = ""
    backup: str | None = None


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file of a program: where it lies (what a link names is changed, not the link), and its text to the byte.

    `text` is None where there is no such file.
    """

    path: Path
    text: str | None

    @property
    def backup(self) -> Path:
        """Where the file as it was without us is kept."""
        return self.path.with_name(f"{self.path.name}.before-pellucid")

    @property
    def original(self) -> str | None:
        """What the backup says."""
        return _text(self.backup)

    def table(self) -> dict[str, Any]:
        """The JSON object of the file; an empty one where it says nothing.

        Raises:
            InputError: it is something else, which may be somebody's work: nothing is changed.
        """
        return table_of(self.path, self.text)

    def write_json(self, table: dict[str, Any]) -> str:
        """The table as JSON, with the indentation and the line ends that the file has."""
        before = self.text or ""
        inner = next((line for line in before.splitlines()[1:] if line.strip()), "  ")
        indent = inner[: len(inner) - len(inner.lstrip())] or "  "
        ending = "" if before and not before.endswith("\n") else "\n"
        return self.with_line_ends(json.dumps(table, indent=indent, ensure_ascii=False) + ending)

    def with_line_ends(self, text: str) -> str:
        """A text whose lines end as those of the file do."""
        return text.replace("\n", "\r\n") if "\r\n" in (self.text or "") else text


@dataclass(frozen=True, slots=True)
class Edit:
    """A file and what it is to say; nothing, and it goes. `keep`: its text is copied to its backup first."""

    file: HostFile
    after: str | None
    keep: bool = False

    def make(self, *, dry_run: bool) -> FileChange:
        """Write it, unless this is a dry run. A backup goes once the file says again what the backup does.

        Raises:
            ConflictError: somebody else changed the file since it was read.
        """
        file, changed = self.file, self.after != self.file.text
        if changed and not dry_run:
            if self.keep and file.text is not None:
                _replace(file.backup, file.text, 0o600)
            if _text(file.path) != file.text:
                raise ConflictError(f"{file.path} was changed meanwhile", next_step="repeat")
            if self.after is None:
                file.path.unlink()
            else:
                _replace(file.path, self.after, None)
            if not self.keep and self.after == file.original:
                file.backup.unlink(missing_ok=True)
        return FileChange(
            path=str(file.path),
            changed=changed,
            written=changed and not dry_run,
            diff=_diff(file.path, file.text or "", self.after or "") if changed else "",
            backup=str(file.backup) if changed and not dry_run and file.backup.exists() else None,
        )


def host_file(named: str, scope: Scope) -> HostFile:
    """A program's file, where links lead, as long as that is still beneath the user's home or in the project.

    Raises:
        InputError: it leads out of there, or cannot be read.
    """
    root = project_root() if scope == "project" else Path.home()
    path = Path(os.path.realpath(root / named))
    if not path.is_relative_to(os.path.realpath(root)):
        raise InputError(f"{root / named} leads to {path}, outside {root}", next_step="change that file yourself")
    return HostFile(path, _text(path))


def project_root() -> Path:
    """The top of the checkout that the working folder stands in, else that folder."""
    checkout = checkout_of(Path.cwd())
    return checkout.top if checkout else Path.cwd()


def table_of(path: Path, text: str | None) -> dict[str, Any]:
    """See `HostFile.table`."""
    try:
        found: object = json.loads(text) if text and text.strip() else {}
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}", next_step="put it right, then repeat") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} holds no JSON object", next_step="put it right, then repeat")
    return cast("dict[str, Any]", found)


def _text(path: Path) -> str | None:
    """The text of a file; None where there is none."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", next_step="put it right, then repeat") from error


def _diff(path: Path, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), f"{path}", f"{path}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _replace(path: Path, text: str, mode: int | None) -> None:
    """Put a file in place whole, with the mode it had, or that it is to have."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    had = path.stat().st_mode & 0o777 if path.exists() else 0o600
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode or had)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
        draft.chmod(mode or had)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
