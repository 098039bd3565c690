"""A spool's path and the name of a session in, its turns spooled one by one and told on standard output out."""

import hashlib
import os
import sys
from pathlib import Path

from pellucid.model.turn import Turn
from pellucid.store.local.spool import LocalSpool
from pellucid.store.spool_port import SpooledTurn

SPACE = "local/default"


def turn(session: str, ordinal: int, content: str = "") -> SpooledTurn:
    """A turn whose key is made of its session and number."""
    key = hashlib.sha256(f"{session}:{ordinal}".encode()).digest()[:16]
    words = content or f"{session} says {ordinal}"
    return SpooledTurn(Turn(session, ordinal, "user", words, fingerprint=key), 1_000 + ordinal)


def main(path: str, session: str, count: str) -> None:
    spool = LocalSpool(Path(path))
    for ordinal in range(1, int(count) + 1):
        new = spool.append(SPACE, [turn(session, ordinal)])
        os.write(1, f"{ordinal} {new}\n".encode())
    spool.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
