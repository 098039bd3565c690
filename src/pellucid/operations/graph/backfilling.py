"""The files of a vault in, how the graph would change if they were read again today out; and the change, if wanted.

The index holds what was read of each file when it last changed. Settings or Pellucid's own rules may differ since then.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError
from pellucid.graph.extract import facts_of
from pellucid.graph.lines import anchor_text
from pellucid.model.entity import FOREVER, Claim, Edge, GraphFacts
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.store.records import FileHead
from pellucid.vault.markdown import FileIdentity, Parsed, parse

BATCH = 256
"""Files read at a time."""
_KINDS = ("edges", "claims", "aliases", "entities", "answers")
"""What is counted of a file's facts; answers are its `homes`."""
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
    """Counts by kind: edges, claims, aliases, entities, answers (which memory answers for what)."""
    removed: dict[str, int] = Field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    applied: bool = False
    problem: str | None = None
    """Why something of it could not be done; None if all was."""


def backfill(app: App, request: BackfillInput, report: Progress | None = None) -> BackfillOutput:
    """Compare what the vault's files say of the graph today with the index; with `apply`, index files that differ
    anew."""
    unreadable: list[str] = []
    diffs: list[tuple[str, GraphFacts, GraphFacts]] = []
    files = 0
    stamps = [stamp.path for stamp in app.records.walk()]
    for done, (path, says) in enumerate(_facts_by_file(app, stamps, request.namespace, unreadable), start=1):
        if says is not None:
            files += 1
            held = app.graph.facts(path)
            if _comparable(says) != _comparable(held):
                diffs.append((path, says, held))
        if report and done % BATCH == 0:
            report(done, len(stamps))
    problem = _reindex(app, [path for path, _, _ in diffs]) if request.apply and diffs else ""
    return BackfillOutput(
        files=files,
        diffs=tuple(
            FileDiff(path=path, added=tuple(_surplus_lines(says, held)), removed=tuple(_surplus_lines(held, says)))
            for path, says, held in diffs
        ),
        added=_count_surplus((s, h) for _, s, h in diffs),
        removed=_count_surplus((h, s) for _, s, h in diffs),
        unreadable=tuple(unreadable),
        applied=request.apply,
        problem=problem or None,
    )


def _reindex(app: App, paths: Sequence[str]) -> str:
    """Index these files again; return the problems joined in one line, "" if there were none."""
    with app.unit_of_work.deciding(None):
        folded = app.indexer.catch_up(paths)
    return "; ".join([*(why for _, why in folded.unreadable), *filter(None, [folded.encoder_problem])])


def _facts_by_file(
    app: App, paths: Sequence[str], namespace: str, unreadable: list[str]
) -> Iterator[tuple[str, GraphFacts | None]]:
    """Yield each path with the graph facts its file states; None if it is deleted, unreadable or of another namespace.
    Error messages are appended to `unreadable`."""
    waiting = iter(paths)
    while batch := list(islice(waiting, BATCH)):
        for head in app.records.heads(batch):
            try:
                parsed = _parsed_head(app, head)
            except InputError as error:
                unreadable.append(error.message)
                parsed = None
            ours = parsed is not None and _namespace_of(parsed) == namespace
            yield head.path, facts_of(parsed, app.indexer.naming) if parsed and ours else None


def _parsed_head(app: App, head: FileHead) -> Parsed | None:
    """Parse a vault file; None if it is deleted."""
    if head.data is None:
        return None
    at = datetime.fromtimestamp(head.stamp.mtime_ns / 1e9, UTC) if head.stamp else app.clock.now()
    return parse(head.path, head.data, FileIdentity(app.indexer.namespace, app.key, at))


def _namespace_of(parsed: Parsed) -> str:
    """Return the namespace of a parsed file's document, episode or first memory; "" if it has none."""
    holder = parsed.document or parsed.episode or next((memory for memory, _ in parsed.memories), None)
    return holder.namespace if holder else ""


def _comparable(facts: GraphFacts) -> tuple[frozenset[object], ...]:
    """Return the facts as sets, one for each of `_KINDS`, to compare them regardless of order."""
    return tuple(map(frozenset, (facts.edges, facts.claims, facts.aliases, facts.entities, facts.homes)))


def _count_surplus(pairs: Iterator[tuple[GraphFacts, GraphFacts]]) -> dict[str, int]:
    """Count, by kind, what the first of each pair says and the second does not; kinds without any are left out."""
    out = dict.fromkeys(_KINDS, 0)
    for pair in pairs:
        for kind, one, other in zip(_KINDS, *map(_comparable, pair), strict=True):
            out[kind] += len(one - other)
    return {kind: count for kind, count in out.items() if count}


def _surplus_lines(one: GraphFacts, other: GraphFacts) -> Iterator[str]:
    """Yield a line for each fact that the first has and the other lacks, sorted within each kind of fact."""
    yield from sorted(_edge_line(each) for each in {*one.edges} - {*other.edges})
    yield from sorted(_claim_line(each) for each in {*one.claims} - {*other.claims})
    yield from sorted(f"{alias} is {key}" for alias, key in {*one.aliases} - {*other.aliases})
    for each in sorted({*one.entities} - {*other.entities}, key=lambda fact: fact.key):
        yield f"{each.name}: {each.type or 'named'}{' (defined)' if each.defines else ''}"
    yield from sorted(f"{memory} answers for {key}" for memory, key in {*one.homes} - {*other.homes})


def _edge_line(edge: Edge) -> str:
    """Render an edge as a line: `SOURCE TYPE TARGET`, its anchor and section if any, its confidence, and `, closed` if
    it ended."""
    anchor = f" {anchor_text(edge.anchor)}" if edge.anchor else ""
    where = f" ({edge.section})" if edge.section else ""
    ended = "" if edge.valid_until >= FOREVER else ", closed"
    return f"{edge.source} {edge.type} {edge.target}{anchor}{where} {edge.confidence:.2f}{ended}"


def _claim_line(claim: Claim) -> str:
    """Render a claim as a line `ENTITY: ATTRIBUTE = VALUE`, with ` (closed)` behind if it has an end."""
    ended = "" if claim.valid_until >= FOREVER else " (closed)"
    return f"{claim.entity}: {claim.attribute} = {claim.value}{ended}"


BACKFILL = Operation(
    "graph.backfill",
    "Read every file again, and show how the graph would change.\n\n"
    "As after other settings; nothing is changed unless that is asked for.\n",
    BackfillInput,
    BackfillOutput,
    lambda call, asked: backfill(call.app, asked, call.progress),
    "change",
    Surfaces("graph backfill", http=("POST /v1/graph/backfill",)),
)
