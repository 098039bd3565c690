"""A configuration file of an agent's program in, the same with our change out: shown, backed up, written."""

import difflib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pellucid.errors import ConflictError, InputError
from pellucid.git.checkout import checkout_of
from pellucid.model.wire import Wire
from pellucid.store.local.database import os_errors_explained

Scope = Literal["user", "project"]


class FileChange(Wire):
    """The change of one file: its unified diff, whether it was written, and the path of the backup."""

    path: str
    changed: bool
    written: bool
    diff: str = ""
    backup: str | None = None


@dataclass(frozen=True, slots=True)
class HostFile:
    """A configuration file of an agent's program: its path with links resolved, and its text (None: no file)."""

    path: Path
    text: str | None

    @property
    def backup(self) -> Path:
        """The path of the backup: the file as it was before our change."""
        return self.path.with_name(f"{self.path.name}.before-pellucid")

    @property
    def original(self) -> str | None:
        """The text of the backup; None if there is none. `InputError` if it cannot be read."""
        return _read_text(self.backup)

    def table(self) -> dict[str, Any]:
        """Return the JSON object in the file, empty if the file is empty or missing; `InputError` if it has anything
        else.
        """
        return parse_object(self.path, self.text)

    def json_text(self, table: dict[str, Any]) -> str:
        """Return the table as JSON in the style of the file's present text: its line ends, its last newline, and the
        indentation of the first line with text below its first line. Two spaces if that line has none; for a new file
        two spaces and LF.
        """
        old_text = self.text or ""
        second_line = next((line for line in old_text.splitlines()[1:] if line.strip()), "  ")
        indent = second_line[: len(second_line) - len(second_line.lstrip())] or "  "
        ending = "" if old_text and not old_text.endswith("\n") else "\n"
        return self.with_line_ends(json.dumps(table, indent=indent, ensure_ascii=False) + ending)

    def with_line_ends(self, text: str) -> str:
        """Return the text, whose lines end in LF, with CRLF instead if the file has CRLF."""
        return text.replace("\n", "\r\n") if "\r\n" in (self.text or "") else text


@dataclass(frozen=True, slots=True)
class Edit:
    """A file and its new text; None deletes it. With `keep` the present text is copied to the backup first."""

    file: HostFile
    after: str | None
    keep: bool = False

    def make(self, *, dry_run: bool) -> FileChange:
        """Write or delete the file and report the change; in a dry run only report it.

        Nothing is done if the text is the same. With `keep`, the present text is copied to the backup first; without
        it, a backup that the new text equals is deleted. `ConflictError` if the file was changed since it was read,
        `StoreError` if it or its backup cannot be written.
        """
        file, is_change = self.file, self.after != self.file.text
        if is_change and not dry_run:
            if _read_text(file.path) != file.text:
                raise ConflictError(f"{file.path} was changed meanwhile", next_step="repeat")
            if self.keep and file.text is not None:
                _replace(file.backup, file.text, 0o600)
            if self.after is None:
                _delete(file.path)
            else:
                _replace(file.path, self.after, None)
            if not self.keep and self.after == file.original:
                _delete(file.backup)
        return FileChange(
            path=str(file.path),
            changed=is_change,
            written=is_change and not dry_run,
            diff=_diff(file.path, file.text or "", self.after or "") if is_change else "",
            backup=str(file.backup) if is_change and not dry_run and file.backup.exists() else None,
        )


def host_file(relative: str, scope: Scope) -> HostFile:
    """Return the file of this path below the user's home or, for the scope `project`, below the project's folder; its
    text is None if there is no file. `InputError` if a link leads out of that folder, or the file cannot be read.
    """
    root = project_root() if scope == "project" else Path.home()
    path = Path(os.path.realpath(root / relative))
    if not path.is_relative_to(os.path.realpath(root)):
        raise InputError(f"{root / relative} leads to {path}, outside {root}", next_step="change that file yourself")
    return HostFile(path, _read_text(path))


def project_root() -> Path:
    """Return the top folder of the git checkout around the working folder; the working folder if there is none."""
    checkout = checkout_of(Path.cwd())
    return checkout.top if checkout else Path.cwd()


def parse_object(path: Path, text: str | None) -> dict[str, Any]:
    """Return a file's text as a JSON object, empty if there is no text or only whitespace. `InputError`, which names
    `path`, if the text is anything but a JSON object.
    """
    try:
        value: object = json.loads(text) if text and text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {error}", next_step="put it right, then repeat") from error
    if not isinstance(value, dict):
        raise InputError(f"{path} holds no JSON object", next_step="put it right, then repeat")
    return cast("dict[str, Any]", value)


def _read_text(path: Path) -> str | None:
    """Return the UTF-8 text of a file, None if it is missing; `InputError` if it cannot be read or decoded."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", next_step="put it right, then repeat") from error


def _diff(path: Path, before: str, after: str) -> str:
    """Return the unified diff of two texts of a file; "" if they are the same."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), f"{path}", f"{path}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _replace(path: Path, text: str, mode: int | None) -> None:
    """Write a file as a whole, by renaming a draft; make its folder if it is missing. If `mode` is None, the file's own
    mode is kept, or 0600 if the file is new. `StoreError` if it cannot be written.
    """
    with os_errors_explained(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        own_mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode or own_mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
            draft.chmod(mode or own_mode)
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)


def _delete(path: Path) -> None:
    """Delete a file, if there is one; `StoreError` if it cannot be deleted."""
    with os_errors_explained(path):
        path.unlink(missing_ok=True)
