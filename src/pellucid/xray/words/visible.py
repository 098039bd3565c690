"""Any text in, one line that hides nothing out: what breaks lines, moves cursors or stays unseen is spelled out."""

import json
import re

from pellucid.language.hidden import UNSHOWN

_UNSEEN = re.compile(f"[\x00-\x1f{UNSHOWN}]")
_UNSEEN_IN_JSON = re.compile(f"[{UNSHOWN}]")


def visible(text: str) -> str:
    r"""`text` on one line that encodes to UTF-8, what is unseen spelled out as `\n`, `\x1b` or `\u2028`.

    That is: controls, line breaks, terminal escapes, direction marks, tag characters, lone surrogates. Backslashes
    stay as they are.
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def visible_json(document: str) -> str:
    r"""A JSON document with the same characters as `\uXXXX`: equal when parsed, harmless when printed."""
    return _UNSEEN_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], document)
