"""Changed files and rows of the ledger in, the rows of the index that they mean out."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np

from pellucid.clock import epoch_ms
from pellucid.language.sentences import ends_in_question
from pellucid.language.spelling import content_hash, entity_key, tag_key
from pellucid.language.statements.negation import polarity
from pellucid.model.entity import FOREVER
from pellucid.model.ledger import FoldRow, LifecycleRow, TombstoneRow
from pellucid.model.memory import TRANSCRIBED, Memory, boundary_bits, live_attributes
from pellucid.store.index_changes import IndexRecord, IndexState, LedgerChange, PathChange
from pellucid.store.index_port import OWN
from pellucid.store.ledger_gaps import gaps_text
from pellucid.store.local.database import Queries
from pellucid.store.local.graph.writer import GraphFold, Space
from pellucid.store.local.index.analysis import Analyzer, count
from pellucid.store.local.index.columns import ROW_BLOCK, story_space
from pellucid.store.local.index.mentions import file_name, paths_in
from pellucid.store.local.index.past_view import BEGINNING, state_before
from pellucid.store.local.index.stories import story_text

_SETTLED = ("decision", "commitment", "principle", "rule", "correction", "preference")
DIRECT_CATEGORIES = (*_SETTLED, "entity", "relationship")
"""Categories that can answer by themselves: settled statements, not single facts, moments or procedures."""
# names are read of the words: a file says who speaks nowhere else, as whoever edits it sees all that counts
_SPEAKER = re.compile(r"([^\W\d_][\w .'-]{0,39}): ")
_TOLD = re.compile(r"[^\W\d_][\w .'-]{0,39} \(to ([^\W\d_][\w .'-]{0,39})\): ")
_NAMELESS = "user"  # by what extracted words call a user who has no name


class Fold:
    """The writes of one `Index.apply`; used inside its transaction."""

    def __init__(self, queries: Queries, *, skip_unchanged: bool) -> None:
        """`skip_unchanged` leaves rows of unchanged files alone; after a change of the schema all are written anew."""
        self._run = queries.run
        self._skip_unchanged = skip_unchanged
        self._analyzer = Analyzer(queries.connection())
        self._namespaces = {name: ns for ns, name in self._run("namespaces")}
        self._touched: set[tuple[int, int]] = set()
        self.graph = GraphFold(queries)
        self.refused: dict[str, str] = {}

    def put_file(self, change: PathChange) -> None:
        """Replace the rows of one file by those of the change, and drop the file if it has no digest, as it is gone.
        For an unchanged file without an episode, only the rows of the graph are replaced, if `skip_unchanged` was
        given.

        Memories whose id another file has are left out, and added to `refused` with that file's path. If memories go,
        files of which some were refused before are marked to be read again.
        """
        # an episode's rows are not compared; what a file says of the graph depends on other files, too (names, ids)
        if self._skip_unchanged and change.episode is None and self._is_unchanged(change):
            self.graph.put_file(change, self._space_of(change), self.refused)
            return
        old_rows = {row[2]: row for row in self._run("rows_of_path", change.path)}
        own = 0 if among_people(change.records) else OWN
        for record in change.records:
            if before := old_rows.pop(record.memory.id, None):
                self._drop_row(*before[:2])
            elif holder := self._run("row_of_id", record.memory.id):
                self.refused[record.memory.id] = holder[0][0]
                continue
            self._put_record(record, change, own)
        for row, ns, _ in old_rows.values():
            self._drop_row(row, ns)
        if old_rows:
            self._run("look_again")
        self._put_episode(change)
        self.graph.put_file(change, self._space_of(change), self.refused)
        if change.file_digest:
            refused = any(record.memory.id in self.refused for record in change.records)
            stamp = (change.file_digest, change.size, change.mtime_ns, change.op_id, refused)
            self._run("put_file", change.path, *stamp)
        else:
            self._run("drop_file", change.path)

    def _is_unchanged(self, change: PathChange) -> bool:
        """Whether the index has a change's file already: its bytes, its memories, and every vector that it brings."""
        stored = self._run("file", change.path)
        if not stored or stored[0][1:] != (change.file_digest, change.size, change.mtime_ns):
            return False
        held = {row[:-1]: row[-1] for row in self._run("texts_of_path", change.path)}
        wanted = {
            (each.memory.model_dump_json(by_alias=True), each.digest, each.ordinal): each.encoding is not None
            for each in change.records
        }
        return held.keys() == wanted.keys() and all(held[text] or not gains for text, gains in wanted.items())

    def finish(self, state: IndexState) -> None:
        """Give changed blocks a new version, and store `state`: up to where the index now has the journal and the
        ledger, and the encoder of its vectors.
        """
        for ns, block in self._touched:
            self._run("bump_block", ns, block)
        numbers = ("appliedSeq", str(state.applied_seq)), ("ledgerSeq", str(state.ledger_seq))
        gaps = "ledgerGaps", gaps_text(state.ledger_gaps)
        for key, value in (*numbers, ("model", state.model), ("basis", state.basis), gaps):
            self._run("set_meta", key, value)

    def forget_ledger(self) -> None:
        """Delete all that came from the ledger: folds, tombstones, earlier states; all blocks get a new version."""
        self._run("bump_all")
        self._run("drop_folds")
        self._run("drop_tombstones")
        self._run("drop_standings")

    def keep_ledger_rows(self, changes: Iterable[LedgerChange]) -> None:
        """Store what the index keeps of the ledger: a memory's last heat and tier (`FoldRow`), the keys of tombstones,
        and status, trust and validity before each change of these. A tombstone deletes its memory's earlier states.
        """
        for change in changes:
            match change.row:
                case FoldRow() as row:
                    self._put_fold_row(row)
                case TombstoneRow() as row:
                    for key in row.keys:
                        self._run("put_tombstone", bytes.fromhex(key))
                    self._run("drop_standing", row.memory_id)
                case LifecycleRow() as row:
                    if before := state_before(row):
                        at, ns = _millis(row.timestamp), self._namespace_number(row.namespace)
                        self._run("put_standing", row.memory_id, change.seq, ns, at, before)

    def _put_fold_row(self, row: FoldRow) -> None:
        """Store the last lifecycle fold of a memory; its block is to be loaded anew."""
        values = row.memory_id, self._namespace_number(row.namespace), row.model_dump_json(by_alias=True)
        self._run("put_fold", *values)
        for place, ns in self._run("row_of_fold", row.memory_id):
            self._touched.add((ns, place // ROW_BLOCK))

    def _put_episode(self, change: PathChange) -> None:
        """Replace the episode of a file and its search row (story); if the file has no episode, only delete them."""
        self._run("drop_episode", change.path)
        for row, ns in self._run("drop_story", change.path):
            self._touched.add((story_space(ns), row // ROW_BLOCK))
        if episode := change.episode:
            ns, at = self._namespace_number(episode.namespace), _millis(episode.started or episode.created)
            values = change.path, ns, episode.id, at, change.op_id, episode.model_dump_json(by_alias=True)
            self._run("put_episode", *values)
            vector = change.topic_encoding.vector.astype(np.float16).tobytes() if change.topic_encoding else None
            words = count(self._analyzer.stems(story_text(episode)))
            story = change.path, ns, change.topic_digest, vector, words.terms.tobytes(), words.counts.tobytes()
            ((row,),) = self._run("put_story", *story, words.length)
            self._touched.add((story_space(ns), row // ROW_BLOCK))

    def _put_record(self, record: IndexRecord, change: PathChange, own: int) -> None:
        """Add a memory's row, features, attributes, tags and mentions; its block is to be loaded anew. `own` is `OWN`,
        the bit of the user's own words, which a memory gets if it is `by_user`; 0 in a file that is a talk between
        people.
        """
        memory, ns = record.memory, self._namespace_number(record.memory.namespace)
        identity = ns, memory.id, change.path, record.digest
        times = _millis(memory.created), _millis(memory.valid_at, BEGINNING), _until(memory)
        standing = memory.status == "active", memory.trust_zone != "quarantine", boundary_bits(memory.scopes)
        weight = memory.session_id, record.ordinal, memory.importance_score, memory.pinned, change.op_id
        # of the words as they are, not the field `content_hash`: a file may have been edited since
        keys = content_hash(memory.content, memory.entity_ref), stance_key(memory), memory.category, memory.agent
        answers = about(memory), ends_in_question(memory.content), direct_bits(memory) | own * by_user(memory)
        state = memory.status, _instant(memory.invalid_at), _instant(memory.expires_at), is_consolidated(memory)
        values = *identity, *times, *standing, *weight, *keys, *answers, *state, memory.model_dump_json(by_alias=True)
        row: int = self._run("put_memory", *values)[0][0]
        vector, codes = None, b""
        if record.encoding is not None:
            vector, codes = record.encoding.vector.astype(np.float16).tobytes(), record.encoding.tokens.tobytes()
        words = count(self._analyzer.stems(search_text(memory)))
        features = (row, vector, codes, words.terms.tobytes(), words.counts.tobytes(), words.length)
        self._run("put_features", *features)
        for key in sorted(live_attributes(memory)):
            self._run("put_attribute", ns, key, row)
        for tag in memory.tags:
            self._run("put_tag", ns, tag_key(tag), row)
        for path in paths_in("\n".join((memory.content, memory.entity_ref or "", *memory.evidence))):
            self._run("put_mention", ns, file_name(path), path, row)
        self._touched.add((ns, row // ROW_BLOCK))

    def _drop_row(self, row: int, ns: int) -> None:
        """Delete a memory's row with its features, attributes, tags and mentions; its block is to be loaded anew."""
        self._run("drop_features", row)
        for table in ("drop_attributes", "drop_tags", "drop_mentions"):
            self._run(table, row)
        self._run("drop_memory", row)
        self._touched.add((ns, row // ROW_BLOCK))

    def _space_of(self, change: PathChange) -> Space | None:
        """Return the namespace of a file's first memory, else of its document or episode; None if it is empty."""
        contents = (*(record.memory for record in change.records[:1]), change.document, change.episode)
        name = next((each.namespace for each in contents if each), None)
        return Space(name, self._namespace_number(name)) if name else None

    def _namespace_number(self, name: str) -> int:
        """Return the number of a namespace, given to it on first use."""
        if name not in self._namespaces:
            self._namespaces[name] = self._run("add_namespace", name)[0][0]
        return self._namespaces[name]


def _millis(at: datetime | None, default: int = 0) -> int:
    """Convert an instant to epoch milliseconds; `default` for None."""
    return default if at is None else epoch_ms(at)


def _instant(at: datetime | None) -> int | None:
    """Convert an instant to epoch milliseconds; None for None."""
    return None if at is None else _millis(at)


def _until(memory: Memory) -> int:
    """Return when a memory ceases to be valid, in epoch milliseconds: invalidated or expired, whichever is first;
    `FOREVER` if neither.
    """
    return min(_millis(memory.invalid_at, FOREVER), _millis(memory.expires_at, FOREVER))


def stance_key(memory: Memory) -> str:
    """Return the key of a statement's polarity, which its negation shares (column `stance`); empty for a section."""
    return "" if memory.category == "section" else polarity(memory.content, memory.entity_ref).key


def is_consolidated(memory: Memory) -> bool:
    """Whether a memory was made by consolidating others: its source is `consolidation`, and it names them in
    `derived_from` or `supersedes`. A transcribed passage or section never was.
    """
    made = memory.source == "consolidation" and memory.category not in TRANSCRIBED
    return made and bool(memory.derived_from or memory.supersedes)


def search_text(memory: Memory) -> str:
    """Return the text whose words a memory is found by: its content, then its tags, a line each."""
    return "\n".join((memory.content, *memory.tags))


def about(memory: Memory) -> str | None:
    """Return the entity key of whom a memory is about; None if nobody is named.

    It is the memory's entity, else the speaker of a moment (`Anna: …`), else the listener in another memory than a
    section (`Bo (to Anna): …`).
    """
    if memory.entity_ref:
        return entity_key(memory.entity_ref)
    found = (_SPEAKER if memory.category == "moment" else _TOLD).match(memory.content)
    return entity_key(found[1]) if found and memory.category != "section" else None


def direct_bits(memory: Memory) -> int:
    """Return bits for direct answers: 1 a fitting category, 2 trusted or the user's, 4 the user's, 8 about somebody.

    Fitting is one of `DIRECT_CATEGORIES`; the user's is what is asserted by `user` or `axiom`.
    """
    user = memory.asserted_by in ("axiom", "user")
    return (
        (memory.category in DIRECT_CATEGORIES)
        | (memory.trust_zone == "trusted" or user) << 1
        | user << 2
        | (about(memory) is not None) << 3
    )


def by_user(memory: Memory) -> bool:
    """Whether a memory consists of, or was extracted from, the user's own words, not those of a named speaker.

    Its source class is `user_input` or `manual`, it is no section, and unless it is a moment, it does not begin with a
    speaker's name other than `user`.
    """
    if memory.category == "section" or memory.source_class not in ("user_input", "manual"):
        return False
    spoken = _SPEAKER.match(memory.content) if memory.category != "moment" else None
    return not spoken or entity_key(spoken[1]) == _NAMELESS


def among_people(records: Sequence[IndexRecord]) -> bool:
    """Whether a file is a talk between named people, without an assistant: each user turn begins with a name.

    False without user turns.
    """
    turns = {each.ordinal: each.memory for each in reversed(records) if each.memory.category == "moment"}
    voices = {memory.source_class for memory in turns.values()}
    user_turns = [memory.content for memory in turns.values() if memory.source_class == "user_input"]
    return bool(user_turns) and "assistant_output" not in voices and all(map(_SPEAKER.match, user_turns))
