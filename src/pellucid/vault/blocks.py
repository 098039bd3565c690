"""Texts in, safe parts of a vault file out: file names for people, and lines that cannot pass for a marker of ours."""

import json
import re
import unicodedata
from collections.abc import Callable, Collection
from typing import TypeVar, cast

from pydantic import BaseModel

from pellucid.errors import ConflictError, InputError

Block = TypeVar("Block", bound=BaseModel)
_SLUG_BYTES = 48
_LOOKALIKE = re.compile(r"^(\\*)(<!-- pellucid:)", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*<!-- pellucid:)", re.MULTILINE)


def escaped(text: str) -> str:
    """Return the text with a backslash put before each line that begins like one of our markers, `<!-- pellucid:`, with
    or without backslashes before that.
    """
    return _LOOKALIKE.sub(r"\\\1\2", text)


def unescaped(text: str) -> str:
    """Return the text without one backslash of each line that begins with backslashes and `<!-- pellucid:`: undo
    `escaped`.
    """
    return _ESCAPED.sub(r"\1", text)


def slug(text: str) -> str:
    """Return a text's words (of any script) in lower case, joined by `-`, as many as fit into 48 bytes of UTF-8.

    A first word that is longer is cut; without any word the slug is `memory`.
    """
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    out = ""
    for word in words:
        longer = f"{out}-{word}" if out else word
        if len(longer.encode()) > _SLUG_BYTES:
            break
        out = longer
    return out or (words[0].encode()[:_SLUG_BYTES].decode(errors="ignore") if words else "memory")


def marker_of(text: str, kind: str = "block") -> dict[str, object]:
    """Return the JSON object `text` of a block's marker (the comment before a passage in a vault file) as a dict.

    Raises InputError, naming the `kind` of block, such as `section`, if it is no JSON object.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged_marker(text, kind) from error
    if not isinstance(value, dict):
        raise _damaged_marker(text, kind)
    return cast("dict[str, object]", value)


def _damaged_marker(text: str, kind: str) -> InputError:
    """Return the error of a marker that is no JSON object; its first 80 characters are shown."""
    return InputError(f"a {kind}'s marker is not JSON: {text[:80]}", next_step="restore that line")


def parse_block(model: type[Block], kind: str, marker: str, content: str) -> Block:
    """Make an instance of `model`, such as Section or Moment, of the JSON in its block's `marker` and of its `content`.

    `kind`, such as `section`, names the block in the error. Raises InputError if the marker is no JSON object,
    ValidationError if its values are wrong.
    """
    return model.model_validate({**marker_of(marker, kind), "content": content})


def without_blocks(text: str, marker: re.Pattern[str], ids: Collection[str]) -> str:
    """Return the text without the blocks with these ids, each from its marker to the next or the end; unknown ids
    change nothing.

    The first group of `marker` is a marker's JSON, whose `id` counts. What stands before the first block stays. Raises
    InputError if a marker is damaged.
    """
    starts = [found.start() for found in marker.finditer(text)]
    kept = text[: starts[0]] if starts else text
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        found = marker.match(text, start)
        if found is None or marker_of(found[1]).get("id") not in ids:
            kept += text[start:end]
    return kept


def change_marker(
    data: bytes, marker: re.Pattern[str], block_id: str, render: Callable[[dict[str, object]], str], file: str
) -> bytes:
    """Return the file's `data` with the marker of the block with this id replaced by `render(its values)`, which makes
    the whole marker; all else is unchanged.

    The first group of `marker` is a marker's JSON. Raises ConflictError, naming the kind of `file` (such as `episode`),
    if there is no such block; InputError if a marker is damaged.
    """
    text = data.decode("utf-8")

    def changed(found: re.Match[str]) -> str:
        """Return the new text of a marker if it is that of the block, else the marker unchanged."""
        values = marker_of(found[1])
        return render(values) if values.get("id") == block_id else found[0]

    if block_id not in [marker_of(found[1]).get("id") for found in marker.finditer(text)]:
        raise ConflictError(f"{block_id} does not stand in its {file} any more", next_step="repeat the command")
    return marker.sub(changed, text).encode()
