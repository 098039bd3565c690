"""A graph file in, whether its bytes are those that were built out: kept in a record beside it.

The record holds the SHA-256 of the bytes as built, and the file's stamp when they were last read whole. While the stamp
is the same, the bytes are not read again: its change time is set by the kernel at every write, and by nobody else.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Literal, cast

from pellucid.encoders import cachefolder

GraphState = Literal["valid", "missing", "unknown", "damaged"]
"""`unknown`: nothing tells what was built, so that it is built again."""


_Stamp = dict[str, int]
"""What no one but the superuser can leave as it was while changing the bytes."""


def record_path(graph: Path) -> Path:
    """The path of the record of a graph."""
    return graph.with_name(f"{graph.name}.built.json")


def write(graph: Path, digest: str) -> None:
    """Record a graph that was just placed, by the SHA-256 of its bytes; call with the folder locked.

    Nothing if it is gone.

    Raises:
        OSError: the record cannot be written.
    """
    stamp = _stamp_of(graph)
    if stamp:
        record = {"sha256": digest, "stamp": stamp}
        cachefolder.place_file(record_path(graph), [json.dumps(record, indent=1).encode()])


def check(graph: Path, *, whole: bool = False) -> GraphState:
    """Whether a graph's bytes are those that were built. They are read if its stamp changed, or if `whole`.

    Where only the stamp changed (a copied file), it is recorded anew, unless `whole`.
    """
    stamp = _stamp_of(graph)
    if stamp is None:
        return "missing"
    digest, seen = _read_record(graph)
    if not digest:
        return "unknown"
    if seen == stamp and not whole:
        return "valid"
    if cachefolder.file_digest(graph) != digest:
        return "damaged"
    if not whole:
        _renew_record(graph, digest, stamp)
    return "valid"


def _renew_record(graph: Path, digest: str, stamp: _Stamp) -> None:
    """Record the stamp of a graph that was found valid, unless another process changed graph or record meanwhile."""
    # where the folder cannot be written, the graph is read whole each time
    with suppress(OSError), cachefolder.hold_lock(graph.parent):
        if _read_record(graph)[0] == digest and _stamp_of(graph) == stamp:
            write(graph, digest)


def _stamp_of(graph: Path) -> _Stamp | None:
    """The stamp of a graph; None if there is no such file."""
    try:
        found = graph.stat()
    except FileNotFoundError:
        return None
    return {
        "device": found.st_dev,
        "inode": found.st_ino,
        "size": found.st_size,
        "modified": found.st_mtime_ns,
        "changed": found.st_ctime_ns,
    }


def _read_record(graph: Path) -> tuple[str, object]:
    """The digest and the stamp of the record; an empty digest where there is none that can be read."""
    try:
        found = cast("object", json.loads(record_path(graph).read_bytes()))
    except (OSError, ValueError):
        return "", None
    record = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return str(record.get("sha256") or ""), record.get("stamp")
