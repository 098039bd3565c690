"""A path that a person gave in, the one file meant out, and the rows of its lines."""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pellucid.errors import InputError, field_name


def find(path: Path, pattern: str) -> Path:
    """Return `path` if it is a file, whatever its name, else the first match of the glob `pattern` in that folder or
    one folder below (the one that sorts first). Raises InputError if there is no match.
    """
    if path.is_file():
        return path
    if not (found := first_match(path, pattern)):
        raise _unfit(f"{field_name('data')} {path} holds no {pattern}")
    return found


def first_match(path: Path, pattern: str) -> Path | None:
    """Return the match of a glob pattern in a folder or one folder below that sorts first; None if there is none."""
    return min([*path.glob(pattern), *path.glob(f"*/{pattern}")], default=None)


def rows(path: Path, fields: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of a `.jsonl` or `.jsonl.xz` file, the JSON value of each line, in order.

    Raises InputError for a line that is no JSON (also a blank one), or lacks one of these fields; OSError if the file
    cannot be read, LZMAError or EOFError if an `.xz` file is damaged.
    """
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                missing = next((name for name in fields if name not in row), None)
            except (json.JSONDecodeError, TypeError) as error:
                raise _unfit(f"{path.name}:{number} holds no row: {error}") from error
            if missing:
                raise _unfit(f"{path.name}:{number} has no {missing!r}")
            yield row


def _unfit(message: str) -> InputError:
    """Return the error for data that has not the expected form: `message` says what is wrong, the next step is to name
    the folder of the data set."""
    return InputError(message, code="invalid_data", next_step="name the folder of the data set")
