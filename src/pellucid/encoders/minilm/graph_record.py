"""A graph file in, whether its bytes are those that were built out: by a record beside it.

The record contains the SHA-256 of the bytes as built, and the file's stamp when the file was last read whole. While the
stamp is the same, the bytes are not read again: the kernel sets the change time in it at every write, and nobody else
can.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Literal, cast

from pellucid.encoders import cachefolder

GraphState = Literal["valid", "missing", "unknown", "damaged"]
"""`unknown`: no record says what was built, so the graph is built again."""


_Stamp = dict[str, int]
"""Numbers of a file that only the superuser can keep the same while changing the bytes."""


def record_path(graph: Path) -> Path:
    """Return the path of the record of a graph: beside it, `<its file name>.built.json`."""
    return graph.with_name(f"{graph.name}.built.json")


def write(graph: Path, digest: str) -> None:
    """Write the record of a graph file that was just placed, over an older one; call with the folder locked.

    `digest` is the SHA-256 of the graph's bytes. Writes nothing if the graph is gone. Raises OSError if the record
    cannot be written.
    """
    stamp = _stamp_of(graph)
    if stamp:
        record = {"sha256": digest, "stamp": stamp}
        cachefolder.place_file(record_path(graph), [json.dumps(record, indent=1).encode()])


def check(graph: Path, *, whole: bool = False) -> GraphState:
    """Return the state of a graph: `valid` if its bytes are those that were built, `damaged` if others, `missing`, or
    `unknown` without a readable record.

    The bytes are read only with `whole`, or if the file's stamp (inode, size and times, see `_stamp_of`) is not that of
    the record. If the bytes prove right then (a copied file), the new stamp is recorded, unless `whole`.
    """
    stamp = _stamp_of(graph)
    if stamp is None:
        return "missing"
    digest, recorded_stamp = _read_record(graph)
    if not digest:
        return "unknown"
    if recorded_stamp == stamp and not whole:
        return "valid"
    if cachefolder.file_digest(graph) != digest:
        return "damaged"
    if not whole:
        _renew_record(graph, digest, stamp)
    return "valid"


def _renew_record(graph: Path, digest: str, stamp: _Stamp) -> None:
    """Record `stamp` as that of a graph that was found valid, with the folder locked. Do nothing if another process
    changed the graph or its recorded `digest` meanwhile, or if the folder cannot be written.
    """
    # where the folder cannot be written, the graph is read whole each time
    with suppress(OSError), cachefolder.hold_lock(graph.parent):
        if _read_record(graph)[0] == digest and _stamp_of(graph) == stamp:
            write(graph, digest)


def _stamp_of(graph: Path) -> _Stamp | None:
    """Return the device, inode, size and times of modification and change of a graph's file; None if it is missing."""
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
    """Return the SHA-256 and the stamp of a graph's record; "" and None if there is no readable record."""
    try:
        found = cast("object", json.loads(record_path(graph).read_bytes()))
    except (OSError, ValueError):
        return "", None
    record = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return str(record.get("sha256") or ""), record.get("stamp")
