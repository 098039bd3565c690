"""A snapshot in, its JSON envelope out: the same bytes on every surface."""

import json
from typing import Any

from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.xray.words.visible import visible_json


def render_json(snapshot: RecallXraySnapshot | None, *, one_line: bool = False) -> str:
    """`{"snapshotFound": true, "snapshot": {…}}`, or `{"snapshotFound": false}`, without a final newline.

    Indented, or on `one_line` without blanks. Numbers are exact: parsed again, they are equal. Letters of every script
    stay; unseen characters are `\\uXXXX`.

    Raises:
        ValueError: a number is infinite or not a number, which JSON cannot say.
    """
    layout: dict[str, Any] = {"separators": (",", ":")} if one_line else {"indent": 2}
    return visible_json(json.dumps(envelope(snapshot), ensure_ascii=False, allow_nan=False, **layout))


def envelope(snapshot: RecallXraySnapshot | None) -> dict[str, object]:
    """The JSON envelope of a snapshot as a dict: `snapshotFound`, and `snapshot` where there is one."""
    found = {} if snapshot is None else {"snapshot": snapshot.to_wire()}
    return {"snapshotFound": snapshot is not None, **found}
