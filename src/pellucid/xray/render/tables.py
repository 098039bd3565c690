"""The lists of a snapshot in, tables of spans out: one set of columns for every format that draws tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pellucid.model.snapshot import RecallXraySnapshot, RejectedCandidate
from pellucid.xray.render.fields import (
    Spans,
    decimals,
    memory_heading,
    millis,
    plain,
    prose,
    verbatim,
    with_memory_names,
)
from pellucid.xray.words.rungs import (
    away_in_words,
    barred_in_words,
    is_at_work,
    is_idle,
    rejection_in_words,
    why_rejected,
)

_MOST_IDS = 2


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; one of numbers is aligned to the right."""

    title: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, and rows of as many cells; the first cell names the row."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Spans, ...], ...]


def legs_table(snapshot: RecallXraySnapshot, *, verbose: bool = True) -> Table:
    """A row for each leg: health, how many it found, how many may not answer and why, a note.

    Without `verbose` only for legs at work.
    """
    rows = (
        (
            verbatim(leg.name),
            plain(leg.health),
            plain(f"{leg.admitted}"),
            plain(f"{leg.open}"),
            prose(barred_in_words(leg)),
            prose(leg.reason),
        )
        for leg in snapshot.legs
        if verbose or is_at_work(leg)
    )
    return _table(("Leg", "Health", "#Found", "#May not answer", "Why not", "Note"), rows)


def filters_table(snapshot: RecallXraySnapshot, *, verbose: bool = True) -> Table:
    """A row for each rung: how many reached and passed it, how many of these flagged, and why.

    Without `verbose`, only for rungs that rejected or flagged some.
    """
    rows = (
        (
            verbatim(rung.name),
            *(plain(f"{count}") for count in (rung.considered, rung.admitted, rung.soft_admitted)),
            prose("" if is_idle(rung) or not rung.reason else rejection_in_words(rung.name, rung.reason)),
        )
        for rung in snapshot.filters
        if verbose or not is_idle(rung)
    )
    return _table(("Filter", "#Came", "#Passed", "#Let pass, but flagged", "The others"), rows)


def withheld_by_reason(snapshot: RecallXraySnapshot) -> dict[str, list[RejectedCandidate]]:
    """The rejected candidates that have no words in the snapshot, as they may not be told, by the reason of rejection.

    Empty where the snapshot has no words at all.
    """
    out: dict[str, list[RejectedCandidate]] = {}
    for each in snapshot.rejected:
        if snapshot.words and each.memory_id not in snapshot.words:
            out.setdefault(rejection_in_words(each.rejected_by, each.reason), []).append(each)
    return out


def tellable_rejected(
    snapshot: RecallXraySnapshot, withheld: Mapping[str, Sequence[RejectedCandidate]]
) -> list[RejectedCandidate]:
    """The rejected candidates without those in `withheld`."""
    ids = {each.memory_id for these in withheld.values() for each in these}
    return [each for each in snapshot.rejected if each.memory_id not in ids]


def withheld_line(candidates: Sequence[RejectedCandidate], snapshot: RecallXraySnapshot) -> str:
    """The line that stands for candidates of one rejection whose words may not be told; at least one.

    If their rung rejected more than these, it says of how many they are: `10 of 23 in quarantine, …`.
    """
    first, count = candidates[0], len(candidates)
    every = next((each.considered - each.admitted for each in snapshot.filters if each.name == first.rejected_by), 0)
    of = f"{count} of " if every > count else ""
    said = away_in_words(max(every, count), first.rejected_by, first.reason)
    return f"{of}{said}, whose words are not told here"


def first_ids(candidates: Sequence[RejectedCandidate], drawn: Callable[[str], str] = str) -> str:
    """The first two ids of these candidates, and how many more there are: `mem_a, mem_b and 3 more`.

    `drawn` formats an id.
    """
    ids = ", ".join(drawn(each.memory_id) for each in candidates[:_MOST_IDS])
    return f"{ids} and {len(candidates) - _MOST_IDS} more" if len(candidates) > _MOST_IDS else ids


def rejected_table(snapshot: RecallXraySnapshot, which: Iterable[RejectedCandidate]) -> Table:
    """A row for each of these rejected candidates: its words, the rung that rejected it, why, and by how little."""
    rows = (
        (
            (memory_heading(each.memory_id, snapshot.words),),
            verbatim(each.rejected_by),
            with_memory_names(why_rejected(each), snapshot, "prose"),
            () if each.margin is None else plain(decimals(each.margin)),
            plain(decimals(each.final)),
            verbatim(each.memory_id),
        )
        for each in which
    )
    return _table(("Memory", "Rejected by", "Reason", "#Short by", "#Final", "Id"), rows)


def stages_table(snapshot: RecallXraySnapshot) -> Table:
    """A row for each stage of the recall, with the time it took."""
    rows = ((verbatim(stage.name), plain(millis(stage.ms)), prose(stage.note)) for stage in snapshot.stages)
    return _table(("Stage", "#Milliseconds", "Note"), rows)


def omitted_table(snapshot: RecallXraySnapshot) -> Table:
    """A row for each memory that was ranked and left out of the context, with the reason."""
    rows = (
        ((memory_heading(each.memory_id, snapshot.words),), prose(each.reason), verbatim(each.memory_id))
        for each in snapshot.context.omitted
    )
    return _table(("Memory", "Reason", "Id"), rows)


def _table(titles: Sequence[str], rows: Iterable[tuple[Spans, ...]]) -> Table:
    """A table with columns of these titles; `#` before a title marks a column of numbers."""
    columns = tuple(Column(title.removeprefix("#"), number=title.startswith("#")) for title in titles)
    return Table(columns, tuple(rows))
