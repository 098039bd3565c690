"""A snapshot in, its JSON envelope out: the same bytes on every surface."""

import json
from typing import Any

from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.xray.words.visible import visible_json


def render_json(snapshot: RecallXraySnapshot | None, *, one_line: bool = False) -> str:
    r"""Render `{"snapshotFound": true, "snapshot": {…}}`, or `{"snapshotFound": false}`, without a final newline.

    Indented, or without blanks on `one_line`. Numbers are exact: parsed again, they are equal. Letters of every script
    are unchanged; unseen characters become `\uXXXX`.

    Raises:
        ValueError: a number is infinite or not a number, which JSON cannot say.
    """
    layout: dict[str, Any] = {"separators": (",", ":")} if one_line else {"indent": 2}
    return visible_json(json.dumps(envelope(snapshot), ensure_ascii=False, allow_nan=False, **layout))


def envelope(snapshot: RecallXraySnapshot | None) -> dict[str, object]:
    """Return the JSON envelope of a snapshot as a dict: `snapshotFound`, and `snapshot` unless it is None."""
    found = {} if snapshot is None else {"snapshot": snapshot.to_wire()}
    return {"snapshotFound": snapshot is not None, **found}
