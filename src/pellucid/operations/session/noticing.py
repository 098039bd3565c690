"""The turns of a session in, citations of memories that its recalls served out: quoted, named, or their files used.

Nobody reports these citations: they are observed. So a phrase or a file counts only if nothing else explains it: if it
is neither in the question nor in any earlier turn, and a phrase only if other sessions do not have it, too.
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
from pellucid.language.quoting.phrases import longest_covered, phrases, words_row
from pellucid.memory.episodes import UNSAID
from pellucid.model.memory import Memory
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.artifacts import files_named, paths_in_call
from pellucid.operations.session.looking.turns import turns_at_hand
from pellucid.operations.using import KINDS, MemoryUse, cite_if_served, note_use
from pellucid.recall.receipt.words import query_of
from pellucid.store.history.citations_port import Evidence, ServedRecall
from pellucid.store.index_port import EVERY_SCOPE, Admission

TELLING = 4
"""The number of content words in a row that make a phrase a quotation; `docs/citations.md` says why so many."""
_ID = re.compile(r"\bmem_[0-9a-f]{32}\b|(?<![\w-])[0-9a-f]{10}(?![\w-])")
_SHORT = 10
_LOOKED_AT = 32
"""The number of memories nearest to a phrase in which the phrase is searched."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A possible use of a memory by a turn: its `words` are phrases with their spans in the turn, or a file's path."""

    memory: Memory
    evidence: Evidence
    turn: Turn
    words: Mapping[str, tuple[int, int]]


def notice(app: App, namespace: str, segments: Sequence[Segment], made: Sequence[Memory]) -> None:
    """Store citations of the memories that earlier recalls served to the sessions of these segments, and that the
    segments used or that the memories `made` of them replaced. Each memory used also gets a record of its use.

    Nothing is cited if the home is read-only. An error of history, index or transcript ends it and is not raised.
    """
    if app.read_only:
        return
    by_session: dict[str, list[Turn]] = {}
    for segment in segments:
        by_session.setdefault(segment.session_id, []).extend(segment.turns)
    with suppress(StoreError, InputError, OSError):
        for session_id, turns in by_session.items():
            # asked again, after `served_texts`: a recall may have been served during the extraction
            if recalls := app.citations.served(namespace, session_id):
                _SessionUses(app, namespace, session_id, turns, recalls).cite_uses()
                _cite_rewritten(app, namespace, session_id, made)


def _cite_rewritten(app: App, namespace: str, session_id: str, made: Sequence[Memory]) -> None:
    """Cite each memory that one of the memories `made` of this session replaced, if a recall had served it to the
    session.
    """
    for new in made:
        for old in new.supersedes if new.session_id == session_id else ():
            cite_if_served(
                app, namespace, old, MemoryUse("rewrote", session_id, new.agent, f"by {new.id}", new.valid_at)
            )


@dataclass(frozen=True, slots=True)
class _ServedMemory:
    """A memory that was served, with its phrases (and their spans) and the files that it names by a path."""

    memory: Memory
    phrases: Mapping[str, tuple[int, int]]
    files: frozenset[str]

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return a record of the memory, the phrases in its content (runs of words with 4 (`TELLING`) content words),
        and the files that it names by a path with `/`."""
        files = frozenset(name for name in files_named(memory.content) if "/" in name)
        return cls(memory, phrases(memory.content, TELLING), files)


def _uses_in_words(turn: Turn, served: Iterable[_ServedMemory]) -> Iterator[_Use]:
    """Yield a possible use for each served memory whose id, or its last ten characters, stands in the turn as a word,
    and another for each that shares phrases with the turn: runs of words with `TELLING` (4) content words."""
    ids, in_turn = set(_ID.findall(turn.content)), phrases(turn.content, TELLING)
    for each in served:
        if not ids.isdisjoint((each.memory.id, each.memory.id[-_SHORT:])):
            yield _Use(each.memory, "id", turn, {})
        if shared := each.phrases.keys() & in_turn.keys():
            yield _Use(each.memory, "quoted", turn, {phrase: in_turn[phrase] for phrase in shared})


@dataclass
class _SessionUses:
    """Finds and cites the memories that some turns of a session used, of those that its recalls (newest first)
    served."""

    app: App
    namespace: str
    session_id: str
    turns: Sequence[Turn]
    recalls: Sequence[ServedRecall]

    def cite_uses(self) -> None:
        """Store citations of the memories that the turns used, each memory once in the session for each kind of
        citation, and record each as a use of the memory."""
        cited = {(row.memory_id, row.kind) for row in self.app.citations.on(self.namespace, self.session_id)}
        for use in self._possible_uses():
            memory_id, kind = use.memory.id, KINDS[use.evidence]
            words = None if (memory_id, kind) in cited else self._evidence_words(use)
            if words is not None:
                deed = MemoryUse(use.evidence, self.session_id, use.turn.agent, words, use.turn.at)
                # the recall is asked of the history anew: of several that served it, that of the turn's own time counts
                cite_if_served(self.app, self.namespace, memory_id, deed)
                note_use(self.app, self.namespace, [memory_id], "cited", self.session_id)
                cited.add((memory_id, kind))

    def _possible_uses(self) -> Iterator[_Use]:
        """Yield the possible uses of memories in turns after they were first served: their id or words in what the
        agent says, or a file that they name as an argument of a tool call. Turns without a time are left out."""
        since: dict[str, int] = {}
        for recall in self.recalls:
            since |= dict.fromkeys(recall.memory_ids, recall.at)
        memories = [_ServedMemory.of(each.memory) for each in self.app.index.memories(self.namespace, list(since))]
        for turn in self.turns:
            served = [each for each in memories if turn.at and since[each.memory.id] <= epoch_ms(turn.at)]
            if served and turn.role == "assistant" and turn.kind not in UNSAID:
                yield from _uses_in_words(turn, served)
            elif served and turn.kind == "call":
                paths = paths_in_call(turn)
                yield from (
                    _Use(each.memory, "file", turn, {path: (0, 0)})
                    for each in served
                    for path in sorted(each.files & paths)
                )

    def _evidence_words(self, use: _Use) -> str | None:
        """Return the words to store as evidence of a use: the last ten characters of an id, a file's path, or the
        longest part of the turn that new phrases cover.

        None if there was no use: the file's name or each phrase is in an earlier turn or an earlier recall's question
        already or, for a phrase, in memories of other sessions."""
        if use.evidence == "id":
            return use.memory.id[-_SHORT:]
        before = [each for number, each in self._earlier if number < use.turn.ordinal]
        before += [
            words_row(query_of(each.query)) for each in self.recalls if use.turn.at and each.at <= epoch_ms(use.turn.at)
        ]
        if use.evidence == "file":
            (path,) = use.words
            name = words_row(path.rpartition("/")[2]).strip()
            return None if any(name in each for each in before) else path
        new = {phrase for phrase in use.words if not any(f" {phrase} " in each for each in before)}
        new -= self._said_elsewhere(new, use.memory)
        return longest_covered(use.turn.content, [use.words[phrase] for phrase in new]) if new else None

    @cached_property
    def _earlier(self) -> list[tuple[int, str]]:
        """Return pairs of ordinal and normalised words, one of each available turn of the session, also of the turns
        just taken."""
        # read again, not handed on: other runs took the earlier turns, and only a rare thing, a use, needs them
        known = {turn.ordinal: turn for turn in turns_at_hand(self.app, self.namespace, self.session_id)}
        known |= {turn.ordinal: turn for turn in self.turns}
        return [(number, words_row(turn.content)) for number, turn in known.items()]

    def _said_elsewhere(self, candidates: Collection[str], memory: Memory) -> set[str]:
        """Return those of the `candidates` (phrases of `memory`) that memories of other sessions contain, too. Only the
        32 (`_LOOKED_AT`) memories nearest to a phrase by words are searched; sessions that `memory` came from, or that
        cited it, do not count as others."""
        own = {self.session_id, memory.session_id, *(each.rpartition(":")[0] for each in memory.evidence)}
        own |= {each.occasion for each in self.app.citations.of(self.namespace, memory.id)}
        admission = Admission(epoch_ms(self.app.clock.now()), granted=EVERY_SCOPE)
        found: set[str] = set()
        with self.app.index.reading(self.namespace) as reader:
            for phrase in candidates:
                stems = [term.stem for term in reader.survey(phrase, names=False).terms]
                near = reader.memories(reader.lexical(stems, admission, _LOOKED_AT, 0).rows)
                others = (each.memory for each in near if each.memory.session_id not in own)
                found |= {
                    phrase for other in others if other.id != memory.id and f" {phrase} " in words_row(other.content)
                }
        return found
