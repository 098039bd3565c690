"""A data set in, a place for its home out: deleted after it is measured, or kept for the next time.

A kept home is reused only if the same code, settings and records would make it again.
"""

import json
import shutil
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, cast

from pellucid.app import App, open_app
from pellucid.errors import InputError, StoreError, field_name
from pellucid.settings import Settings
from pellucid.store.local.lock import exclusive

OURS = ".pellucid-lab"
"""The file that marks a folder of kept imports: the lab writes into no other folder."""
_MADE = "imported.json"
_AFTERWARDS = ("recall", "xray", "lab", "surfaces", "settings")
"""Rooms whose code no import runs; the values of settings count by themselves."""
Report = Callable[[str], None]


@dataclass(slots=True)
class KeptHome:
    """A folder for an imported home; `sign` identifies what it is made of; `at` is None until the import is done."""

    folder: Path
    sign: str
    seconds: float = 0.0
    size: int = 0
    at: datetime | None = None

    def make_once(self, work: Callable[[], None]) -> None:
        """Run the import `work` unless it was done (`at` is set); then set `seconds`, `size` (bytes of the home) and
        `at` (UTC), and record them in the folder. If `work` raises, nothing is recorded.
        """
        if self.at is not None:
            return
        begun = perf_counter()
        work()
        self.seconds, self.at = perf_counter() - begun, datetime.now(UTC)
        self.size = sum(path.stat().st_size for path in (self.folder / "home").rglob("*") if path.is_file())
        made = {"sign": self.sign, "seconds": self.seconds, "size": self.size, "at": self.at.isoformat()}
        write(self.folder / _MADE, made)

    @contextmanager
    def home(self, settings: Settings, report: Report, **changed: object) -> Generator[App]:
        """Open the home in the folder for the block, and close it afterwards.

        Its settings are `settings` with the fields `changed` replaced, unchecked; its models are those of the home that
        `settings` names. `report` gets lines for the user.
        """
        inside = settings.model_copy(update={"home": self.folder / "home", **changed})
        app = open_app(inside, models=settings.home / "models", report=report)
        try:
            yield app
        finally:
            app.close()


@contextmanager
def place_for(
    keep: Path | None, name: str, settings: Settings, made_of: Iterable[object], report: Report
) -> Generator[KeptHome]:
    """Yield the place for a set's home: under this name in `keep`, or if that is None in a temporary folder, which is
    deleted after the block.

    `made_of` is hashed (by `repr`) with the code and settings that an import depends on: a kept home with another hash,
    or unfinished, is deleted first; `report` gets a line about either. Raises InputError if `keep` has foreign files or
    is read-only, StoreError if another run is using this name in it.
    """
    if keep is None:
        with TemporaryDirectory(prefix="pellucid-lab-") as folder:
            yield KeptHome(Path(folder).resolve(), "")
        return
    used = settings.model_dump_json(exclude={"home", "namespace", "recall", "history"})
    folder, sign = prepare_kept_folder(keep) / name, signature(used, code_hash(without=_AFTERWARDS), *made_of)
    with exclusive(keep / f"{name}.lock", 0) as is_locked:
        if not is_locked:
            raise StoreError(f"another run is at work in {folder}", next_step="wait for it, or name another folder")
        record = read(folder / _MADE)
        if record.get("sign") == sign:
            report(f"{name}: the import of {record['at']:.16} is still good")
            yield KeptHome(folder, sign, record["seconds"], record["size"], datetime.fromisoformat(record["at"]))
            return
        if folder.exists():
            report(f"{name}: what was kept is not finished, or of other code, settings or records: importing again")
            shutil.rmtree(folder)
        folder.mkdir()
        yield KeptHome(folder, sign)


def prepare_kept_folder(keep: Path) -> Path:
    """Create the folder of kept imports if it is missing, mark it as the lab's, and return its absolute path.

    Raises InputError if it is no folder, has files but not the lab's mark (`OURS`), or is read-only.
    """
    keep = keep.resolve()
    if keep.exists() and (not keep.is_dir() or (any(keep.iterdir()) and not (keep / OURS).is_file())):
        raise InputError(
            f"{field_name('keep')} {keep} holds something that is not the lab's",
            code="invalid_keep",
            next_step="name a folder that is new or empty, or one that the lab made",
        )
    try:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / OURS).touch()
    except OSError as error:
        raise InputError(
            f"{field_name('keep')} {keep} cannot be written: {error.strerror}",
            code="invalid_keep",
            next_step="name a folder that can",
        ) from error
    return keep


def signature(*parts: object) -> str:
    """Return a hash over the `repr` of these parts in their order, 24 hexadecimal digits."""
    digest = sha256()
    for part in parts:
        digest.update(repr(part).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:24]


@cache
def code_hash(without: Collection[str] = ()) -> str:
    """Return a hash over the program's own files, without the top packages named in `without`, such as `recall`. It is
    computed once a process for each `without`, which must be hashable."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    named = ((path.relative_to(root), path) for path in files)
    return signature(*((str(name), path.read_bytes()) for name, path in named if name.parts[0] not in without))


def read(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file that the lab wrote; empty if the file is missing or damaged, OSError if it cannot
    be read for another reason.
    """
    try:
        value: object = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def write(path: Path, value: object) -> None:
    """Write a value to a file as JSON, whole or not at all, by way of a file beside it with the suffix `.part`."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value), "utf-8")
    part.replace(path)
