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
from pellucid.memory.episodes import TurnsKept, episode_write, kept_passages
from pellucid.memory.erasure.tombstone import said_key, turn_key
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.reconcile.statement import Statement, quarantine_if_doubted, statement_of
from pellucid.memory.trust.doubt import Doubt, doubted_turns
from pellucid.model.artifact import Artifact
from pellucid.model.ledger import FlushRow, UnkeptRow
from pellucid.model.memory import Memory
from pellucid.model.observation import LONGEST_QUOTE, MemoryObservation
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.artifacts import artifacts_by_turn, merge_artifacts
from pellucid.observe.pipeline import observe
from pellucid.observe.source import reject_repetition, with_echoed_source
from pellucid.observe.unkept import Unkept, unkept_statements
from pellucid.operations.extraction import Extraction, open_extraction
from pellucid.operations.session.noticing import notice
from pellucid.operations.session.tally import IntakeTally
from pellucid.operations.settling import require_settled
from pellucid.operations.using import served_texts
from pellucid.store.records import FileWrite, OperationKind

Mode = Literal["extract", "verbatim", "both"]
TURNS_A_COMMIT = 500
"""Turns whose memories are committed together: a repeated import after a crash does at most this many again."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A segment after extraction, with its observations and its ledger row."""

    segment: Segment
    observations: tuple[MemoryObservation, ...] = ()
    artifacts: dict[int, list[Artifact]] = field(default_factory=dict[int, "list[Artifact]"])
    """Maps the ordinals of turns to the artifacts that they name."""
    row: FlushRow | None = None
    unkept: tuple[Unkept, ...] = ()
    """Statements of a person that became no observation."""
    doubted: dict[int, Doubt] = field(default_factory=dict[int, Doubt])
    """Maps positions of turns in the segment to what of them is doubted: it begins in quarantine.

    Not ordinals, as evidence has them: two files of one session repeat these, and a doubt would replace another.
    """


@dataclass(slots=True)
class Intake:
    """Makes memories of turns in one namespace, a commit at a time, each turn once even if other processes do the same.

    What a turn states goes from `ObservedStatement` (a sentence) to `ExtractedFact` (with its evidence), `Candidate`
    (weighed), `MemoryObservation` (judged), `Statement` (with the memory that it would be) and `Memory` (kept).

    `capture.identity.new_turns` leaves out turns that earlier imports took, `_not_taken_yet` those that others took
    since, and `_commit_batch`, which holds the write lock, those that others took during the extraction.
    """

    app: App
    namespace: str
    mode: Mode
    kind: OperationKind = "import"
    shared: Extraction | None = None
    """The extractor and judge that all intakes of one run share, so that the costs of the run are counted together."""
    forgotten_in: tuple[str, ...] = ()
    """Further namespaces in which a turn can have been forgotten, before its session was filed by its folder."""
    tally: IntakeTally = field(default_factory=IntakeTally)
    _extraction: Extraction = field(init=False)

    def __post_init__(self) -> None:
        """Use the shared extraction, or open one; errors as of `open_extraction`."""
        self._extraction = self.shared or open_extraction(self.app.settings, self.app.deadline)

    def take(self, turns: Iterable[Turn]) -> None:
        """Cut turns, whose `fingerprint` is set, into segments and keep these; returns when all are searchable. All
        turns go to this namespace: an import, which has several, calls `distribute` itself. After an EncoderError,
        DeadlineError or UnhealthyError (see `keep`), what was kept before stays, and a repeated import takes the
        rest."""
        distribute(turns, lambda _: self)

    def keep(self, batch: Sequence[Segment]) -> list[str]:
        """Extract memories from segments without holding a lock, commit them, and cite memories that the turns used.
        Return the ids of the new extracted memories; none for passages.

        Raises:
            EncoderError: extraction failed at some segment; the segments before it are committed.
            DeadlineError: the time of the call was over before the last segment; the segments before are committed.
            UnhealthyError: forgotten turns would not be recognised (see `require_settled`); nothing is taken.
        """
        require_settled(self.app)
        observed: list[Observed] = []
        failure: PellucidError | None = None
        for segment in self._not_taken_yet(batch):
            try:
                self.app.deadline.check()
                observed.append(self._observe_segment(segment))
            except PellucidError as error:
                failure = error
                break
        # after a failure none: a repeated import has to take the turns that were not reached
        ids, keys_left_out = list[str](), set[bytes]() if failure else self._unmarked_keys(batch, observed)
        if observed or keys_left_out:
            made, late = self._commit_batch(observed, keys_left_out)
            notice(self.app, self.namespace, [each.segment for each in observed if each.segment not in late], made)
            ids += [memory.id for memory in made]
            ids += self.keep(late) if late else []  # again, without the turns that other processes took
        if failure:
            raise failure
        return ids

    def _unmarked_keys(self, batch: Sequence[Segment], observed: Sequence[Observed]) -> set[bytes]:
        """Return the keys of the batch's turns that were not observed and that the journal has not marked as seen.

        These are forgotten turns: once the caller marks them as seen, a later import leaves them out at once."""
        left_out = _fingerprints(batch) - _fingerprints(each.segment for each in observed)
        # asked again after `_not_taken_yet`: another process may have marked some since
        return left_out - self.app.records.already_seen(left_out)

    def _not_taken_yet(self, batch: Sequence[Segment]) -> list[Segment]:
        """Return the batch without the turns that were taken or forgotten before, which are counted, and without the
        segments that have no other turns."""
        taken = self.app.records.already_seen(_fingerprints(batch))
        tombstones = self.app.lookup.tombstone_keys()
        remaining: list[Segment] = []
        for segment in batch:
            untaken = [turn for turn in segment.turns if turn.fingerprint not in taken]
            taken |= {turn.fingerprint for turn in untaken}
            self.tally.overtaken += len(segment.turns) - len(untaken)
            allowed = [turn for turn in untaken if not self._is_forgotten(turn, tombstones)]
            self.tally.forgotten += len(untaken) - len(allowed)
            if allowed:
                remaining.append(replace(segment, turns=tuple(allowed)))
        return remaining

    def _is_forgotten(self, turn: Turn, tombstones: set[bytes]) -> bool:
        """Whether the turn was forgotten in this namespace or in `forgotten_in`: one of these tombstone keys is of
        evidence that names it.

        What is extracted from a turn that stays is checked once more by the reconciler: its words may be forgotten.
        """
        if not tombstones:
            return False
        namespaces = (self.namespace, *self.forgotten_in)
        return any(turn_key(self.app.key, each, turn.session_id, turn.ordinal) in tombstones for each in namespaces)

    def _observe_segment(self, segment: Segment) -> Observed:
        """Extract observations from a segment and judge them, rejecting what only repeats a memory that a recall served
        to the session; in verbatim mode only find the doubted turns."""
        if self.mode == "verbatim":
            return Observed(segment, doubted=self._doubted_turns(segment))
        started, turns = perf_counter(), segment.turns
        spent_before, dropped_before = self._extraction.spent(), self._extraction.dropped()
        found = observe(segment, self._extraction.extractor, self._extraction.judge, self.app.clock)
        # these come after the judge, since they change what it gives: the source, the verdict, a model's words
        if self.app.settings.trust.enabled:
            found = [with_echoed_source(observation, turns) for observation in found]
        if served := served_texts(self.app, self.namespace, segment.session_id):
            found = [reject_repetition(observation, served) for observation in found]
        if self._extraction.is_remote:
            found = [_without_secrets(observation) for observation in found]
        tokens_in, tokens_out, cost = self._extraction.spent(spent_before)
        row = FlushRow(
            session_id=segment.session_id,
            namespace=self.namespace,
            at=self.app.clock.now(),
            signal=segment.signal,
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
            dropped=dict(self._extraction.dropped() - dropped_before),
        )
        unkept = unkept_statements(segment, [each.fact for each in found])
        doubted = self._doubted_turns(segment, found)
        return Observed(segment, tuple(found), artifacts_by_turn(turns), row, tuple(unkept), doubted)

    def _doubted_turns(self, segment: Segment, observations: Sequence[MemoryObservation] = ()) -> dict[int, Doubt]:
        """Return a map from positions in the segment to what of these turns is doubted, as it reads as an injected
        instruction; empty if trust is off. Only turns that are kept or are evidence of an observation are examined."""
        turns = segment.turns if self.app.settings.trust.enabled else ()
        cited = {at for each in observations for at in each.fact.cited}
        checked = [at for at, turn in enumerate(turns) if self._keeps_turns or turn.ordinal in cited]
        return doubted_turns(turns, checked)

    def _commit_batch(
        self, observed: list[Observed], keys_left_out: set[bytes]
    ) -> tuple[Sequence[Memory], list[Segment]]:
        """Commit observed segments as one operation, and mark their turns and the keys in `keys_left_out` as seen.

        Return the extracted memories (none in mode `verbatim`), and the segments left out, as another process took some
        of their turns meanwhile.
        """
        with self.app.unit_of_work.deciding(self.namespace, self._likely_texts(observed)):
            taken = self.app.records.already_seen(_fingerprints(each.segment for each in observed))
            late = [each.segment for each in observed if taken.intersection(_fingerprints([each.segment]))]
            untaken = [each for each in observed if each.segment not in late]
            turns = [turn for each in untaken for turn in each.segment.turns]
            self.tally.turns += len(turns)
            self.tally.characters_in += sum(len(turn.content) for turn in turns)
            if self.mode == "verbatim":
                writes, ledger, made = self._verbatim_writes(untaken), [], ()
            else:
                writes, ledger, made = self._extracted_writes(untaken)
            seen = keys_left_out.union(turn.fingerprint for turn in turns)
            committed = self.app.unit_of_work.commit(self.kind, writes, ledger, seen)
            self.tally.operations += [committed.op_id] if writes else []
        self.tally.encoder_problem = committed.folded.encoder_problem or self.tally.encoder_problem
        return made, late

    def _likely_texts(self, observed: Sequence[Observed]) -> Iterator[str]:
        """Yield the texts to encode before the lock is taken: accepted facts and, if turns are kept, their passages."""
        for each in observed:
            yield from (found.fact.content for found in each.observations if found.judge_accepted)
            # cut again to be written: which of them may be kept is known only under the lock
            yield from kept_passages(each.segment.turns, tools=self.mode != "both") if self._keeps_turns else ()

    @property
    def _keeps_turns(self) -> bool:
        """Whether the turns are kept word for word, as passages."""
        return self.mode != "extract" or self.app.settings.observe.trace_retention == "episode"

    def _verbatim_writes(self, observed: Sequence[Observed]) -> list[FileWrite]:
        """Return the writes of the episode files, of segments with passages, in verbatim mode; `tally` counts these."""
        made = (
            episode_write(each.segment, self.namespace, self.app.clock, keeping=kept)
            for each, kept in zip(observed, self._retentions(observed), strict=True)
        )
        written = [(write, moments) for write, moments in made if moments]
        moments = [each for _, moments in written for each in moments]
        self.tally.episodes += len(written)
        self.tally.count_passages(moments)
        self.tally.memories += len(moments)
        self.tally.characters_out += sum(len(moment.content) for moment in moments)
        return [write for write, _ in written]

    def _extracted_writes(
        self, observed: Sequence[Observed]
    ) -> tuple[list[FileWrite], list[dict[str, object]], Sequence[Memory]]:
        """Reconcile the observations with known memories. Return the file writes and ledger rows of the segments, and
        the new memories; count all of these."""
        changes = ChangeSet(self.app.records, self.namespace, "extraction", self.app.clock)
        trust = self.app.settings.trust.enabled
        reconciler = Reconciler(self.app.index, self.app.lookup, changes, self.app.key, trust=trust)
        episodes = [self.app.clock.new_id("ep") for _ in observed]
        for each, episode in zip(observed, episodes, strict=True):
            reconciler.consider(self._statements(each, changes, episode))
        decided = reconciler.decide()
        plan, made = changes.plan(), changes.fresh
        episode_files = self._episode_writes(observed, episodes, made)
        self.tally.memories += len(made)
        self.tally.episodes += len(episode_files)
        self.tally.characters_out += sum(len(memory.content) for memory in made)
        self.tally.verdicts.update(decided.codes)
        flushed = [each.row for each in observed if each.row]
        for row in flushed:
            self.tally.verdicts.update({f"drop:{reason}": count for reason, count in row.dropped.items()})
        rows = [row.to_wire() for row in (*flushed, *self._unkept_rows(observed))]
        return [*plan.writes, *episode_files], [*rows, *decided.rows, *plan.rows], made

    def _unkept_rows(self, observed: Sequence[Observed]) -> Iterator[UnkeptRow]:
        """Yield a ledger row for each unkept statement, with a keyed hash of its words, by which `why` finds it; count
        the statements by reason."""
        for each in (unkept for part in observed for unkept in part.unkept):
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
        """Convert a segment's observations into statements for the reconciler, those with doubted words in quarantine;
        their memories get the id `episode` and the ids of their artifacts."""
        agent, trust = observed.segment.turns[0].agent, self.app.settings.trust.enabled
        statements = [statement_of(each, changes, agent, trust=trust) for each in observed.observations]
        statements = [quarantine_if_doubted(each, _doubted_ordinals(each, observed)) for each in statements]
        return [
            replace(
                each,
                memory=each.memory.model_copy(
                    update={"episode_id": episode, "artifact_ids": self._artifact_ids(each, observed)}
                ),
            )
            for each in statements
        ]

    def _artifact_ids(self, statement: Statement, observed: Observed) -> tuple[str, ...]:
        """Return the ids of the artifacts (files, URLs, …) that the turns in a statement's evidence name, each once."""
        turns = statement.observation.fact.cited if statement.observation else ()
        ids = [artifact.id(self.namespace) for ordinal in turns for artifact in observed.artifacts.get(ordinal, ())]
        return tuple(dict.fromkeys(ids))

    def _episode_writes(
        self, observed: Sequence[Observed], ids: Sequence[str], made: Sequence[Memory]
    ) -> list[FileWrite]:
        """Return the writes of the episode files, and count the passages in them in `tally`: of all segments if turns
        are kept, else of those with memories in `made`. `ids` are the segments' episode ids."""
        members: dict[str, list[Memory]] = {}
        for memory in made:
            members.setdefault(memory.episode_id or "", []).append(memory)
        written = [
            episode_write(
                each.segment,
                self.namespace,
                self.app.clock,
                id=episode,
                memories=members.get(episode, ()),
                artifacts=merge_artifacts(each.artifacts),
                keeping=kept if self._keeps_turns else None,
            )
            for each, episode, kept in zip(observed, ids, self._retentions(observed), strict=True)
            if self._keeps_turns or episode in members
        ]
        self.tally.count_passages([each for _, moments in written for each in moments])
        return [write for write, _ in written]

    def _retentions(self, observed: Sequence[Observed]) -> list[TurnsKept]:
        """Return for each segment which turns are kept word for word (not those forgotten nor, in mode `both`, the
        output of tools), and what of them is doubted."""
        tombstones = self.app.lookup.tombstone_keys()  # asked again under the lock: something may be forgotten since
        kept = partial(TurnsKept, tools=self.mode != "both", tombstones=tombstones, secret=self.app.key)
        return [kept(each.doubted) for each in observed]


def _doubted_ordinals(statement: Statement, observed: Observed) -> set[int]:
    """Return the ordinals of a segment's doubted turns that do not clear the statement: all of it is doubted, or its
    text or a quote overlaps what is, or is not found there. The caller asks which of these its evidence cites."""
    fact = statement.observation and statement.observation.fact
    texts = [fact.content, *(each.quote for each in fact.evidence if each.quote)] if fact else []
    places = (at for at, doubt in observed.doubted.items() if any(map(doubt.covers, texts)))
    return {observed.segment.turns[at].ordinal for at in places}


def _without_secrets(observation: MemoryObservation) -> MemoryObservation:
    """Return the observation with secrets redacted again, since a model can assemble a secret from parts."""
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
    """Return `NAMESPACE MODE`, a part of the key by which a turn that was imported before is recognised. With another
    form of it, everything would be imported again."""
    return f"{namespace} {mode}"


def distribute(turns: Iterable[Turn], intake_of: Callable[[str], Intake]) -> None:
    """Cut a stream of turns, which have fingerprints, into segments, and let the intake that `intake_of` returns for
    each segment's session keep it, some 500 turns at a time. Errors of `Intake.keep` end it; what was kept stays."""
    batches: dict[str, tuple[Intake, list[Segment]]] = {}
    waiting = 0
    for segment in segments(turns):
        intake = intake_of(segment.session_id)
        batches.setdefault(intake.namespace, (intake, []))[1].append(segment)
        waiting += len(segment.turns)
        if waiting >= TURNS_A_COMMIT:
            _keep_batches(batches)
            waiting = 0
    _keep_batches(batches)


def _keep_batches(batches: dict[str, tuple[Intake, list[Segment]]]) -> None:
    """Let each intake of `batches` (by namespace, with its segments) keep its segments, and empty the map."""
    for intake, batch in batches.values():
        intake.keep(batch)
    batches.clear()


def _fingerprints(parts: Iterable[Segment]) -> set[bytes]:
    """Return the fingerprints of the turns of some segments."""
    return {turn.fingerprint for segment in parts for turn in segment.turns}
