"""Any text in, one line without hidden characters out: line breaks and unseen characters are spelled out."""

import json
import re

from pellucid.language.hidden import UNSHOWN

_UNSEEN = re.compile(f"[\x00-\x1f{UNSHOWN}]")
_UNSEEN_IN_JSON = re.compile(f"[{UNSHOWN}]")


def visible(text: str) -> str:
    r"""Return `text` on one line that encodes to UTF-8, unseen characters spelled out as `\n`, `\x1b` or `\u2028`.

    Spelled out are controls, line breaks, terminal escapes, direction marks, tag characters and lone surrogates.
    Zero-width spaces and joiners, which some scripts need, and backslashes are unchanged.
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def visible_json(document: str) -> str:
    r"""Return a JSON document with unseen characters as `\uXXXX`: equal when parsed, harmless when printed.

    They are those of `visible`, but the line breaks between the values stay.
    """
    return _UNSEEN_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], document)
