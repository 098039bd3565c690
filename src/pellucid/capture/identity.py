"""A turn in, its keyed fingerprint out, by which a re-import recognises the turns it took before."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from pellucid.capture.report import CaptureReport
from pellucid.model.turn import Turn

BATCH = 500


def turn_fingerprint(turn: Turn, secret: bytes, purpose: str) -> bytes:
    """Return a 16-byte keyed hash that identifies a turn across imports, and reveals nothing without the key.

    BLAKE2b keyed with `secret` (1–64 bytes, RFC 7693 §2.9; ValueError for more) over the purpose, the session id, the
    source's own id of the turn (else its ordinal), the role and the redacted content, each preceded by its length. A
    turn with `relayed` set gets another hash than the same turn in an imported transcript. `purpose` is a text for what
    the turn is taken for (namespace and mode of import); for another purpose the turn counts as new. A forgotten turn
    is recognised by another hash, without its words (`memory.erasure.tombstone.evidence_keys`).
    """
    digest = hashlib.blake2b(key=secret, digest_size=16)
    place = f"key:{turn.key}" if turn.key else f"ordinal:{turn.ordinal}"
    place = f"relayed {place}" if turn.relayed else place
    for part in (purpose, turn.session_id, place, turn.role, turn.content):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def new_turns(
    turns: Iterable[Turn],
    secret: bytes,
    purpose: Callable[[Turn], str],
    already_seen: Callable[[Iterable[bytes]], set[bytes]],
    report: CaptureReport,
) -> Iterator[Turn]:
    """Yield the turns that were not imported before, each with its `fingerprint` set; count the others in the report.

    Turns that `already_seen` knows count as `already-imported`; of equal ones within `turns` (a title, the turns of a
    session that was resumed) one is yielded, and the others count as `said-before`. `secret`, and what `purpose`
    returns for a turn, are those of `turn_fingerprint`; `already_seen` gets up to 500 fingerprints, and returns those
    that were imported before.
    """
    rest, met = iter(turns), set[bytes]()
    while batch := list(islice(rest, BATCH)):
        keyed = {turn_fingerprint(turn, secret, purpose(turn)): turn for turn in batch}
        fresh = keyed.keys() - met
        report.drop("said-before", len(batch) - len(fresh))
        met |= fresh
        seen = already_seen(fresh)
        report.drop("already-imported", len(seen))
        yield from (replace(turn, fingerprint=key) for key, turn in keyed.items() if key in fresh and key not in seen)
