"""Memories in, a block that cites their sources out, and back: `<oai-mem-citation>`, or plain lines.

    <oai-mem-citation><citation_entries>
    notes/plan.md:3-5|note=[decision 6bdba1ba3a]
    </citation_entries><rollout_ids>
    session-a
    </rollout_ids></oai-mem-citation>

Only evidence with a real range is cited: turns or lines, 1-based, the last not before the first.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pellucid.model.memory import Memory
from pellucid.recall.context.text import harmless

SOURCES = "\n## Sources"
OPENING = "\n<oai-mem-citation><citation_entries>\n"
BETWEEN = "</citation_entries><rollout_ids>\n"
CLOSING = "</rollout_ids></oai-mem-citation>"
_RANGE = re.compile(r"(?P<path>[^\n|<>]+):(?P<start>[0-9]{1,9})-(?P<end>[0-9]{1,9})")
_ENTRY = re.compile(rf"{_RANGE.pattern}\|note=\[(?P<note>.*)\]")
_BLOCK, _ENTRIES, _ROLLOUTS = "oai-mem-citation", "citation_entries", ("rollout_ids", "thread_ids")
SHORT_ID = 10


@dataclass(frozen=True, slots=True)
class Citation:
    """The lines or turns `start` to `end` of `path`, with a note."""

    path: str
    start: int
    end: int
    note: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.start}-{self.end}|note=[{self.note}]"


@dataclass(frozen=True, slots=True)
class Cited:
    """The citations that a text contains, its distinct sessions, and how many of its lines could not be read."""

    citations: tuple[Citation, ...] = ()
    rollout_ids: tuple[str, ...] = ()
    malformed: int = 0


def citations_of(memory: Memory) -> tuple[Citation, ...]:
    """Return the places that a memory was read from, in the order of its evidence: a path or session, and a range of
    its lines or turns.

    Evidence without a real range (`path:3-5`, from 1, rising) is left out, and so is a path that could break out of the
    block (`_can_be_cited`). The note of each is the memory's category and the last ten characters of its id.
    """
    note = f"{memory.category} {memory.id[-SHORT_ID:]}"
    found = (_RANGE.fullmatch(each) for each in memory.evidence)
    cited = (Citation(each["path"], int(each["start"]), int(each["end"]), note) for each in found if each)
    return tuple(each for each in cited if 0 < each.start <= each.end and _can_be_cited(each.path))


def rollout_of(memory: Memory) -> str | None:
    """Return the session id of a memory; None if it has none, or one that could break out of the citation block: with
    `<`, `>`, `|` or a line break, or changed by `harmless`."""
    name = memory.session_id
    return name if name and _can_be_cited(name) and not re.search(r"[<>|\n]", name) else None


def _can_be_cited(name: str) -> bool:
    """Whether a name is allowed in a citation: not empty, and left unchanged by `harmless`."""
    return harmless(name) == name != ""


def plain_line(number: int, memory: Memory) -> str:
    """Return the memory's citations on a new line behind its `number`, `[1] path:3-5, path:9-9`; empty if it has no
    citations.
    """
    places = ", ".join(f"{each.path}:{each.start}-{each.end}" for each in citations_of(memory))
    return f"\n[{number}] {places}" if places else ""


def oai_block(citations: Iterable[Citation], rollout_ids: Sequence[str]) -> str:
    """Return the `<oai-mem-citation>` block, on a new line, with each citation and each of the session ids
    `rollout_ids` on a line of its own; empty if there is neither a citation nor a session."""
    entries, rollouts = "".join(f"{each}\n" for each in citations), "".join(f"{each}\n" for each in rollout_ids)
    return f"{OPENING}{entries}{BETWEEN}{rollouts}{CLOSING}" if entries or rollouts else ""


def parse_citations(text: str) -> Cited:
    """Return the distinct citations and session ids in the `<oai-mem-citation>` blocks of a text, in order, and how
    many lines among the citation entries are no citation (`_parse_entry`). All are empty, and 0, for a text without
    blocks."""
    entries: dict[Citation, None] = {}
    rollouts: dict[str, None] = {}
    malformed = 0
    for block in _element_bodies(text, _BLOCK):
        for line in _nonblank_lines(_element_bodies(block, _ENTRIES)):
            if citation := _parse_entry(line):
                entries[citation] = None
            else:
                malformed += 1
        rollouts |= dict.fromkeys(
            _nonblank_lines(found for name in _ROLLOUTS for found in _element_bodies(block, name))
        )
    return Cited(tuple(entries), tuple(rollouts), malformed)


def _nonblank_lines(parts: Iterable[str]) -> list[str]:
    """Return the stripped lines of all parts, without blank ones."""
    return [line.strip() for part in parts for line in part.splitlines() if line.strip()]


def _element_bodies(text: str, name: str) -> Iterator[str]:
    """Yield the text inside each element of this name; an element that is not closed is left out."""
    opening, closing = f"<{name}>", f"</{name}>"
    at = text.find(opening)
    while at >= 0 and (end := text.find(closing, at)) >= 0:
        yield text[at + len(opening) : end]
        at = text.find(opening, end)


def _parse_entry(line: str) -> Citation | None:
    """Return the citation in a line of the form `path:3-5|note=[words]`; None if the line has another form, or a range
    that does not begin at 1 or later and end at its beginning or later."""
    found = _ENTRY.fullmatch(line)
    if found is None or not 0 < int(found["start"]) <= int(found["end"]):
        return None
    return Citation(found["path"], int(found["start"]), int(found["end"]), found["note"])
