"""A data set in, a place for its home out: gone when it is measured, or kept for the next time.

What is kept is found again only if it would be made again just so: by the same code, settings and records.
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
"""The file by which a folder of kept imports is known: no other folder is written into."""
_MADE = "imported.json"
_AFTERWARDS = ("recall", "xray", "lab", "surfaces", "settings")
"""Rooms whose code no import runs; what settings say counts by itself."""
Report = Callable[[str], None]


@dataclass(slots=True)
class KeptHome:
    """A folder for a home and what it is made of; if it is made, when, in how many seconds, and its bytes."""

    folder: Path
    sign: str
    seconds: float = 0.0
    size: int = 0
    at: datetime | None = None

    def make(self, work: Callable[[], None]) -> None:
        """Do what makes the home, and note that it is made."""
        begun = perf_counter()
        work()
        self.seconds, self.at = perf_counter() - begun, datetime.now(UTC)
        self.size = sum(path.stat().st_size for path in (self.folder / "home").rglob("*") if path.is_file())
        made = {"sign": self.sign, "seconds": self.seconds, "size": self.size, "at": self.at.isoformat()}
        write(self.folder / _MADE, made)

    @contextmanager
    def home(self, settings: Settings, report: Report, **changed: object) -> Generator[App]:
        """The home there, opened; the model's files stay where they are."""
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
    """Where the home of a set stands: in `keep`, under this name; or in a folder that is gone afterwards.

    A kept home that was not made to its end, or of something else (other records, settings or code), is made anew.

    Raises:
        InputError: `keep` holds something that is not the lab's.
        StoreError: another run of the lab is at work there.
    """
    if keep is None:
        with TemporaryDirectory(prefix="pellucid-lab-") as folder:
            yield KeptHome(Path(folder).resolve(), "")
        return
    folder, sign = ours(keep) / name, signature(_importing(settings), code(without=_AFTERWARDS), *made_of)
    with exclusive(keep / f"{name}.lock", 0) as held:
        if not held:
            raise StoreError(f"another run is at work in {folder}", next_step="wait for it, or name another folder")
        found = read(folder / _MADE)
        if found.get("sign") == sign:
            report(f"{name}: the import of {found['at']:.16} is still good")
            yield KeptHome(folder, sign, found["seconds"], found["size"], datetime.fromisoformat(found["at"]))
            return
        if folder.exists():
            report(f"{name}: what was kept is not finished, or of other code, settings or records: importing again")
            shutil.rmtree(folder)
        folder.mkdir()
        yield KeptHome(folder, sign)


def ours(keep: Path) -> Path:
    """The folder of kept imports, made if it is not there.

    Raises:
        InputError: it holds something else, or cannot be written.
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
    """A short name of all these together: other parts, another name."""
    digest = sha256()
    for part in parts:
        digest.update(repr(part).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:24]


@cache
def code(without: Collection[str] = ()) -> str:
    """A short name of the program's own files, some rooms left out."""
    root = Path(__file__).parents[1]
    files = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    named = ((path.relative_to(root), path) for path in files)
    return signature(*((str(name), path.read_bytes()) for name, path in named if name.parts[0] not in without))


def read(path: Path) -> dict[str, Any]:
    """The object of a file that the lab wrote; empty where there is none, or one that is no such file."""
    try:
        found: object = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def write(path: Path, value: object) -> None:
    """Write an object to a file, whole or not at all."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(value), "utf-8")
    beside.replace(path)


def _importing(settings: Settings) -> str:
    return settings.model_dump_json(exclude={"home", "namespace", "recall", "history"})
