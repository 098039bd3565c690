"""The files of a vault in, how the graph would change if they were read again today out; and the change, if wanted.

The index holds what was read of each file when it changed last. Since then the settings may name other series and
patterns, or a newer Pellucid may read more: `backfill` shows the difference before anything is written.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError
from pellucid.graph.extract import facts_of
from pellucid.graph.lines import part
from pellucid.model.entity import FOREVER, Claim, Edge, GraphFacts
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.store.records import FileHead
from pellucid.vault.markdown import FileIdentity, Parsed, parse

BATCH = 256
"""Files read at a time."""
Row = tuple[str, ...]
Progress = Callable[[int, int], None]


class BackfillInput(Wire):
    """Of which namespace, and whether to go on from looking to doing."""

    namespace: str
    apply: Annotated[bool, Flag("Go on from looking to doing.")] = False


class FileDiff(Wire):
    """How the graph of one file differs: `+` is what would be added, `-` what would go, as lines of words."""

    path: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class BackfillOutput(Wire):
    """What reading every file again would change, or has changed where `applied`."""

    files: int
    """Files of the namespace that were read."""
    diffs: tuple[FileDiff, ...] = ()
    added: dict[str, int] = Field(default_factory=dict)
    """Counts by kind: edges, claims, aliases, entities."""
    removed: dict[str, int] = Field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    applied: bool = False
    problem: str | None = None
    """What could not be done of it, if something could not."""


def backfill(app: App, request: BackfillInput, report: Progress | None = None) -> BackfillOutput:
    """Compare what the files say of the graph today with what the index holds; with `apply`, make them equal."""
    unreadable: list[str] = []
    diffs: list[tuple[str, GraphFacts, GraphFacts]] = []
    files = 0
    stamps = [stamp.path for stamp in app.records.walk()]
    for done, (path, says) in enumerate(_facts_by_file(app, stamps, request.namespace, unreadable), start=1):
        if says is not None:
            files += 1
            held = app.graph.facts(path)
            if _rows(says) != _rows(held):
                diffs.append((path, says, held))
        if report and done % BATCH == 0:
            report(done, len(stamps))
    problem = _apply(app, [path for path, _, _ in diffs]) if request.apply and diffs else ""
    return BackfillOutput(
        files=files,
        diffs=tuple(_diff(*each) for each in diffs),
        added=_more_of_each_kind((s, h) for _, s, h in diffs),
        removed=_more_of_each_kind((h, s) for _, s, h in diffs),
        unreadable=tuple(unreadable),
        applied=request.apply,
        problem=problem or None,
    )


def _apply(app: App, paths: Sequence[str]) -> str:
    with app.unit_of_work.deciding(None):
        folded = app.indexer.catch_up(paths)
    return "; ".join([*(why for _, why in folded.unreadable), *filter(None, [folded.encoder_problem])])


def _facts_by_file(
    app: App, paths: Sequence[str], namespace: str, unreadable: list[str]
) -> Iterator[tuple[str, GraphFacts | None]]:
    """What each file says of the graph; None for files of other namespaces and for those that cannot be read."""
    waiting = iter(paths)
    while batch := list(islice(waiting, BATCH)):
        for head in app.records.heads(batch):
            try:
                parsed = _parsed_head(app, head)
            except InputError as error:
                unreadable.append(error.message)
                parsed = None
            ours = parsed is not None and _namespace(parsed) == namespace
            yield head.path, facts_of(parsed, app.indexer.naming) if parsed and ours else None


def _parsed_head(app: App, head: FileHead) -> Parsed | None:
    if head.data is None:
        return None
    at = datetime.fromtimestamp(head.stamp.mtime_ns / 1e9, UTC) if head.stamp else app.clock.now()
    return parse(head.path, head.data, FileIdentity(app.indexer.namespace, app.key, at))


def _namespace(parsed: Parsed) -> str:
    holder = parsed.document or parsed.episode or next((memory for memory, _ in parsed.memories), None)
    return holder.namespace if holder else ""


def _rows(facts: GraphFacts) -> tuple[frozenset[object], ...]:
    return tuple(map(frozenset, (facts.edges, facts.claims, facts.aliases, facts.entities, facts.homes)))


def _more_of_each_kind(pairs: Iterator[tuple[GraphFacts, GraphFacts]]) -> dict[str, int]:
    """How many more of each kind the first of each pair has."""
    out = {"edges": 0, "claims": 0, "aliases": 0, "entities": 0}
    for one, other in pairs:
        for kind in out:
            out[kind] += len({*getattr(one, kind)} - {*getattr(other, kind)})
    return {kind: count for kind, count in out.items() if count}


def _diff(path: str, says: GraphFacts, held: GraphFacts) -> FileDiff:
    return FileDiff(
        path=path, added=tuple(_lines_not_in_other(says, held)), removed=tuple(_lines_not_in_other(held, says))
    )


def _lines_not_in_other(one: GraphFacts, other: GraphFacts) -> Iterator[str]:
    """What the first says and the other does not, a line each."""
    yield from sorted(_edge_line(each) for each in {*one.edges} - {*other.edges})
    yield from sorted(_claim(each) for each in {*one.claims} - {*other.claims})
    yield from sorted(f"{alias} is {key}" for alias, key in {*one.aliases} - {*other.aliases})
    for each in sorted({*one.entities} - {*other.entities}, key=lambda fact: fact.key):
        yield f"{each.name}: {each.type or 'named'}{' (defined)' if each.defines else ''}"
    yield from sorted(f"{memory} answers for {key}" for memory, key in {*one.homes} - {*other.homes})


def _edge_line(edge: Edge) -> str:
    anchor = f" {part(edge.anchor)}" if edge.anchor else ""
    where = f" ({edge.section})" if edge.section else ""
    ended = "" if edge.valid_until >= FOREVER else ", closed"
    return f"{edge.source} {edge.type} {edge.target}{anchor}{where} {edge.confidence:.2f}{ended}"


def _claim(claim: Claim) -> str:
    ended = "" if claim.valid_until >= FOREVER else " (closed)"
    return f"{claim.entity}: {claim.attribute} = {claim.value}{ended}"


BACKFILL = Operation(
    "graph.backfill",
    """Read every file again, and show how the graph would change.

As after other settings; nothing is changed unless that is asked for.
""",
    BackfillInput,
    BackfillOutput,
    lambda call, asked: backfill(call.app, asked, call.progress),
    "change",
    Surfaces("graph backfill", http=("POST /v1/graph/backfill",)),
)
