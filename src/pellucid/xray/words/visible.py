"""Any text in, one line that hides nothing out: what breaks lines, moves cursors or stays unseen is spelled out."""

import json
import re

# Zero-width spaces and joiners (U+200B to U+200D) stay: Khmer, Persian, Indic scripts and emoji are written with them.
_HIDDEN = (
    "\x7f-\x9f\xad\u061c\u180e\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_UNSEEN = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_UNSEEN_IN_JSON = re.compile(f"[{_HIDDEN}]")


def visible(text: str) -> str:
    r"""`text` on one line that encodes to UTF-8, what is unseen spelled out as `\n`, `\x1b` or `\u2028`.

    That is: controls, line breaks, terminal escapes, direction marks, tag characters, lone surrogates. Backslashes
    stay as they are.
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def visible_json(document: str) -> str:
    r"""A JSON document with the same characters as `\uXXXX`: equal when parsed, harmless when printed."""
    return _UNSEEN_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], document)
