"""Tables of phrases in, the compiled cues of each query class out, in the order in which they are tried.

A table has one phrase a line, a regular expression over lower-case text; a line that begins with `|` goes on with the
one before. `~` stands for up to six words; a line with `^` must stand at the start of the query (behind `please`,
`remind me` and the like). Words end where a phrase ends, and an apostrophe may be missing.
"""

import re
from typing import Literal

from pellucid.recall import query_cues_built as built
from pellucid.recall import query_cues_decision as decision
from pellucid.recall import query_cues_east as east
from pellucid.recall import query_cues_now as now
from pellucid.recall import query_cues_other as other
from pellucid.recall import query_cues_past as past

QueryClass = Literal["historical", "architectural", "current_state", "decision", "other"]
"""What an answer would be about: how it was, how it is built, how it is now, what was decided, or none of these."""

_GAP = r"(?:\S{1,40} ){0,6}?"
_CONTINUED = re.compile(r"\n[ \t]*+\|")
_APOSTROPHE = re.compile(r"(?<![+w])'(?!\])")


def _lines(block: str) -> tuple[list[str], list[str]]:
    """The phrases of a table: those bound to the start of the query, and the others."""
    lines = [line.strip() for line in _CONTINUED.sub("|", block).splitlines() if line.strip()]
    filled = [_APOSTROPHE.sub("'?", line).replace("~", _GAP) for line in lines]
    return [line[1:] for line in filled if line[0] == "^"], [line for line in filled if line[0] != "^"]


_LEAD = _CONTINUED.sub("|", other.LEAD).strip()


def _table(block: str) -> re.Pattern[str]:
    anchored, loose = _lines(block)
    rows = [rf"^\W{{0,9}}(?:(?:{_LEAD})[,:]? ){{0,4}}(?:{'|'.join(anchored)})"] if anchored else []
    rows += [rf"\b(?:{'|'.join(loose)})"] if loose else []
    return re.compile(rf"(?:{'|'.join(rows)})(?!\B\w)")


def _eastern(block: str) -> re.Pattern[str]:
    anchored, loose = _lines(block)
    return re.compile("|".join([*(rf"^\W{{0,9}}{line}" for line in anchored), *loose]))


_ROWS: tuple[tuple[QueryClass, str], ...] = (
    ("other", other.TASKS),
    ("architectural", built.HOW),
    ("current_state", now.PENDING),
    ("decision", decision.DECISION),
    ("current_state", now.STILL),
    ("architectural", built.WHY_NOW),
    ("current_state", now.NOW),
    ("historical", past.HISTORICAL),
    ("architectural", built.ARCHITECTURAL),
    ("other", past.AGAIN),
    ("historical", past.PAST),
    ("current_state", now.CURRENT),
    ("architectural", built.PARTS),
)
_ROWS_EAST: tuple[tuple[QueryClass, str], ...] = (
    ("other", east.OTHER),
    ("decision", east.DECISION),
    ("current_state", east.STILL),
    ("architectural", east.WHY),
    ("historical", east.HISTORICAL),
    ("architectural", east.ARCHITECTURAL),
    ("current_state", east.CURRENT),
)

CUES: tuple[tuple[QueryClass, re.Pattern[str]], ...] = tuple((name, _table(block)) for name, block in _ROWS)
"""Scripts with spaces: a class and its pattern over lower-case text, in order."""

CUES_EAST: tuple[tuple[QueryClass, re.Pattern[str]], ...] = tuple((name, _eastern(block)) for name, block in _ROWS_EAST)
"""The same for Chinese and Japanese."""

MECHANISM = re.compile(
    r"^how (?:do|does) (?!(?:you|he|she|they|it|one|people|your|her|his|my|birds|cats|dogs|plants|humans) )[a-z]\w+ \w+"
)
"""Asked last, of the query as it was typed: how something that bears no name does what it does."""
