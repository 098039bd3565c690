"""A graph file in, whether its bytes are those that were built out: kept in a record beside it.

The record holds the SHA-256 of the bytes as built, and the file's stamp when they were last read whole. While the stamp
is the same, the bytes are not read again: its change time is set by the kernel at every write, and by nobody else.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, cast

from pellucid.encoders import cachefolder

GraphState = Literal["valid", "missing", "unknown", "damaged"]
"""`unknown`: nothing tells what was built, so that it is built again."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    """What no one but the superuser can leave as it was while changing the bytes."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


def record_path(graph: Path) -> Path:
    """Where the record of a graph is kept."""
    return graph.with_name(f"{graph.name}.built.json")


def write(graph: Path, digest: str) -> None:
    """Record a graph that was just placed, by the SHA-256 of its bytes; call with the folder locked.

    Raises:
        OSError: the record cannot be written.
    """
    stamp = _stamp_of(graph)
    if stamp:
        record = {"sha256": digest, "stamp": asdict(stamp)}
        cachefolder.place(record_path(graph), [json.dumps(record, indent=1).encode()])


def check(graph: Path, *, whole: bool = False) -> GraphState:
    """Whether a graph's bytes are those that were built. They are read if the stamp changed, or if `whole`.

    A stamp that changed alone (a copied file) is recorded anew, but for `whole`, which changes nothing.
    """
    stamp = _stamp_of(graph)
    if stamp is None:
        return "missing"
    digest, seen = _read_record(graph)
    if not digest:
        return "unknown"
    if seen == asdict(stamp) and not whole:
        return "valid"
    if cachefolder.digest(graph) != digest:
        return "damaged"
    if not whole:
        _renew_record(graph, digest, stamp)
    return "valid"


def _renew_record(graph: Path, digest: str, stamp: _Stamp) -> None:
    # where the folder cannot be written, the graph is read whole each time
    with suppress(OSError), cachefolder.locked(graph.parent):
        if _read_record(graph)[0] == digest and _stamp_of(graph) == stamp:
            write(graph, digest)


def _stamp_of(graph: Path) -> _Stamp | None:
    try:
        found = graph.stat()
    except FileNotFoundError:
        return None
    return _Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read_record(graph: Path) -> tuple[str, object]:
    """The digest and the stamp of the record; an empty digest where there is none that can be read."""
    try:
        found = cast("object", json.loads(record_path(graph).read_bytes()))
    except (OSError, ValueError):
        return "", None
    record = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return str(record.get("sha256") or ""), record.get("stamp")
