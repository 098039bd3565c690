"""A waiting change and the file's digest in, the verdict out: the recovery table, and the text of a conflict file."""

import re
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["filed", "create", "replace", "remove", "deleted", "conflict"]
_FRONTMATTER = re.compile(
    rb"(?P<open>(?:\xef\xbb\xbf)?---[ \t]*(?P<end>\r?\n))(?P<keys>.*?)(?=^---[ \t]*\r?$)", re.DOTALL | re.MULTILINE
)
_STATUS = re.compile(rb"^status[ \t]*:[^\r\n]*", re.MULTILINE)
_PENDING_REVIEW = b"status: pending_review"


@dataclass(frozen=True, slots=True)
class Pending:
    """All waiting changes of one path combined: the newest bytes, to replace those that the first change started from.

    A digest of None means no file; a `new_hash` of None is a removal. `expected` are the digests that the file can have
    if nobody else wrote to it: the base of the first change, and those the changes themselves wrote before a crash. The
    bytes are the payload of the journal's `last_entry`.
    """

    path: str
    new_hash: str | None
    base_hash: str | None
    expected: frozenset[str | None]
    last_entry: int

    @property
    def ours(self) -> frozenset[str | None]:
        """The digests that these changes can have given the path themselves: of each version, None for a removal."""
        return (self.expected - {self.base_hash}) | {self.new_hash}


def verdict(pending: Pending, file_digest: str | None) -> Verdict:
    """Decide what to do about a path whose file has the digest `file_digest` (None: there is no file).

    `filed`: the file is as the change wants it. `deleted`: there is none, and one was expected, so the user removed it.
    `conflict`: its digest is neither wanted nor expected, so the user changed it. Else what the change must do with it:
    `create`, `replace` or `remove`.
    """
    if file_digest == pending.new_hash:
        return "filed"
    if file_digest is None:
        return "create" if None in pending.expected else "deleted"
    if file_digest not in pending.expected:
        return "conflict"
    return "remove" if pending.new_hash is None else "replace"


def pending_review(data: bytes) -> bytes:
    """Return the Markdown with `status: pending_review` in its frontmatter, in place of another status.

    If there is no status, or no frontmatter, that is added. Every other byte is unchanged.
    """
    match = _FRONTMATTER.match(data)
    if match is None:
        return b"---\n" + _PENDING_REVIEW + b"\n---\n\n" + data
    keys, replaced = _STATUS.subn(_PENDING_REVIEW, match["keys"], count=1)
    if not replaced:
        keys += _PENDING_REVIEW + match["end"]
    return match["open"] + keys + data[match.end() :]
