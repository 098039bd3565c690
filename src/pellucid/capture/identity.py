"""A turn in, its keyed fingerprint out: how a re-import knows what it has already taken."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from pellucid.capture.report import CaptureReport
from pellucid.model.turn import Turn

BATCH = 500


def turn_key(turn: Turn, secret: bytes, purpose: str) -> bytes:
    """Sixteen bytes that name a turn across imports and say nothing about it to whoever lacks the key.

    A BLAKE2b keyed with `secret` (1–64 bytes, RFC 7693 §2.9) over `purpose` (the namespace and mode it is taken
    for: an import hides a turn neither from another namespace nor from another mode), the session id, the source's own
    id of the turn (its ordinal if it has none), the role and the redacted content; each part is preceded by its length.
    What a program relayed hides nothing of a transcript that a person imports.
    """
    digest = hashlib.blake2b(key=secret, digest_size=16)
    place = f"key:{turn.key}" if turn.key else f"ordinal:{turn.ordinal}"
    place = f"relayed {place}" if turn.relayed else place
    for part in (purpose, turn.session_id, place, turn.role, turn.content):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def unseen(
    turns: Iterable[Turn],
    secret: bytes,
    purpose: Callable[[Turn], str],
    already_seen: Callable[[Iterable[bytes]], set[bytes]],
    report: CaptureReport,
) -> Iterator[tuple[bytes, Turn]]:
    """The turns that were not taken before, each with its key; the others are counted as `already-imported`.

    Args:
        purpose: what a turn is taken for, see `turn_key`.
        already_seen: asked for 500 keys at a time (`Records.already_seen`).
    """
    rest = iter(turns)
    while batch := list(islice(rest, BATCH)):
        keyed = {turn_key(turn, secret, purpose(turn)): turn for turn in batch}
        seen = already_seen(keyed)
        report.dropped["already-imported"] += len(batch) - len(keyed.keys() - seen)
        yield from ((key, turn) for key, turn in keyed.items() if key not in seen)
    if not report.dropped["already-imported"]:
        del report.dropped["already-imported"]
