"""A snapshot in, its JSON envelope out: the same bytes on every surface."""

import json

from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.xray.words.visible import visible_json


def render_json(snapshot: RecallXraySnapshot | None) -> str:
    """`{"snapshotFound": true, "snapshot": {…}}`, or `{"snapshotFound": false}`, without a final newline.

    Numbers are exact: parsed again, they are equal. Letters of every script stay; unseen characters are `\\uXXXX`.

    Raises:
        ValueError: a number is infinite or not a number, which JSON cannot say.
    """
    return visible_json(json.dumps(enveloped(snapshot), indent=2, ensure_ascii=False, allow_nan=False))


def render_json_line(snapshot: RecallXraySnapshot) -> str:
    """The same envelope on one line, as short as it can be, without a final newline.

    Raises:
        ValueError: a number is infinite or not a number, which JSON cannot say.
    """
    return visible_json(json.dumps(enveloped(snapshot), separators=(",", ":"), ensure_ascii=False, allow_nan=False))


def enveloped(snapshot: RecallXraySnapshot | None) -> dict[str, object]:
    """The same envelope as a value: whether there is a snapshot, and the snapshot."""
    found = {} if snapshot is None else {"snapshot": snapshot.to_wire()}
    return {"snapshotFound": snapshot is not None, **found}
