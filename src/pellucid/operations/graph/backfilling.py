"""The files of a vault in, the changes of the graph if they were read again today out; and the change, if wanted.

The index contains the facts that were read from each file when it last changed. Settings or Pellucid's own rules can
have changed since then.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError
from pellucid.graph.extract import facts_of
from pellucid.graph.lines import anchor_text
from pellucid.model.entity import FOREVER, Claim, Edge, GraphFacts
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces, Text, in_home
from pellucid.vault.markdown import FileIdentity, Parsed, parse

BATCH = 256
"""Files read between two reports of progress."""
_KINDS = ("edges", "claims", "aliases", "entities", "answers")
"""The kinds of a file's facts that are counted; `answers` are its `homes`."""


class BackfillInput(Wire):
    """A namespace, and whether to apply the changes."""

    namespace: str
    apply: Annotated[bool, Flag("Go on from looking to doing.")] = False


class FileDiff(Wire):
    """The difference in the facts of one file: those that would be added and removed, each as a line of words."""

    path: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class BackfillOutput(Wire):
    """The changes that reading every file again would make, or has made if `applied`."""

    files: int
    """The number of files of the namespace that were read."""
    diffs: tuple[FileDiff, ...] = ()
    added: dict[str, int] = Field(default_factory=dict)
    """Maps kinds of facts to counts: edges, claims, aliases, entities, answers (which memory answers for a thing)."""
    removed: dict[str, int] = Field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    applied: bool = False
    problem: str | None = None
    """Why some changes could not be applied; None if all were, or none were to be."""


def backfill(app: App, request: BackfillInput) -> BackfillOutput:
    """Compare the graph facts that the vault's files of a namespace state today with those in the index, and return the
    differences by file; with `apply`, also read the files that differ into the index again. After every 256 files of
    the vault, the app's `progress` is called with the number of files done and of all. Unreadable files are named in
    the answer."""
    unreadable: list[str] = []
    diffs: list[tuple[str, GraphFacts, GraphFacts]] = []
    files = 0
    paths = [stamp.path for stamp in app.records.walk()]
    for done, (path, in_file) in enumerate(_facts_by_file(app, paths, request.namespace, unreadable), start=1):
        if in_file is not None:
            files += 1
            in_index = app.graph.facts(path)
            if _comparable(in_file) != _comparable(in_index):
                diffs.append((path, in_file, in_index))
        if done % BATCH == 0:
            app.progress(done, len(paths))
    problem = _reindex(app, [path for path, _, _ in diffs]) if request.apply and diffs else ""
    return BackfillOutput(
        files=files,
        diffs=tuple(
            FileDiff(path=path, added=tuple(_surplus_lines(new, old)), removed=tuple(_surplus_lines(old, new)))
            for path, new, old in diffs
        ),
        added=_count_surplus((new, old) for _, new, old in diffs),
        removed=_count_surplus((old, new) for _, new, old in diffs),
        unreadable=tuple(unreadable),
        applied=request.apply,
        problem=problem or None,
    )


def _reindex(app: App, paths: Sequence[str]) -> str:
    """Read these files into the index again, while nothing else may write, in any namespace; return the problems joined
    by `; `, "" if there were none.
    """
    with app.unit_of_work.deciding(None):
        folded = app.indexer.catch_up(paths)
    return "; ".join([*(why for _, why in folded.unreadable), *filter(None, [folded.encoder_problem])])


def _facts_by_file(
    app: App, paths: Sequence[str], namespace: str, unreadable: list[str]
) -> Iterator[tuple[str, GraphFacts | None]]:
    """Yield each path with the graph facts that its file states; with None if the file is deleted, unreadable or of
    another namespace. Appends the error message of each unreadable file to `unreadable`."""
    for path in paths:
        try:
            parsed = _parsed_file(app, path)
        except InputError as error:
            unreadable.append(error.message)
            parsed = None
        ours = parsed is not None and _namespace_of(parsed) == namespace
        yield path, facts_of(parsed, app.indexer.naming) if parsed and ours else None


def _parsed_file(app: App, path: str) -> Parsed | None:
    """Read and parse a vault file; None if the file is deleted, InputError if it cannot be read or parsed."""
    head = app.records.heads([path])[0]
    if head.data is None:
        return None
    at = datetime.fromtimestamp(head.stamp.mtime_ns / 1e9, UTC) if head.stamp else app.clock.now()
    return parse(head.path, head.data, FileIdentity(app.indexer.namespace, app.key, at))


def _namespace_of(parsed: Parsed) -> str:
    """Return the namespace of a parsed file's document, episode or first memory; "" if the file has none of these."""
    holder = parsed.document or parsed.episode or next((memory for memory, _ in parsed.memories), None)
    return holder.namespace if holder else ""


def _comparable(facts: GraphFacts) -> tuple[frozenset[object], ...]:
    """Return the facts as one set for each of `_KINDS` (edges, claims, aliases, entities, answers), in this order, so
    that they can be compared regardless of order."""
    return tuple(map(frozenset, (facts.edges, facts.claims, facts.aliases, facts.entities, facts.homes)))


def _count_surplus(pairs: Iterator[tuple[GraphFacts, GraphFacts]]) -> dict[str, int]:
    """Return a map from kinds of facts to the number of facts that the first of a pair has and the second lacks, summed
    over all pairs; kinds without such facts are left out."""
    counts = dict.fromkeys(_KINDS, 0)
    for pair in pairs:
        for kind, one, other in zip(_KINDS, *map(_comparable, pair), strict=True):
            counts[kind] += len(one - other)
    return {kind: count for kind, count in counts.items() if count}


def _surplus_lines(one: GraphFacts, other: GraphFacts) -> Iterator[str]:
    """Yield a line for each fact that `one` has and `other` lacks: edges, claims, aliases, entities, then which
    memories answer for things; sorted within each of these kinds."""
    yield from sorted(_edge_line(each) for each in {*one.edges} - {*other.edges})
    yield from sorted(_claim_line(each) for each in {*one.claims} - {*other.claims})
    yield from sorted(f"{alias} is {key}" for alias, key in {*one.aliases} - {*other.aliases})
    for each in sorted({*one.entities} - {*other.entities}, key=lambda fact: fact.key):
        yield f"{each.name}: {each.type or 'named'}{' (defined)' if each.defines else ''}"
    yield from sorted(f"{memory} answers for {key}" for memory, key in {*one.homes} - {*other.homes})


def _edge_line(edge: Edge) -> str:
    """Render an edge as a line: `SOURCE TYPE TARGET`, its anchor and section if it has them, its confidence, and
    `, closed` if the edge ended."""
    anchor = f" {anchor_text(edge.anchor)}" if edge.anchor else ""
    where = f" ({edge.section})" if edge.section else ""
    ended = "" if edge.valid_until >= FOREVER else ", closed"
    return f"{edge.source} {edge.type} {edge.target}{anchor}{where} {edge.confidence:.2f}{ended}"


def _claim_line(claim: Claim) -> str:
    """Render a claim as a line `ENTITY: ATTRIBUTE = VALUE`, followed by ` (closed)` if the claim ended."""
    ended = "" if claim.valid_until >= FOREVER else " (closed)"
    return f"{claim.entity}: {claim.attribute} = {claim.value}{ended}"


BACKFILL = Operation(
    "graph.backfill",
    "Read every file again, and show how the graph would change.\n\n"
    "As after other settings; nothing is changed unless that is asked for.\n",
    BackfillInput,
    BackfillOutput,
    in_home(backfill),
    "change",
    Surfaces("graph backfill", http=("POST /v1/graph/backfill",)),
    text=Text("graph.backfill_text", carry_out={"apply": True}),
)
