"""A cache folder in, a runnable MiniLM graph out; fetches the weights and builds the graph if they are missing.

A graph is run only if its bytes are those that were built (`graph_record`); any other is built again from the weights.
A session runs on the caller's thread alone. Several callers can run it at once, which is how many texts share the
processors: no thread ever waits, or spins, for another in the middle of a text.
"""

# onnxruntime carries no types; what leaves this module is typed by Session
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false

from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from pellucid.encoders import cachefolder
from pellucid.encoders.minilm import graph_record
from pellucid.encoders.minilm.provision import MODEL_NAME, WEIGHTS_SHA256, Report, provision
from pellucid.encoders.port import Vector
from pellucid.errors import EncoderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

Variant = Literal["int8", "float"]
BUILDER = "v2"
"""Raised whenever `graph` builds other numbers; part of the model's name, so that old vectors are told apart."""


class _UnusableError(EncoderError):
    """The graph in the cache is missing, damaged, or of another builder."""

    def __init__(self, message: str) -> None:
        super().__init__(message, next_step="check the disk and the version of onnxruntime")


class Session:
    """One graph, loaded."""

    def __init__(self, cache: Path, variant: Variant, report: Report | None = None) -> None:
        """Load the graph of `cache`, building it first if it is missing, of another builder, or not as it was built.

        `report` is told of a build and what is fetched for it, and of a graph that was changed.

        Raises:
            EncoderError: the weights could not be had, or the graph built from them cannot be written or loaded.
        """
        path = graph_path(cache, variant)
        try:
            _verify_graph(path, report)
            self._session = _open_graph(path, variant)
        except _UnusableError:
            _build_graph(path, variant, report)
            self._session = _open_graph(path, variant)

    def states(self, ids: "NDArray[np.int64]") -> Vector:
        """Return the last hidden state of every token: ids (batch, length) to float32 (batch, length, 384).

        Safe between threads.
        """
        return cast("Vector", self._session.run(["states"], {"ids": ids})[0])


def graph_path(cache: Path, variant: Variant) -> Path:
    """Return the path of a variant's graph in a cache folder."""
    return cache / f"minilm-{variant}-{BUILDER}.onnx"


def _stamp(variant: Variant) -> dict[str, str]:
    """Return the metadata by which a graph names its origin: `variant`, `builder` (its version) and `weights` (their
    SHA-256).
    """
    return {"variant": variant, "builder": BUILDER, "weights": WEIGHTS_SHA256}


def _verify_graph(path: Path, report: Report | None) -> None:
    """Raise _UnusableError for a graph that is missing, or whose bytes are not known to be those that were built; tell
    `report` of a damaged one.
    """
    state = graph_record.check(path)
    if state == "damaged" and report:
        report(f"{MODEL_NAME}: {path.name} was changed after it was built; it is not used")
    if state != "valid":
        raise _UnusableError(f"{path} is {state}")


def _open_graph(path: Path, variant: Variant) -> "InferenceSession":
    """Return a session of the graph at `path`.

    Raises _UnusableError if it does not load, or is of another variant, version or weights.
    """
    from pellucid.encoders.onnx import onnxruntime_state as runtime
    from pellucid.encoders.onnx import open_session

    unusable = (
        runtime.NoSuchFile,
        runtime.InvalidProtobuf,
        runtime.InvalidArgument,
        runtime.InvalidGraph,
        runtime.NotImplemented,
        runtime.RuntimeException,
        runtime.Fail,
    )
    try:
        session = open_session(path, log_severity=3)
    except unusable as error:
        raise _UnusableError(f"{path} does not load: {error}") from error
    if session.get_modelmeta().custom_metadata_map != _stamp(variant):
        raise _UnusableError(f"{path} was built by another version or from other weights")
    return session


def _build_graph(path: Path, variant: Variant, report: Report | None) -> None:
    """Build a variant's graph from the weights, which are fetched if they are missing, and write it to `path`, with its
    record, over what was there.

    `report` is told of it. Raises EncoderError if the weights could not be had, or the file could not be written.
    """
    from pellucid.encoders.minilm import graph

    files = provision(path.parent, report)
    if report:
        report(f"{MODEL_NAME}: building {path.name}")
    data = graph.build(files.weights, variant, _stamp(variant))
    try:
        with cachefolder.hold_lock(path.parent):
            graph_record.write(path, cachefolder.place_file(path, [data]))
    except OSError as error:
        raise EncoderError(f"{path} could not be written: {error}", next_step="make room or mend the folder") from error
