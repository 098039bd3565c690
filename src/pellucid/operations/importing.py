"""Transcripts in, memories out: read, redact, cut, then keep what is durable, or every turn as it was said."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from pellucid.app import App
from pellucid.capture.identity import unseen
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.capture.segment import segments
from pellucid.capture.transcripts.detect import Format
from pellucid.memory.keep import WAIT_S, episode_write, memory_write
from pellucid.memory.reconcile import Reconciler
from pellucid.model.turn import Segment, Turn
from pellucid.model.wire import Wire
from pellucid.observe.extract import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.pipeline import observe
from pellucid.store.records import FileWrite

Mode = Literal["extract", "verbatim"]
Progress = Callable[[int, int], None]
TURNS_A_COMMIT = 500
"""Turns whose memories are acknowledged together: what a crash can make a re-import do again, and never lose."""


class ImportInput(Wire):
    """What to import, how, and where to."""

    paths: tuple[Path, ...]
    mode: Mode = "extract"
    namespace: str
    transcript_format: Format | None = None


class ImportOutput(Wire):
    """What became of an import. Every turn that was read is kept, observed or dropped for a counted reason."""

    mode: Mode
    namespace: str
    files: int
    turns_read: int
    turns_taken: int
    memories: int
    episodes: int
    characters_in: int
    """Characters of the turns taken."""
    characters_out: int
    """Characters of the memories written."""
    compression_ratio: float | None = None
    verdicts: dict[str, int] = Field(default_factory=dict)
    """Observations by verdict and reason, e.g. `reject:chatter`."""
    dropped: dict[str, int] = Field(default_factory=dict)
    redactions: dict[str, int] = Field(default_factory=dict)
    malformed: int = 0
    problems: tuple[str, ...] = ()
    encoder_problem: str | None = None


def import_transcripts(app: App, request: ImportInput, on_progress: Progress | None = None) -> ImportOutput:
    """Import transcripts. Turns that an earlier import took are left out; an interrupted import goes on when repeated.

    Raises:
        InputError: a named file does not exist or is in no known format.
    """
    report = CaptureReport()
    turns = read(
        request.paths,
        app.settings.capture,
        report,
        transcript_format=request.transcript_format,
        on_progress=on_progress,
    )
    intake = Intake(app, request.namespace, request.mode)
    intake.take(unseen(turns, app.key, f"{request.namespace} {request.mode}", app.records.already_seen, report))
    return intake.outcome(report)


@dataclass(slots=True)
class Intake:
    """Takes turns into one namespace, a commit at a time."""

    app: App
    namespace: str
    mode: Mode
    memories: int = 0
    episodes: int = 0
    turns: int = 0
    characters_in: int = 0
    characters_out: int = 0
    overtaken: int = 0
    """Turns that another import, or another file of this one, took while this one was reading."""
    encoder_problem: str = ""
    verdicts: Counter[str] = field(default_factory=Counter[str])
    _keys: dict[int, bytes] = field(default_factory=dict[int, bytes])
    """The key of each turn in flight, by identity: two files may both say turn 3 of one session."""

    def take(self, keyed: Iterable[tuple[bytes, Turn]]) -> None:
        """Cut turns into segments and keep them; returns when the last is acknowledged and searchable."""
        batch: list[Segment] = []
        waiting = 0
        for segment in segments(self._remembering_keys(keyed)):
            batch.append(segment)
            waiting += len(segment.turns)
            if waiting >= TURNS_A_COMMIT:
                self._keep(batch)
                batch, waiting = [], 0
        if batch:
            self._keep(batch)

    def outcome(self, report: CaptureReport) -> ImportOutput:
        """What became of it all."""
        dropped = report.dropped + Counter({"already-imported": self.overtaken})
        ratio = round(self.characters_in / self.characters_out, 1) if self.characters_out else None
        return ImportOutput(
            mode=self.mode, namespace=self.namespace, files=report.files, turns_read=report.turns_read,
            turns_taken=self.turns, memories=self.memories, episodes=self.episodes,
            characters_in=self.characters_in, characters_out=self.characters_out, compression_ratio=ratio,
            verdicts=dict(self.verdicts.most_common()), dropped=dict(dropped.most_common()),
            redactions=dict(report.redactions.most_common()), malformed=report.malformed,
            problems=tuple(f"{each.path}:{each.line}: {each.reason}" for each in report.problems),
            encoder_problem=self.encoder_problem or None,
        )  # fmt: skip

    def _remembering_keys(self, keyed: Iterable[tuple[bytes, Turn]]) -> Iterator[Turn]:
        for key, turn in keyed:
            self._keys[id(turn)] = key
            yield turn

    def _keep(self, batch: Sequence[Segment]) -> None:
        """Keep one batch, alone: what another importer took since it was read is left out."""
        named = [(self._keys.pop(id(turn)), turn) for segment in batch for turn in segment.turns]
        with self.app.keeper.exclusive(WAIT_S):
            taken = self.app.records.already_seen({key for key, _ in named})
            fresh = {key: id(turn) for key, turn in reversed(named) if key not in taken}
            batch = _only(batch, set(fresh.values()))
            turns = [turn for segment in batch for turn in segment.turns]
            self.turns += len(turns)
            self.overtaken += len(named) - len(turns)
            self.characters_in += sum(len(turn.content) for turn in turns)
            writes, ledger = self._verbatim(batch) if self.mode == "verbatim" else self._extracted(batch)
            kept = self.app.keeper.commit("import", writes, ledger, fresh)
        self.encoder_problem = kept.folded.encoder_problem or self.encoder_problem

    def _verbatim(self, batch: Sequence[Segment]) -> tuple[list[FileWrite], list[dict[str, object]]]:
        written = [episode_write(segment, self.namespace, self.app.clock) for segment in batch]
        self.episodes += len(written)
        self.memories += sum(len(moments) for _, moments in written)
        self.characters_out += sum(len(moment.content) for _, moments in written for moment in moments)
        return [write for write, _ in written], []

    def _extracted(self, batch: Sequence[Segment]) -> tuple[list[FileWrite], list[dict[str, object]]]:
        extractor, judge = HeuristicExtractor(), HeuristicJudge()
        reconciler = Reconciler(self.app.index, self.namespace, self.app.clock)
        for segment in batch:
            reconciler.consider(observe(segment, extractor, judge, self.app.clock), segment.turns[0].agent)
        decided = reconciler.decide()
        self.memories += len(decided.memories)
        self.characters_out += sum(len(memory.content) for memory in decided.memories)
        self.verdicts.update(decided.verdicts)
        return [memory_write(memory) for memory in decided.memories], [row.to_wire() for row in decided.rows]


def _only(batch: Sequence[Segment], wanted: set[int]) -> list[Segment]:
    """The segments with these turns (by identity) and no others; empty ones are gone."""
    cut = (replace(s, turns=tuple(turn for turn in s.turns if id(turn) in wanted)) for s in batch)
    return [segment for segment in cut if segment.turns]
