"""The lists of a snapshot in, tables of spans out: one set of columns for every format that draws tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pellucid.model.snapshot import RecallXraySnapshot, RejectedCandidate
from pellucid.xray.render.fields import FieldSpan, Spans, decimals, headed, millis, spoken
from pellucid.xray.words.rungs import at_work, idle, turned_away, why_rejected

IDS = 2
"""Ids in a row, at most."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `number` says that its cells are numbers, which stand at the right."""

    title: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, and a row of as many cells for each thing listed; the first cell names it."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Spans, ...], ...]


def legs_table(snapshot: RecallXraySnapshot, *, verbose: bool = True) -> Table:
    """How each leg did; without `verbose`, only the legs that had something to do."""
    columns = (
        Column("Leg"),
        Column("Health"),
        Column("Found", number=True),
        Column("May not answer", number=True),
        Column("Reason"),
    )
    return _table(
        columns,
        (
            (_name(leg.name), _plain(leg.health), _plain(leg.admitted), _plain(leg.open), _sentence(leg.reason))
            for leg in snapshot.legs
            if verbose or at_work(leg)
        ),
    )


def filters_table(snapshot: RecallXraySnapshot, *, verbose: bool = True) -> Table:
    """How many came to each filter and passed it; without `verbose`, only of those that turned somebody away."""
    columns = (
        Column("Filter"),
        Column("Came", number=True),
        Column("Passed", number=True),
        Column("Softly", number=True),
        Column("The others"),
    )
    return _table(
        columns,
        (
            (
                _name(rung.name),
                _plain(rung.considered),
                _plain(rung.admitted),
                _plain(rung.soft_admitted),
                () if idle(rung) or not rung.reason else _sentence(turned_away(rung.name, rung.reason)),
            )
            for rung in snapshot.filters
            if verbose or not idle(rung)
        ),
    )


def untold(snapshot: RecallXraySnapshot) -> dict[str, list[RejectedCandidate]]:
    """The rejected candidates whose words may not be told, by why they were rejected; none where all have words."""
    out: dict[str, list[RejectedCandidate]] = {}
    for each in snapshot.rejected:
        if snapshot.words and each.memory_id not in snapshot.words:
            out.setdefault(turned_away(each.rejected_by, each.reason), []).append(each)
    return out


def listed_rejected(
    snapshot: RecallXraySnapshot, apart: Mapping[str, Sequence[RejectedCandidate]]
) -> list[RejectedCandidate]:
    """The rejected but for those that stand apart."""
    ids = {each.memory_id for these in apart.values() for each in these}
    return [each for each in snapshot.rejected if each.memory_id not in ids]


def kept_apart(why: str, candidates: Sequence[RejectedCandidate]) -> str:
    """What is said of candidates in the place of their words."""
    return f"{len(candidates)} {why}, whose words are not told here"


def first_ids(candidates: Sequence[RejectedCandidate], drawn: Callable[[str], str] = str) -> str:
    """The ids of the first of them, and how many more there are."""
    ids = ", ".join(drawn(each.memory_id) for each in candidates[:IDS])
    return f"{ids} and {len(candidates) - IDS} more" if len(candidates) > IDS else ids


def rejected_table(snapshot: RecallXraySnapshot, which: Iterable[RejectedCandidate]) -> Table:
    """A row for each of these rejected candidates: its words, what stopped it and why, and by how little."""
    columns = (
        Column("Memory"),
        Column("Rejected by"),
        Column("Reason"),
        Column("Short by", number=True),
        Column("Final", number=True),
        Column("Id"),
    )
    return _table(
        columns,
        (
            (
                (headed(each.memory_id, snapshot.words),),
                _name(each.rejected_by),
                spoken(why_rejected(each), snapshot, "prose"),
                () if each.margin is None else _plain(decimals(each.margin)),
                _plain(decimals(each.final)),
                _name(each.memory_id),
            )
            for each in which
        ),
    )


def stages_table(snapshot: RecallXraySnapshot) -> Table:
    """How long each stage took."""
    columns = Column("Stage"), Column("Milliseconds", number=True), Column("Note")
    rows = ((_name(stage.name), _plain(millis(stage.ms)), _sentence(stage.note)) for stage in snapshot.stages)
    return _table(columns, rows)


def omitted_table(snapshot: RecallXraySnapshot) -> Table:
    """A row for each memory that was ranked and left out of the context, with the reason."""
    rows = (
        ((headed(each.memory_id, snapshot.words),), _sentence(each.reason), _name(each.memory_id))
        for each in snapshot.context.omitted
    )
    return _table((Column("Memory"), Column("Reason"), Column("Id")), rows)


def _table(columns: tuple[Column, ...], rows: Iterable[tuple[Spans, ...]]) -> Table:
    return Table(columns, tuple(rows))


def _name(text: str) -> Spans:
    return (FieldSpan(text, "verbatim"),)


def _plain(value: str | int) -> Spans:
    return (FieldSpan(str(value)),)


def _sentence(text: str | None) -> Spans:
    return (FieldSpan(text, "prose"),) if text else ()
