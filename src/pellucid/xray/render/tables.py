"""The lists of a snapshot in, tables of spans out: one set of columns for every format with tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pellucid.model.snapshot import RecallXraySnapshot, RejectedCandidate
from pellucid.recall.score.ladder import ASKED_EDGES
from pellucid.xray.render.fields import millis
from pellucid.xray.render.spans import Spans, memory_heading, plain, prose, verbatim, with_memory_names
from pellucid.xray.render.terms import decimals, shortfall_in_words
from pellucid.xray.words.failures import note_in_words
from pellucid.xray.words.numbers import listed
from pellucid.xray.words.rungs import (
    away_in_words,
    barred_in_words,
    is_at_work,
    is_idle,
    missing_characters,
    neighbours_in_words,
    omission_in_words,
    rejection_in_words,
    why_rejected,
)

_MOST_IDS = 2


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table; one of numbers is aligned to the right."""

    title: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, and rows of as many cells; the first cell names the row."""

    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Spans, ...], ...]


def legs_table(snapshot: RecallXraySnapshot, *, verbose: bool = True, idle: bool = False) -> Table:
    """Return a row for each leg at work: health, memories found, inadmissible memories and why they are so, a note; and
    one for the candidates that no leg found.

    With `verbose`, for the legs not at work, too; with `idle`, for these alone, whatever `verbose` is.
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
        if (not is_at_work(leg) if idle else verbose or is_at_work(leg))
    )
    beside = neighbours_in_words(0 if idle else snapshot.neighbours)
    rows = (*rows, *([(plain("neighbours"), (), (), (), (), plain(beside))] if beside else []))
    return _table(("Leg", "Health", "#Found", "#More that may not answer", "Why not", "Note"), rows)


def filters_table(snapshot: RecallXraySnapshot, *, verbose: bool = True) -> Table:
    """Return a row for each rung: how many reached it, passed it, and (if one flagged some) passed it flagged; then
    what it objects to. Without `verbose`, only for rungs that rejected or flagged some.
    """
    rungs = [rung for rung in snapshot.filters if verbose or not is_idle(rung)]
    flagged = any(rung.soft_admitted for rung in rungs)
    rows = (
        (
            verbatim(rung.name),
            *(plain(f"{count}") for count in (rung.considered, rung.admitted)),
            *((plain(f"{rung.soft_admitted}"),) if flagged else ()),
            prose("" if is_idle(rung) or not rung.reason else rejection_in_words(rung.name, rung.reason)),
        )
        for rung in rungs
    )
    titles = ("Filter", "#Came", "#Passed", *(("#Let pass, but flagged",) if flagged else ()), "The others")
    return _table(titles, rows)


def withheld_by_reason(snapshot: RecallXraySnapshot) -> dict[str, list[RejectedCandidate]]:
    """Map each reason of rejection, in words, to the rejected candidates whose words must not be shown: those of which
    the snapshot lacks the words. Empty if the snapshot has no words at all.
    """
    out: dict[str, list[RejectedCandidate]] = {}
    for each in snapshot.rejected:
        if snapshot.words and each.memory_id not in snapshot.words:
            out.setdefault(rejection_in_words(each.rejected_by, each.reason), []).append(each)
    return out


def tellable_rejected(
    snapshot: RecallXraySnapshot, withheld: Mapping[str, Sequence[RejectedCandidate]]
) -> list[RejectedCandidate]:
    """Return the rejected candidates without those in `withheld`."""
    ids = {each.memory_id for candidates in withheld.values() for each in candidates}
    return [each for each in snapshot.rejected if each.memory_id not in ids]


def withheld_line(candidates: Sequence[RejectedCandidate], snapshot: RecallXraySnapshot) -> str:
    """Return the line for candidates of one rejection whose words must not be shown. There must be at least one
    candidate. If their rung rejected more than these, the line says of how many they are: `10 of 23 in quarantine, …`.
    """
    first, count = candidates[0], len(candidates)
    rejected_count = next(
        (each.considered - each.admitted for each in snapshot.filters if each.name == first.rejected_by), 0
    )
    share = f"{count} of " if rejected_count > count else ""
    phrase = away_in_words(max(rejected_count, count), first.rejected_by, first.reason)
    review = "; trust list shows them, to be let in" if first.rejected_by == "trust-zone" else ""
    return f"{share}{phrase}, whose words are not told here{review}"


def first_ids(candidates: Sequence[RejectedCandidate], format_id: Callable[[str], str] = str) -> str:
    """Return the first two ids of these candidates, each as `format_id` writes it, and how many more there are:
    `mem_a, mem_b and 3 more`; empty without candidates."""
    ids = ", ".join(format_id(each.memory_id) for each in candidates[:_MOST_IDS])
    return f"{ids} and {len(candidates) - _MOST_IDS} more" if len(candidates) > _MOST_IDS else ids


def rejection_spans(candidate: RejectedCandidate, snapshot: RecallXraySnapshot) -> Spans:
    """Return why a candidate was rejected, in which terms it is most behind, of a section which result stands for its
    document, under which results its words are quoted, and that the doubt is measured on it, too, as far as this is so.
    """
    numbers = {each.memory_id: f"[{place}]" for place, each in enumerate(snapshot.results, start=1)}
    quoting = [numbers[each] for each in candidate.quoted_under if each in numbers]
    number = numbers.get(candidate.told_under or "", "")
    stands = ""
    if number and number not in quoting and candidate.rejected_by != ASKED_EDGES:
        stands = f"; its document is told of under {number}"
    quoted = f"; words of it are quoted under {listed(quoting)}" if quoting else ""
    lacking = shortfall_in_words(candidate)
    last = numbers.get(snapshot.last_kept or "", "which was itself left out" if snapshot.last_kept else "")
    behind = f"{f' ({last})' * bool(last)}: {lacking}" if lacking else ""
    doubt = snapshot.abstention if snapshot.results or (snapshot.abstention and snapshot.abstention.abstained) else None
    signs = doubt.measured.values() if doubt else ()
    measured = any(candidate.memory_id in ids for ids in signs)
    quoted += "; the doubt is measured on it, too" if measured else ""
    return (*with_memory_names(why_rejected(candidate), snapshot, "prose"), *plain(f"{behind}{stands}{quoted}"))


def rejected_table(snapshot: RecallXraySnapshot, candidates: Iterable[RejectedCandidate]) -> Table:
    """Return a row for each of these candidates: words, rejecting rung, reason with shortfall, final score, id."""
    rows = (
        (
            (memory_heading(each.memory_id, snapshot.words),),
            verbatim(each.rejected_by),
            rejection_spans(each, snapshot),
            plain(decimals(each.final)),
            verbatim(each.memory_id),
        )
        for each in candidates
    )
    return _table(("Memory", "Rejected by", "Reason", "#Final", "Id"), rows)


def stages_table(snapshot: RecallXraySnapshot) -> Table:
    """Return a row for each stage of the recall, with the time it took and a note."""
    rows = (
        (verbatim(stage.name), plain(millis(stage.ms)), prose(note_in_words(stage.note or "")))
        for stage in snapshot.stages
    )
    return _table(("Stage", "#Milliseconds", "Note"), rows)


def omitted_table(snapshot: RecallXraySnapshot, *, over_budget: bool) -> Table:
    """Return a row for each memory that was ranked and left out of the context, with the reason: of those for which
    there was no room if `over_budget`, else of all others.
    """
    rows = (
        (
            (memory_heading(each.memory_id, snapshot.words),),
            with_memory_names(omission_in_words(each.reason), snapshot, "prose"),
            verbatim(each.memory_id),
        )
        for each in snapshot.context.omitted
        if over_budget == (missing_characters(each.reason) is not None)
    )
    return _table(("Memory", "Reason", "Id"), rows)


def _table(titles: Sequence[str], rows: Iterable[tuple[Spans, ...]]) -> Table:
    """Return a table with columns of these titles; `#` before a title marks a column of numbers."""
    columns = tuple(TableColumn(title.removeprefix("#"), number=title.startswith("#")) for title in titles)
    return Table(columns, tuple(rows))
