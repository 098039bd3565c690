"""The name of a cross-encoder in, its files on this machine out; only `pull` ever fetches them.

A name is a repository of the model hub (`org/name`), a file in one (`org/name/onnx/model_int8.onnx`), or a local folder
or `.onnx` file, written with a leading `/`, `./`, `../` or `~`. A model needs an ONNX graph and a `tokenizer.json`.
"""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pellucid.encoders import cachefolder
from pellucid.encoders.minilm.provision import Report
from pellucid.errors import EncoderError, recorded_step

DEFAULT_MODEL = "BAAI/bge-reranker-v2-m3"
_ELSEWHERE = {DEFAULT_MODEL: "onnx-community/bge-reranker-v2-m3-ONNX"}
"""Maps models whose own repository has no ONNX graph to where the hub's community keeps one."""
_GRAPHS = ("onnx/model.onnx", "model.onnx")
_TOKENIZER = "tokenizer.json"
_TOKENIZER_CONFIG = "tokenizer_config.json"
_LONGEST_TOKENS = 512
"""Tokens of a query and a text together, as rerankers are trained; more costs much and helps little."""
_FROM_HUB = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(/(?P<graph>[\w./-]+\.onnx))?", re.ASCII)
_HUB_SCRIPT = """
import sys
from huggingface_hub import snapshot_download
snapshot_download(sys.argv[1], local_dir=sys.argv[2], allow_patterns=sys.argv[3:])
"""


class MissingModelError(EncoderError):
    """Raised if the model is not on this machine; it can be there the next time."""


@dataclass(frozen=True, slots=True)
class CrossEncoderFiles:
    """The files that a cross-encoder is loaded from; `max_tokens` is the most that a pair can have."""

    graph: Path
    tokenizer: Path
    max_tokens: int


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A model of the hub: its repository, and the graphs in it that will do, best first."""

    repository: str
    graphs: tuple[str, ...]


def is_path_name(model: str) -> bool:
    """Whether a model's name is written as a path (`/`, `./`, `../`, `~` first), not as a repository of the hub.

    The path need not exist.
    """
    return model.startswith(("/", "./", "../", "~"))


def locate(model: str, cache: Path) -> CrossEncoderFiles:
    """Return the files of a model that are on this machine already. `model` is its name: `org/name` for a repository of
    the model hub, `org/name/path.onnx` for a file in one, or a path of a folder or `.onnx` file (`is_path_name`).

    `cache` is the folder of all models; the hub client's own cache is looked into as well. Raises EncoderError if the
    name cannot be one, MissingModelError if it can, but the files are not here.
    """
    if is_path_name(model):
        return _model_at(Path(model).expanduser())
    wanted = _wanted_files(model)
    found = _in_folder(_folder(model, cache), wanted.graphs) or _in_hub_cache(wanted)
    if found is None:
        pull = recorded_step("home.models", action="pull", reranker=True)
        raise MissingModelError(
            f"the cross-encoder {model} is not on this machine",
            next_step=f"run {pull}, or set rerank.model to a local folder with an ONNX graph and {_TOKENIZER}",
        )
    return found


def pull(model: str, cache: Path, report: Report) -> CrossEncoderFiles:
    """Make sure that a model is on this machine, fetching it from the model hub if it is missing; return its files.

    `model` is its name, such as `org/name`, `cache` the folder of all models, `report` is told in a few words what is
    happening. Can be interrupted and resumed. Raises EncoderError if the name cannot be one, the hub does not answer or
    has no such graph, or `cache` cannot be written; MissingModelError for a path without a model, of which nothing is
    fetched.
    """
    try:
        return locate(model, cache)
    except MissingModelError:
        if is_path_name(model):
            raise
    folder = _folder(model, cache)
    try:
        with cachefolder.hold_lock(cache):
            # another process may have brought it while this one waited
            if _in_folder(folder, _wanted_files(model).graphs) is None:
                _fetch(model, folder, report)
    except OSError as error:
        raise EncoderError(f"{cache} cannot be used: {error}", next_step="make room or mend the folder") from error
    return locate(model, cache)


def _fetch(model: str, folder: Path, report: Report) -> None:
    """Fetch a model from the hub into `folder`, in place of what is there. Call with the cache locked.

    Until all of it has arrived, it is kept in a folder beside (`.<name>.part`), where another try goes on; so `folder`
    has all of it or nothing. Raises EncoderError if the hub does not give it, or the repository has none of the wanted
    ONNX graphs with a tokenizer (then the folder beside is removed); OSError if a folder cannot be written."""
    wanted = _wanted_files(model)
    part = folder.with_name(f".{folder.name}.part")
    cachefolder.make_private_folder(part)
    report(f"{model}: asking the model hub for {wanted.repository}")
    # weights too large for one file lie beside the graph, as model.onnx_data or the like
    patterns = [
        _TOKENIZER,
        _TOKENIZER_CONFIG,
        *(f"{graph}{more}" for graph in wanted.graphs for more in ("", "?data*")),
    ]
    arguments = (sys.executable, "-P", "-c", _HUB_SCRIPT, wanted.repository, str(part), *patterns)
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)  # noqa: S603 -- our script, name checked
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = lines[-1] if lines else f"exit code {done.returncode}"
        raise EncoderError(
            f"the model hub did not give {wanted.repository}: {why}",
            next_step="check rerank.model and the network; what has arrived is kept, and a new try goes on from there",
        )
    if _in_folder(part, wanted.graphs) is None:
        shutil.rmtree(part)
        raise EncoderError(
            f"{wanted.repository} has no {' or '.join(wanted.graphs)} with a {_TOKENIZER}",
            next_step="set rerank.model to a repository with an ONNX graph, or name the file: org/name/path.onnx",
        )
    shutil.rmtree(part / ".cache", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    part.replace(folder)
    report(f"{model}: kept in {folder}")


def _wanted_files(model: str) -> _Wanted:
    """Return the repository, and the graphs in it, that the name of a model means on the hub; EncoderError if it cannot
    be such a name. Some models' graphs are in another repository (`_ELSEWHERE`).
    """
    match = _FROM_HUB.fullmatch(model)
    if match is None or ".." in model:
        raise EncoderError(
            f"rerank.model {model!r} is neither a repository of the model hub nor a path",
            next_step="write it like org/name, or as a path with a leading / or ./",
        )
    repository, graph = match["repository"], match["graph"]
    return _Wanted(_ELSEWHERE.get(repository, repository), (graph,) if graph else _GRAPHS)


def _folder(model: str, cache: Path) -> Path:
    """Return the folder of one model among those of all: `org--name` for `org/name`."""
    return cache / model.replace("/", "--")


def _model_at(path: Path) -> CrossEncoderFiles:
    """Return the files of the cross-encoder at a path; MissingModelError if there is no graph with a tokenizer.

    The path is a folder with both, or an `.onnx` file with the tokenizer beside it or in the folder above.
    """
    path = path.absolute()
    if path.suffix == ".onnx":
        # exports keep their graphs in a folder of their own, below the tokenizer
        found = _in_folder(path.parent, (path.name,)) or _in_folder(
            path.parent.parent, (f"{path.parent.name}/{path.name}",)
        )
    else:
        found = _in_folder(path, _GRAPHS)
    if found is None:
        raise MissingModelError(
            f"{path} has no ONNX graph ({' or '.join(_GRAPHS)}) with a {_TOKENIZER}",
            next_step="set rerank.model to a folder that has both",
        )
    return found


def _in_folder(folder: Path, graphs: tuple[str, ...]) -> CrossEncoderFiles | None:
    """Return the first of these graphs that a folder has, with its tokenizer; None if there is no such graph, or no
    tokenizer.
    """
    tokenizer = folder / _TOKENIZER
    graph = next((folder / graph for graph in graphs if (folder / graph).is_file()), None)
    if graph is None or not tokenizer.is_file():
        return None
    return CrossEncoderFiles(graph, tokenizer, _max_tokens(folder / _TOKENIZER_CONFIG))


def _in_hub_cache(wanted: _Wanted) -> CrossEncoderFiles | None:
    """Return the wanted files in the hub client's own cache; None if they are missing, or if the graph keeps its
    weights in files beside it: that cache is made of links, which onnxruntime does not follow.
    """
    from huggingface_hub import try_to_load_from_cache

    tokenizer = try_to_load_from_cache(wanted.repository, _TOKENIZER)
    found = _in_folder(Path(tokenizer).parent, wanted.graphs) if isinstance(tokenizer, str) else None
    # that cache is made of links, and onnxruntime follows none to weights beside the graph
    return None if found and [*found.graph.parent.glob(f"{found.graph.name}?data*")] else found


def _max_tokens(config: Path) -> int:
    """Return the most tokens that a tokenizer's settings file allows, at most 512; also 512 if the file is missing or
    says nothing usable (some exports write 1e30).
    """
    try:
        config_json = cast("object", json.loads(config.read_bytes()))
    except (FileNotFoundError, ValueError):
        return _LONGEST_TOKENS
    max_length = (
        cast("dict[str, object]", config_json).get("model_max_length") if isinstance(config_json, dict) else None
    )
    return max_length if isinstance(max_length, int) and 0 < max_length <= _LONGEST_TOKENS else _LONGEST_TOKENS
