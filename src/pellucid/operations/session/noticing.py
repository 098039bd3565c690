"""The turns of a session in, citations of what its recalls had served out: quoted, named, or a file of it worked on.

Nobody says these: they are seen. So only what nothing else in the session explains is one: a phrase, or a file, that
came up neither in the question nor in any earlier turn, and a phrase that other sessions do not say, too.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import InputError, StoreError
from pellucid.language.quoting.phrases import passage, phrases, row
from pellucid.memory.episodes import UNSAID
from pellucid.model.memory import Memory
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.artifacts import files_named, paths_given
from pellucid.operations.session.looking.turns import turns_at_hand
from pellucid.operations.using import KINDS, Deed, credit, note_use
from pellucid.recall.receipt.words import query_of
from pellucid.store.history.citations_port import Evidence, ServedRecall
from pellucid.store.index_port import EVERY_SCOPE, Admission

TELLING = 4
"""Words that carry meaning, in a row, from which a phrase is a quotation; `docs/citations.md` says why so many."""
_ID = re.compile(r"\bmem_[0-9a-f]{32}\b|(?<![\w-])[0-9a-f]{10}(?![\w-])")
_SHORT = 10
_LOOKED_AT = 32
"""Memories nearest to a phrase in which it is looked for."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """What a turn shows of a memory: of phrases where they stand in it, of a file its path, of an id nothing more."""

    memory: Memory
    evidence: Evidence
    turn: Turn
    said: Mapping[str, tuple[int, int]]


def notice(app: App, namespace: str, segments: Sequence[Segment], made: Sequence[str] = ()) -> None:
    """Cite what the turns of some segments show to have been used, of what recalls of their sessions served before.

    Memories that were made of them cite what they took the place of. History is never needed to take turns in: where it
    cannot be read or written, nothing is cited.

    Args:
        made: the ids of the memories that came of the segments.
    """
    if app.read_only:
        return
    by_session: dict[str, list[Turn]] = {}
    for segment in segments:
        by_session.setdefault(segment.session_id, []).extend(segment.turns)
    with suppress(StoreError, InputError, OSError):
        for session_id, turns in by_session.items():
            if recalls := app.citations.served(namespace, session_id):
                _Session(app, namespace, session_id, turns, recalls).notice()
                _notice_rewritten(app, namespace, session_id, made)


def _notice_rewritten(app: App, namespace: str, session_id: str, made: Sequence[str]) -> None:
    for new in (each.memory for each in app.index.memories(namespace, made)) if made else ():
        for old in new.supersedes if new.session_id == session_id else ():
            credit(app, namespace, old, Deed("rewrote", session_id, new.agent, f"by {new.id}", new.valid_at))


@dataclass(frozen=True, slots=True)
class _Held:
    """A memory that was served: its phrases, and the files that it names by a path."""

    memory: Memory
    phrases: Mapping[str, tuple[int, int]]
    files: frozenset[str]

    @classmethod
    def of(cls, memory: Memory) -> Self:
        files = frozenset(name for name in files_named(memory.content) if "/" in name)
        return cls(memory, phrases(memory.content, TELLING), files)


def _said_in(turn: Turn, served: Iterable[_Held]) -> Iterator[_Sign]:
    """The ids and the phrases of served memories that stand in a turn, which must be the agent's."""
    ids, here = set(_ID.findall(turn.content)), phrases(turn.content, TELLING)
    for each in served:
        if not ids.isdisjoint((each.memory.id, each.memory.id[-_SHORT:])):
            yield _Sign(each.memory, "id", turn, {})
        if shared := each.phrases.keys() & here.keys():
            yield _Sign(each.memory, "quoted", turn, {phrase: here[phrase] for phrase in shared})


@dataclass
class _Session:
    """Some turns of a session, and its recalls, the newest first."""

    app: App
    namespace: str
    session_id: str
    turns: Sequence[Turn]
    recalls: Sequence[ServedRecall]

    def notice(self) -> None:
        """Cite what the turns show, once a memory and kind."""
        cited = {(row.memory_id, row.kind) for row in self.app.citations.on(self.namespace, self.session_id)}
        for sign in self._signs():
            memory_id, kind = sign.memory.id, KINDS[sign.evidence]
            words = None if (memory_id, kind) in cited else self._borne_out(sign)
            if words is not None:
                deed = Deed(sign.evidence, self.session_id, sign.turn.agent, words, sign.turn.at)
                credit(self.app, self.namespace, memory_id, deed)
                note_use(self.app, self.namespace, [memory_id], "cited", self.session_id)
                cited.add((memory_id, kind))

    def _signs(self) -> Iterator[_Sign]:
        """What may be a sign, by the turn alone; a turn without a time may have been before the recall."""
        since: dict[str, int] = {}
        for recall in self.recalls:
            since |= dict.fromkeys(recall.memory_ids, recall.at)
        held = [_Held.of(each.memory) for each in self.app.index.memories(self.namespace, list(since))]
        for turn in self.turns:
            served = [each for each in held if turn.at and since[each.memory.id] <= epoch_ms(turn.at)]
            if served and turn.role == "assistant" and turn.kind not in UNSAID:
                yield from _said_in(turn, served)
            elif served and turn.kind == "call":
                given = paths_given(turn)
                yield from (
                    _Sign(each.memory, "file", turn, {path: (0, 0)})
                    for each in served
                    for path in sorted(each.files & given)
                )

    def _borne_out(self, sign: _Sign) -> str | None:
        """The words that are evidence of a sign; None where something else explains it."""
        if sign.evidence == "id":
            return sign.memory.id[-_SHORT:]
        before = [each for number, each in self._earlier if number < sign.turn.ordinal]
        before += [
            row(query_of(each.query)) for each in self.recalls if sign.turn.at and each.at <= epoch_ms(sign.turn.at)
        ]
        if sign.evidence == "file":
            (path,) = sign.said
            name = row(path.rpartition("/")[2]).strip()
            return None if any(name in each for each in before) else path
        new = {phrase for phrase in sign.said if not any(f" {phrase} " in each for each in before)}
        new -= self._said_elsewhere(new, sign.memory)
        return passage(sign.turn.content, [sign.said[phrase] for phrase in new]) if new else None

    @cached_property
    def _earlier(self) -> list[tuple[int, str]]:
        """The number and the words of each turn of the session that is at hand."""
        known = {turn.ordinal: turn for turn in turns_at_hand(self.app, self.namespace, self.session_id)}
        known |= {turn.ordinal: turn for turn in self.turns}
        return [(number, row(turn.content)) for number, turn in known.items()]

    def _said_elsewhere(self, said: Collection[str], memory: Memory) -> set[str]:
        """The phrases that other sessions say, too; not those that the memory came from, or that cited it."""
        own = {self.session_id, memory.session_id, *(each.rpartition(":")[0] for each in memory.evidence)}
        own |= {each.occasion for each in self.app.citations.of(self.namespace, memory.id)}
        admission = Admission(epoch_ms(self.app.clock.now()), granted=EVERY_SCOPE)
        found: set[str] = set()
        with self.app.index.reading(self.namespace) as reader:
            for phrase in said:
                stems = [term.stem for term in reader.survey(phrase, names=False).terms]
                near = reader.memories(reader.lexical(stems, admission, _LOOKED_AT, 0).rows)
                others = (each.memory for each in near if each.memory.session_id not in own)
                found |= {phrase for other in others if other.id != memory.id and f" {phrase} " in row(other.content)}
        return found
