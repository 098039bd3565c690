"""Texts in, spans out: the pieces of a field by whose words they are, with memories named where ids stood."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from pellucid.model.memory import MEMORY_ID
from pellucid.model.snapshot import RecallXraySnapshot

_MEMORY_ID = re.compile(f"({MEMORY_ID.pattern})")
_EPISODE_ID = re.compile(r"\bep_[0-9a-f]{32}\b")
_EPISODE = "a stretch of their session"


@dataclass(frozen=True, slots=True)
class FieldSpan:
    """A piece of a field: `plain` is our own words, `verbatim` a name or text of others, `prose` a sentence."""

    text: str
    kind: Literal["plain", "verbatim", "prose"] = "plain"


ARROW = FieldSpan(" -> ")
_COMMA = FieldSpan(", ")
Spans = tuple[FieldSpan, ...]


def memory_heading(memory_id: str, words: Mapping[str, str]) -> FieldSpan:
    """Return the heading of a memory: its first words, taken from `words` by its id; else the id."""
    first_words = words.get(memory_id)
    return FieldSpan(first_words, "prose") if first_words else FieldSpan(memory_id, "verbatim")


def with_memory_names(
    text: str, snapshot: RecallXraySnapshot, kind: Literal["verbatim", "prose"] = "verbatim", own_id: str = ""
) -> Spans:
    """Return a text as spans, each memory id in it replaced by the result's number, else by first words and the id.

    The id of an episode is replaced by `a stretch of their session`, as its topic is not for everybody, and `own_id`,
    the id of the result that the text is about, by `this memory`. `kind` is that of the rest of the text, and of ids
    whose first words are not in the snapshot. The texts (sentences, reasons, nodes and edges of graph paths) name
    memories by their ids, but for results that `CandidateView` numbered: recorded reasons and nodes have ids alone, and
    first words are known only here.
    """
    numbers = {each.memory_id: f"[{number}]" for number, each in enumerate(snapshot.results, start=1)}
    numbers[own_id] = "this memory"
    pieces, out = _MEMORY_ID.split(_EPISODE_ID.sub(_EPISODE, text)), list[FieldSpan]()
    for at, piece in enumerate(pieces):
        if at % 2 and piece in numbers:
            out += plain(numbers[piece])
        elif at % 2 and snapshot.words.get(piece):
            out += named_memory(piece, snapshot.words)
        elif (bare := piece.strip()) and len(pieces) > 1:
            before, _, after = piece.partition(bare)  # blanks beside an id are no part of what a format sets off
            out += (*plain(before), FieldSpan(bare, kind), *plain(after))
        elif piece:
            out.append(FieldSpan(piece, "plain" if len(pieces) > 1 else kind))
    return tuple(out)


def named_memory(memory_id: str, words: Mapping[str, str]) -> Spans:
    """Return the first words of a memory in quotes, then its id; the id alone if `words` lacks it."""
    first_words = words.get(memory_id)
    if not first_words:
        return verbatim(memory_id)
    return (FieldSpan('"'), FieldSpan(first_words, "prose"), FieldSpan('" ('), *verbatim(memory_id), FieldSpan(")"))


def plain(text: str) -> Spans:
    """Return our own text as spans; empty for an empty text."""
    return (FieldSpan(text),) if text else ()


def verbatim(text: str | None) -> Spans:
    """Return a name or text of others as spans; empty for an empty text or None."""
    return (FieldSpan(text, "verbatim"),) if text else ()


def prose(text: str | None) -> Spans:
    """Return a sentence as spans; empty for an empty text or None."""
    return (FieldSpan(text, "prose"),) if text else ()


def joined_names(names: Iterable[str]) -> Spans:
    """Return names of others joined by commas; empty if there are none."""
    return joined((FieldSpan(name, "verbatim"),) for name in names)


def joined(groups: Iterable[Spans], separator: FieldSpan = _COMMA) -> Spans:
    """Return groups of spans joined by a separator; empty if there are no groups."""
    spans = tuple(span for group in groups for span in (separator, *group))
    return spans[1:]
