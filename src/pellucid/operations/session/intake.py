"""Keyed turns in, memories and episodes out: extracted or verbatim, a commit at a time, each turn exactly once."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Literal

from pellucid.app import App
from pellucid.capture.names import clean_pairs
from pellucid.capture.secrets.redact import redact
from pellucid.capture.segment import segments
from pellucid.errors import PellucidError
from pellucid.memory.changes import ChangeSet
from pellucid.memory.episodes import TurnsKept, episode_write, said
from pellucid.memory.erasure.tombstone import passage_keys, said_key, turn_keys
from pellucid.memory.reconcile.reconcile import Reconciler, Statement, in_context, statement_of
from pellucid.memory.trust.doubt import doubted_turns
from pellucid.model.artifact import Artifact
from pellucid.model.ledger import FlushRow, UnkeptRow
from pellucid.model.memory import Memory
from pellucid.model.observation import LONGEST_QUOTE, MemoryObservation
from pellucid.model.turn import Segment, Turn
from pellucid.observe.echo import heard_from, said_again
from pellucid.observe.extract.artifacts import artifacts, of_segment
from pellucid.observe.pipeline import observe
from pellucid.observe.unkept import Unkept, unkept
from pellucid.operations.extraction import Extraction, extraction
from pellucid.operations.session.noticing import notice
from pellucid.operations.session.restating import restate
from pellucid.operations.session.tally import IntakeTally
from pellucid.operations.settling import require_settled
from pellucid.operations.using import served_texts
from pellucid.store.records import FileWrite, OperationKind

Mode = Literal["extract", "verbatim", "both"]
TURNS_A_COMMIT = 500
"""Turns whose memories are acknowledged together: what a crash can make a re-import do again, and never lose."""


@dataclass(frozen=True, slots=True)
class SegmentCut:
    """A segment with the key of each of its turns."""

    segment: Segment
    keys: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """A segment after extraction: its observations, the artifacts of each turn, and what extraction took."""

    cut: SegmentCut
    observations: tuple[MemoryObservation, ...] = ()
    named: dict[int, list[Artifact]] = field(default_factory=dict[int, "list[Artifact]"])
    row: FlushRow | None = None
    unkept: tuple[Unkept, ...] = ()
    """What a person stated and nothing was made of."""
    doubted: frozenset[int] = frozenset()
    """The turns, by their number in the segment, that begin in quarantine whatever is made of them."""


@dataclass(slots=True)
class Intake:
    """Takes turns into one namespace, a commit at a time, each turn once, whoever else is at work.

    What was taken already is asked for where it may have come to be so: `capture.identity.unseen` leaves out what
    earlier imports took, `_not_taken_yet` what another process took since then or what comes twice, and
    `_commit_batch`, which alone may write meanwhile, what was taken during the extraction. `_unmarked_keys` looks for
    what is never to be asked about again, and was not marked so.
    """

    app: App
    namespace: str
    mode: Mode
    kind: OperationKind = "import"
    shared: Extraction | None = None
    """Who extracts and judges, if the intakes of one run share it: what a run may cost is counted for all of them."""
    forgotten_in: tuple[str, ...] = ()
    """Further namespaces in which a turn may have been forgotten before its session was filed by its folder."""
    tally: IntakeTally = field(default_factory=IntakeTally)
    _extraction: Extraction = field(init=False)

    def __post_init__(self) -> None:
        self._extraction = self.shared or extraction(self.app.settings, self.app.deadline)

    def take(self, keyed: Iterable[tuple[bytes, Turn]]) -> None:
        """Cut turns into segments and keep them; returns when the last is acknowledged and searchable.

        Raises:
            EncoderError: the extractor's endpoint failed; what was kept before is kept, and the rest is taken by
                repeating the import.
        """
        distribute(keyed, lambda _: self)

    def keep(self, batch: Sequence[SegmentCut]) -> list[str]:
        """Extract a batch of segments, then keep it, alone; turns that were taken or forgotten before are left out.

        Extraction, which may wait for a model, holds no lock; whatever another process took meanwhile is left out.

        Returns:
            The ids of the memories that were made, without passages.

        Raises:
            EncoderError: extraction failed at some segment; those before it are kept.
            DeadlineError: the time of the call was over before the last segment; those before it are kept.
            UnhealthyError: what was forgotten would not be known again; nothing of the batch is taken.
        """
        require_settled(self.app)
        observed: list[Observed] = []
        failure: PellucidError | None = None
        for cut in self._not_taken_yet(batch):
            try:
                self.app.deadline.check()
                observed.append(self._observe_cut(cut))
            except PellucidError as error:
                failure = error
                break
        unused = set[bytes]() if failure else self._unmarked_keys(batch, observed)
        made: list[str] = []
        if observed or unused:
            made, late = self._commit_batch(observed, unused)
            notice(self.app, self.namespace, [each.cut.segment for each in observed if each.cut not in late], made)
            # others took some of their turns meanwhile: read again without those
            made += self.keep(late) if late else []
        if failure:
            raise failure
        return made

    def _unmarked_keys(self, batch: Sequence[SegmentCut], observed: Sequence[Observed]) -> set[bytes]:
        """The keys of turns that were left out for good, and that no operation has marked as seen."""
        left_out = {key for cut in batch for key in cut.keys} - {key for each in observed for key in each.cut.keys}
        return left_out - self.app.records.already_seen(left_out)

    def _not_taken_yet(self, batch: Sequence[SegmentCut]) -> list[SegmentCut]:
        """The batch without turns that were taken or forgotten before; these are counted."""
        keys = {key for cut in batch for key in cut.keys}
        taken = self.app.records.already_seen(keys)
        out: list[SegmentCut] = []
        for cut in batch:
            pairs = [(key, turn) for key, turn in zip(cut.keys, cut.segment.turns, strict=True) if key not in taken]
            taken |= {key for key, _ in pairs}
            self.tally.overtaken += len(cut.keys) - len(pairs)
            allowed = self._not_forgotten([turn for _, turn in pairs])
            self.tally.forgotten += len(pairs) - len(allowed)
            if allowed:
                kept = [(key, turn) for key, turn in pairs if id(turn) in allowed]
                segment = replace(cut.segment, turns=tuple(turn for _, turn in kept))
                out.append(SegmentCut(segment, tuple(key for key, _ in kept)))
        return out

    def _not_forgotten(self, turns: Sequence[Turn]) -> set[int]:
        """Which turns, by their `id()`, were not forgotten."""
        dead = self.app.lookup.tombstone_keys()
        if not dead:
            return {id(turn) for turn in turns}
        named: dict[int, list[bytes]] = {id(turn): [] for turn in turns}
        for turn in turns:
            said = [f"{turn.session_id}:{turn.ordinal}-{turn.ordinal}"]
            for namespace in (self.namespace, *self.forgotten_in):
                named[id(turn)] += turn_keys(self.app.key, namespace, said)
        return {at for at, keys in named.items() if not dead.intersection(keys)}

    def _observe_cut(self, cut: SegmentCut) -> Observed:
        if self.mode == "verbatim":
            return Observed(cut, doubted=self._doubted_turns_of(cut))
        started, turns = perf_counter(), cut.segment.turns
        spent, unborne = self._extraction.spent(), self._extraction.dropped()
        found = observe(cut.segment, self._extraction.extractor, self._extraction.judge, self.app.clock)
        if self.app.settings.trust.enabled:
            found = [heard_from(observation, turns) for observation in found]
        if served := served_texts(self.app, self.namespace, cut.segment.session_id):
            found = [said_again(observation, served) for observation in found]
        if self._extraction.is_remote:
            found = [_without_secrets(observation) for observation in found]
        tokens_in, tokens_out, cost = self._extraction.spent(spent)
        row = FlushRow(
            session_id=cut.segment.session_id,
            namespace=self.namespace,
            at=self.app.clock.now(),
            signal=cut.segment.signal,
            turns=len(turns),
            by_role=dict(Counter(turn.role for turn in turns)),
            characters=sum(len(turn.content) for turn in turns),
            observations=len(found),
            accepted=sum(observation.judge_accepted for observation in found),
            seconds=round(perf_counter() - started, 6),
            extractor=self._extraction.name,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost=cost,
            dropped=dict(self._extraction.dropped() - unborne),
        )
        left = unkept(cut.segment, [each.fact for each in found])
        return Observed(cut, tuple(found), artifacts(turns), row, tuple(left), self._doubted_turns_of(cut, found))

    def _doubted_turns_of(self, cut: SegmentCut, found: Sequence[MemoryObservation] = ()) -> frozenset[int]:
        """The turns that begin in quarantine: of all that are kept, or of those that something was found in."""
        turns = cut.segment.turns if self.app.settings.trust.enabled else ()
        cited = {at for each in found for part in each.fact.evidence for at in range(part.start, part.end + 1)}
        asked = [at for at, turn in enumerate(turns) if self._keeps_turns or turn.ordinal in cited]
        return frozenset(doubted_turns(turns, asked))

    def _commit_batch(self, observed: list[Observed], unused: set[bytes]) -> tuple[list[str], list[SegmentCut]]:
        """Acknowledge what was read as one operation; `unused` are keys of turns never to be asked about again.

        Returns:
            The ids of the memories that were made, and what was left out: segments of which another process took
            turns while they were being read here.
        """
        with self.app.unit_of_work.deciding(self.namespace, self._likely_texts(observed)):
            taken = self.app.records.already_seen({key for each in observed for key in each.cut.keys})
            mine = [each for each in observed if not taken.intersection(each.cut.keys)]
            late = [each.cut for each in observed if taken.intersection(each.cut.keys)]
            turns = [turn for each in mine for turn in each.cut.segment.turns]
            self.tally.turns += len(turns)
            self.tally.characters_in += sum(len(turn.content) for turn in turns)
            if self.mode == "verbatim":
                writes, ledger, made = self._verbatim_writes(mine), [], []
            else:
                writes, ledger, made = self._extracted_writes(mine)
            seen = unused.union(*(each.cut.keys for each in mine))
            kept = self.app.unit_of_work.commit(self.kind, writes, ledger, seen)
            self.tally.operations += [kept.op_id] if writes else []
        self.tally.encoder_problem = kept.folded.encoder_problem or self.tally.encoder_problem
        return made, late

    def _likely_texts(self, observed: Sequence[Observed]) -> Iterator[str]:
        """What is likely to be kept of it: what was observed, and the passages of its turns."""
        for each in observed:
            yield from (found.fact.content for found in each.observations if found.judge_accepted)
            yield from said(each.cut.segment.turns, tools=self.mode != "both") if self._keeps_turns else ()

    @property
    def _keeps_turns(self) -> bool:
        return self.mode != "extract" or self.app.settings.observe.trace_retention == "episode"

    def _verbatim_writes(self, observed: Sequence[Observed]) -> list[FileWrite]:
        made = (
            episode_write(each.cut.segment, self.namespace, self.app.clock, keeping=self._turns_kept(each))
            for each in observed
        )
        written = [(write, held) for write, held in made if held]
        moments = [moment for _, held in written for moment in held]
        self.tally.episodes += len(written)
        self.tally.passages += len(moments)
        self.tally.memories += len(moments)
        self.tally.characters_out += sum(len(moment.content) for moment in moments)
        return [write for write, _ in written]

    def _extracted_writes(
        self, observed: Sequence[Observed]
    ) -> tuple[list[FileWrite], list[dict[str, object]], list[str]]:
        """The files and the rows of the ledger that come of segments, and the ids of the memories that were made."""
        changes = ChangeSet(self.app.records, self.namespace, "extraction", self.app.clock)
        trust = self.app.settings.trust.enabled
        reconciler = Reconciler(self.app.index, self.app.lookup, changes, self.app.key, trust=trust, restate=restate)
        episodes = [self.app.clock.new_id("ep") for _ in observed]
        stated = [self._statements(each, changes, episode) for each, episode in zip(observed, episodes, strict=True)]
        for found in stated:
            reconciler.consider(found)
        decided = reconciler.decide()
        plan, made = changes.plan(), changes.fresh
        told, moments = self._episodes(observed, episodes, made)
        self.tally.passages += moments
        self.tally.memories += len(made)
        self.tally.episodes += len(told)
        self.tally.characters_out += sum(len(memory.content) for memory in made)
        self.tally.verdicts.update(decided.codes)
        flushed = [each.row for each in observed if each.row]
        for row in flushed:
            self.tally.verdicts.update({f"drop:{reason}": count for reason, count in row.dropped.items()})
        rows = [row.to_wire() for row in (*flushed, *self._unkept_rows(observed))]
        return [*plan.writes, *told], [*rows, *decided.rows, *plan.rows], [memory.id for memory in made]

    def _unkept_rows(self, observed: Sequence[Observed]) -> Iterator[UnkeptRow]:
        """A row for each statement that nothing was made of: `why` finds it by its words, which are not kept."""
        for each in (left for part in observed for left in part.unkept):
            self.tally.unkept[each.reason.partition(":")[0]] += 1
            yield UnkeptRow(
                session_id=each.evidence.source,
                namespace=self.namespace,
                at=self.app.clock.now(),
                evidence=(str(each.evidence),),
                reason=each.reason,
                said=(said_key(self.app.key, self.namespace, each.text),),
            )

    def _statements(self, observed: Observed, changes: ChangeSet, episode: str) -> list[Statement]:
        """The observations of a segment as statements to be reconciled, each tied to the `episode`'s id."""
        agent, trust = observed.cut.segment.turns[0].agent, self.app.settings.trust.enabled
        found = [statement_of(each, changes, agent, trust=trust) for each in observed.observations]
        if trust:
            doubted = {observed.cut.segment.turns[number].ordinal for number in observed.doubted}
            found = [in_context(each, doubted) for each in found]
        return [
            replace(
                each,
                memory=each.memory.model_copy(
                    update={"episode_id": episode, "artifact_ids": self._artifact_ids(each, observed)}
                ),
            )
            for each in found
        ]

    def _artifact_ids(self, stated: Statement, observed: Observed) -> tuple[str, ...]:
        """The ids of the files, URLs and the like that the turns behind a statement name."""
        evidence = stated.observation.fact.evidence if stated.observation else ()
        turns = [ordinal for each in evidence for ordinal in range(each.start, each.end + 1)]
        named = [artifact.id(self.namespace) for ordinal in turns for artifact in observed.named.get(ordinal, ())]
        return tuple(dict.fromkeys(named))

    def _episodes(
        self, observed: Sequence[Observed], ids: Sequence[str], made: Sequence[Memory]
    ) -> tuple[list[FileWrite], int]:
        """An episode for each segment that something came of, and how many passages of turns stand in them."""
        members: dict[str, list[Memory]] = {}
        for memory in made:
            members.setdefault(memory.episode_id or "", []).append(memory)
        written = [
            episode_write(
                each.cut.segment,
                self.namespace,
                self.app.clock,
                id=episode,
                memories=members.get(episode, ()),
                artifacts=of_segment(each.named),
                keeping=self._turns_kept(each) if self._keeps_turns else None,
            )
            for each, episode in zip(observed, ids, strict=True)
            if self._keeps_turns or episode in members
        ]
        return [write for write, _ in written], sum(len(moments) for _, moments in written)

    def _turns_kept(self, observed: Observed) -> TurnsKept:
        """How the turns behind memories are kept: what tools were told and printed stays out of `both`."""
        permitted = partial(self._without_forgotten, self.app.lookup.tombstone_keys())
        return TurnsKept(observed.doubted, tools=self.mode != "both", permitted=permitted)

    def _without_forgotten(self, dead: set[bytes], passages: list[str]) -> list[str]:
        if not dead:
            return passages
        return [each for each in passages if dead.isdisjoint(passage_keys(self.app.key, self.namespace, each))]


def _without_secrets(observation: MemoryObservation) -> MemoryObservation:
    """An observation with secrets taken out: a model may put one together that no single turn held."""
    fact = observation.fact
    clean = {
        "content": redact(fact.content).text,
        "tags": tuple(redact(tag).text for tag in fact.tags),
        "entity_ref": fact.entity_ref and redact(fact.entity_ref).text,
        "structured_attributes": clean_pairs(fact.structured_attributes)[0],
        "evidence": tuple(
            each.model_copy(update={"quote": redact(each.quote).text[:LONGEST_QUOTE]}) for each in fact.evidence
        ),
    }
    return observation.model_copy(update={"fact": fact.model_copy(update=clean)})


def purpose_of(namespace: str, mode: Mode) -> str:
    """What turns are taken for, as their keys say it (`turn_key`); other words here would import everything again."""
    return f"{namespace} {mode}"


def distribute(keyed: Iterable[tuple[bytes, Turn]], intake_of: Callable[[str], Intake]) -> None:
    """Cut turns into segments, and have each kept by the intake of its session; returns when all are searchable.

    Raises:
        EncoderError: the extractor's endpoint failed, see `Intake.take`.
    """
    batches: dict[str, tuple[Intake, list[SegmentCut]]] = {}
    waiting = 0
    for cut in _segment_cuts(keyed):
        intake = intake_of(cut.segment.session_id)
        batches.setdefault(intake.namespace, (intake, []))[1].append(cut)
        waiting += len(cut.keys)
        if waiting >= TURNS_A_COMMIT:
            _keep_all(batches)
            waiting = 0
    _keep_all(batches)


def _keep_all(batches: dict[str, tuple[Intake, list[SegmentCut]]]) -> None:
    for intake, batch in batches.values():
        intake.keep(batch)
    batches.clear()


def _segment_cuts(keyed: Iterable[tuple[bytes, Turn]]) -> Iterator[SegmentCut]:
    keys: dict[int, bytes] = {}  # of each turn in flight, by identity: two files may both say turn 3 of one session

    def remembering_keys() -> Iterator[Turn]:
        for key, turn in keyed:
            keys[id(turn)] = key
            yield turn

    for segment in segments(remembering_keys()):
        yield SegmentCut(segment, tuple(keys.pop(id(turn)) for turn in segment.turns))
