"""Memories that must go in, all files that contain their words and the rewriting of each out."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pellucid.errors import ConflictError
from pellucid.language.scripts import HANGUL, UNSPACED
from pellucid.language.spelling import content_hash, entity_key, normalise
from pellucid.language.words import content_words, reading_length, words
from pellucid.memory.episodes import topic_words
from pellucid.memory.erasure.tombstone import LEAST_TELLING, evidence_turns, memory_keys, words_key
from pellucid.model.artifact import parse_artifact
from pellucid.model.memory import Episode, Memory
from pellucid.model.turn import Turn
from pellucid.store.index_port import Served
from pellucid.store.lookup_port import FiledEpisode
from pellucid.store.records import FileRemoval, FileWrite, Records, content_digest
from pellucid.vault.documents import without_sections
from pellucid.vault.markdown import edit_memory, episode_path, retitle_episode, without_moments

LEAST_COPIED = LEAST_TELLING
"""The least content words of a text by which another memory that contains the whole text counts as its copy."""
_TELLING = 16
"""The least words of a section's text by which it is recognised in any document; a shorter one only in its own."""
_SHARED = 0.5
"""The least share of the content words of a quote, or of a part of a turn, from which one comes from the other."""
_LOST = 3
"""The number of lost words from which a waiting turn counts as saying what goes."""
_WORD_START = re.compile(rf"(?<![^ {UNSPACED}])|(?=[{UNSPACED}\u0590-\u06ff])")
_WORD_END = re.compile(rf"(?![^ {UNSPACED}])|(?<=[{UNSPACED}{HANGUL}])")


@dataclass(frozen=True, slots=True)
class Erasure:
    """The plan of an erasure: the memories that go, each with the reason, and all that must change with them.

    `turns` are their evidence (session and number), `lost_words` words that no other memory has, `versions` the ids of
    older and newer versions that stay.
    """

    namespace: str
    going: tuple[tuple[Served, str], ...]
    writes: tuple[FileWrite, ...]
    removals: tuple[FileRemoval, ...]
    turns: frozenset[tuple[str, int]]
    lost_words: frozenset[str]
    versions: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths, each once, of the files of memories that go, then of all files that are removed, then of those
        rewritten.
        """
        held = (each.path for each, _ in self.going)
        written = (each.path for each in (*self.removals, *self.writes))
        return tuple(dict.fromkeys((*held, *written)))

    def is_said_by(self, turn: Turn) -> bool:
        """Whether a turn says what goes: it is among the `turns` of evidence, contains the whole content of a memory
        that goes (in normal form, as whole words), or has three of the `lost_words`.
        """
        if (turn.session_id, turn.ordinal) in self.turns:
            return True
        text = normalise(turn.content)
        has_whole_text = any(_contains_whole(text, normalise(held.memory.content)) for held, _ in self.going)
        return has_whole_text or len(self.lost_words.intersection(words(turn.content))) >= _LOST


def plan_erasure(
    records: Records,
    memories: Sequence[Served],
    episodes: Sequence[FiledEpisode],
    asked: Sequence[Served],
    *,
    chain: bool = False,
) -> Erasure:
    """Plan the erasure of the memories `asked` and of all that must go with them: copies, what was derived from them,
    and passages of the turns they came from (see `_Bonds.reason`); `chain` adds their versions.

    `memories` and `episodes` are all of the namespace; `asked` are some of these memories, at least one. Nothing is
    changed yet.

    Raises:
        ConflictError: a file that must change is gone.
    """
    going = _memories_to_erase({each.memory.id: each for each in memories}, asked, chain)
    ids = {each.memory.id for each, _ in going}
    kept = [each.memory for each in memories if each.memory.id not in ids]
    lost = _lost_words([each.memory for each, _ in going], kept)
    versions = {other for each, _ in going for other in _version_ids(each.memory)} - ids
    writes, removals = _changed_files(records, going, episodes, {each.id: each for each in kept}, lost)
    writes += _files_without_quotes(records, going, [each for each in memories if each.memory.id not in ids], lost)
    return Erasure(
        namespace=asked[0].memory.namespace,
        going=tuple(going),
        writes=tuple(writes),
        removals=tuple(removals),
        turns=frozenset(turn for each, _ in going for turn in turns_of(each.memory)),
        lost_words=lost,
        versions=tuple(sorted(versions & {each.id for each in kept})),
    )


def turns_of(memory: Memory) -> set[tuple[str, int]]:
    """Return the session and number of each turn in a memory's evidence, 64 of a range at most.

    Empty for a section, which was read from a file.
    """
    return set() if memory.category == "section" else set(evidence_turns(memory.evidence))


def tombstones(secret: bytes, memory: Memory) -> list[bytes]:
    """Return every key (a keyed hash of 16 bytes) by which a forgotten memory is recognised if it comes back, sorted:
    of its words, alone and with its entity, and of its evidence turns or, for a section, of its own text. `secret` is
    the vault's key.
    """
    if memory.category != "section":
        return memory_keys(secret, memory)
    text_keys = {words_key(secret, memory.namespace, memory.content, entity) for entity in (None, memory.entity_ref)}
    return sorted({*text_keys, *own_text_keys(secret, memory)})


def own_text_keys(secret: bytes, memory: Memory) -> list[bytes]:
    """Return the two keys by which a section, or a header version, is recognised by its text without headings and
    title; `secret` is the vault's key.

    The first recognises a text of 16 words or more anywhere in the namespace, a shorter one only in a document that
    defines the same entity; the second recognises the text in the same document.
    """
    text = own_text(memory)
    digest = content_hash(text)
    scopes = ["anywhere"] if reading_length(text) >= _TELLING else [entity_key(memory.entity_ref or "")]
    return [
        words_key(secret, memory.namespace, f"{scope} {digest}", None) for scope in (*scopes, memory.session_id or "")
    ]


def file_key(secret: bytes, namespace: str, digest: str) -> bytes:
    """Return the key by which a forgotten document is recognised, whatever its name.

    `secret` is the vault's key, `digest` the SHA-256 of the document's file in hexadecimal.
    """
    return words_key(secret, namespace, f"document {digest}", None)


def own_text(memory: Memory) -> str:
    """Return the content of a memory; of a section, the text below the line that `vault.documents.section_text` puts
    above it, if there is any.
    """
    return (memory.content.partition("\n")[2].strip() if memory.category == "section" else "") or memory.content


def _version_ids(memory: Memory) -> set[str]:
    """Return the ids of the memories that a memory supersedes, and of the memory that supersedes it."""
    return {*memory.supersedes, *([memory.superseded_by] if memory.superseded_by else [])}


def _memories_to_erase(by_id: Mapping[str, Served], asked: Iterable[Served], chain: bool) -> list[tuple[Served, str]]:
    """Return the memories that go, each with the reason: first those `asked`, then, as long as any is found, those that
    must go with one that goes (`_Bonds.reason`).

    `by_id` are all memories of the namespace; with `chain`, other versions go, too.
    """
    texts = {memory_id: normalise(each.memory.content) for memory_id, each in by_id.items()}
    reasons: dict[str, str] = {each.memory.id: "asked" for each in asked}
    while True:
        bonds = _Bonds([(by_id[each].memory, why) for each, why in reasons.items()], texts, chain)
        rest = {memory_id: each.memory for memory_id, each in by_id.items() if memory_id not in reasons}
        found = {memory_id: why for memory_id, memory in rest.items() if (why := bonds.reason(memory))}
        if not found:
            return [(by_id[each], why) for each, why in reasons.items()]
        reasons |= found


class _Bonds:
    """The bonds by which other memories must go with those that go."""

    def __init__(self, reasons: Sequence[tuple[Memory, str]], texts: Mapping[str, str], chain: bool) -> None:
        """Take the memories that go, each with the reason, and the normalised texts of all memories by id."""
        going = [each for each, _ in reasons]
        self._ids = {each.id for each in going}
        self._parts = {part for each in going for part in each.derived_from}
        self._texts = texts
        self._going_texts = {texts[each.id] for each in going}
        self._long_texts = [texts[each.id] for each in going if len(content_words(each.content)) >= LEAST_COPIED]
        self._sections = [
            normalise(text)
            for each in going
            if each.category == "section" and len(content_words(text := own_text(each))) >= LEAST_COPIED
        ]
        self._documents = {each.session_id for each in going if each.category == "section"}
        self._turns = {turn for each in going for turn in turns_of(each)}
        self._parts_of_turns: defaultdict[tuple[str, int], list[set[str]]] = defaultdict(list)
        for each, why in reasons:
            # a passage that goes only because of its turn takes nothing else with it that was said in that turn
            for turn in turns_of(each) if each.category == "moment" and why != "evidence-turn" else ():
                self._parts_of_turns[turn].append(set(content_words(each.content)))
        self._version_ids = {each for memory in going for each in _version_ids(memory)} if chain else set[str]()
        self._chain = chain

    def reason(self, memory: Memory) -> str:
        """Return why a memory must go, too; empty if it can stay.

        `derived`: it was made of one that goes, or extracted from a turn whose passage goes. `version`: one that goes
        was made of it and supersedes it or, if the bonds were made with `chain`, it supersedes one that goes or is
        superseded by one. `copy`: its text in normal form is that of one, or contains such a text of three content
        words or more. `evidence-turn`: it is a passage of a turn that is evidence of one."""
        text = self._texts[memory.id]
        if self._ids & set(memory.derived_from) or self._was_read_from(memory):
            return "derived"
        if memory.id in self._parts and memory.superseded_by in self._ids:
            return "version"
        if memory.id in self._version_ids or (self._chain and self._ids & _version_ids(memory)):
            return "version"
        if text in self._going_texts or self._quotes(memory, text):
            return "copy"
        return "evidence-turn" if memory.category == "moment" and turns_of(memory) & self._turns else ""

    def _was_read_from(self, memory: Memory) -> bool:
        """Whether a memory was extracted from a turn whose passage must go, as far as its quotes show: a quote shares
        at least half of the content words with the passage, counted in the shorter of the two.

        A memory without a quote of that turn counts as extracted from it; passages and sections never do.
        """
        if memory.category in ("moment", "section"):
            return False
        for place in memory.evidence:
            quoted_words = set(content_words(memory.evidence_quotes.get(place, "")))
            for turn in evidence_turns([place]):
                for spoken in self._parts_of_turns.get(turn, ()):
                    if len(quoted_words & spoken) >= _SHARED * min(len(quoted_words), len(spoken)):
                        return True
        return False

    def _quotes(self, memory: Memory, text: str) -> bool:
        """Whether a text, that of `memory` in normal form, contains the text of a memory that goes, if that has three
        content words or more. A section that goes is looked for without its heading line, too: in all but sections, and
        in sections of documents of which a section goes."""
        counts = memory.category != "section" or memory.session_id in self._documents
        parts = (*self._long_texts, *(self._sections if counts else ()))
        return any(_contains_whole(text, part) for part in parts)


def _contains_whole(text: str, part: str) -> bool:
    """Whether a normalised text contains another as whole words.

    A word also begins after, and ends before, a letter of a script without spaces; Arabic and Hebrew words begin after
    a particle, and Korean words end before an ending.
    """
    starts = (found.start() for found in re.finditer(f"(?={re.escape(part)})", text)) if part in text else ()
    return any(_WORD_START.match(text, at) and _WORD_END.match(text, at + len(part)) for at in starts)


def _lost_words(going: Iterable[Memory], kept: Iterable[Memory]) -> frozenset[str]:
    """Return the content words of memories that go, and of their quotes, which no memory that stays has in its texts:
    no file or query may show them.
    """
    texts = (text for memory in going for text in (*_texts(memory), *memory.evidence_quotes.values()))
    gone = {word for text in texts for word in content_words(text)}
    for memory in kept:
        if not gone:
            break
        gone.difference_update(*(words(text) for text in _texts(memory)))
    return frozenset(gone)


def _texts(memory: Memory) -> Iterable[str]:
    """Return every text of a memory: content, tags, entity, and names and values of attributes."""
    attributes = memory.structured_attributes.items()
    return (memory.content, *memory.tags, memory.entity_ref or "", *(part for pair in attributes for part in pair))


def _changed_files(
    records: Records,
    going: Sequence[tuple[Served, str]],
    episodes: Sequence[FiledEpisode],
    kept: Mapping[str, Memory],
    lost: frozenset[str],
) -> tuple[list[FileWrite], list[FileRemoval]]:
    """Return the writes and removals of files: that of a memory that goes is removed; a document of which a section
    stays is rewritten.

    An episode whose passages or members go, or whose topic or artifacts show a word of `lost`, is rewritten, under
    another path if its topic changes, and removed if none of its memories stays. `going` are the memories that go, each
    with the reason; `kept` maps ids to those that stay; `lost` are the words that no file may show. Raises
    ConflictError if a file to be rewritten is gone.
    """
    ids = {each.memory.id for each, _ in going}
    named = {each.path for each, _ in going}
    of_episodes = {each.path: each.episode for each in episodes}
    kept_documents = {each.session_id for each in kept.values() if each.category == "section"}
    rewritten = {each.path for each, _ in going if each.memory.category == "section"}
    rewritten &= {each.path for each, _ in going if each.memory.session_id in kept_documents}
    removed = sorted(named - of_episodes.keys() - rewritten)
    contents = ((path, records.heads([path])[0].data) for path in removed)
    removals = [FileRemoval(path, content_digest(data)) for path, data in contents if data is not None]
    writes: list[FileWrite] = []
    for path in sorted(rewritten):
        data = _read_file(records, path)
        writes.append(FileWrite(path, without_sections(data, ids), content_digest(data)))
    for path, episode in sorted(of_episodes.items()):
        topic_and_artifacts = "\n".join((episode.topic, *episode.artifacts))
        if path not in named and ids.isdisjoint(episode.members) and lost.isdisjoint(_path_words(topic_and_artifacts)):
            continue
        data = _read_file(records, path)
        rewritten_file = _rewritten_episode(data, _without_artifacts(episode, going, kept), ids, kept, lost)
        stays = rewritten_file is not None and rewritten_file[0] == path
        if not stays:
            removals.append(FileRemoval(path, content_digest(data)))
        if rewritten_file:
            writes.append(FileWrite(*rewritten_file, content_digest(data) if stays else None))
    return writes, removals


def _files_without_quotes(
    records: Records, going: Sequence[tuple[Served, str]], kept: Iterable[Served], lost: frozenset[str]
) -> list[FileWrite]:
    """Return the writes of those memories of `kept` (all that stay) that lose quotes: a quote goes if its turn is
    evidence of a memory of `going` (those that go, each with the reason), or if it has a word of `lost`. Memories that
    lose none are left out. Raises ConflictError if a file is gone.
    """
    turns = {turn for each, _ in going for turn in turns_of(each.memory)}
    writes: list[FileWrite] = []
    for each in kept:
        quotes = each.memory.evidence_quotes
        kept_quotes = {
            place: quote
            for place, quote in quotes.items()
            if not lost.intersection(words(quote)) and turns.isdisjoint(evidence_turns([place]))
        }
        if kept_quotes != quotes:
            data = _read_file(records, each.path)
            new = edit_memory(data, {"evidenceQuotes": kept_quotes or None})
            writes.append(FileWrite(each.path, new, content_digest(data)))
    return writes


def _path_words(text: str) -> set[str]:
    """Return the words of a text of paths and links (as `words` gives them), and the parts of each between `.`, `_`,
    `:`, `+`, `#`, `/` and `-`."""
    whole_words = words(text)
    return {*whole_words, *(piece for word in whole_words for piece in re.split(r"[._:+#/-]+", word))}


def _without_artifacts(episode: Episode, going: Sequence[tuple[Served, str]], kept: Mapping[str, Memory]) -> Episode:
    """Return the episode without the artifacts that a memory of `going` (those that go, each with the reason) names and
    no memory of `kept` (those that stay, by id) does.
    """
    going_ids = {each for held, _ in going for each in held.memory.artifact_ids}
    going_ids -= {each for memory in kept.values() for each in memory.artifact_ids}
    named = ((text, parse_artifact(text)) for text in episode.artifacts)
    left = tuple(text for text, found in named if not (found and found.id(episode.namespace) in going_ids))
    return episode.model_copy(update={"artifacts": left})


def _rewritten_episode(
    data: bytes, episode: Episode, ids: set[str], kept: Mapping[str, Memory], lost: frozenset[str]
) -> tuple[str, bytes] | None:
    """Return the new path and bytes of an episode's file, without the memories `ids` and without artifacts and topic
    that show a word of `lost`; a new topic, made of the memories that stay, changes the path.

    None if none of its members or passages stays. `data` are the file's bytes now, `kept` all memories that stay, by
    id.
    """
    members = tuple(each for each in episode.members if each not in ids)
    remaining = [memory for memory in kept.values() if memory.episode_id == episode.id or memory.id in members]
    if not remaining:
        return None
    artifacts = tuple(each for each in episode.artifacts if not lost.intersection(_path_words(each)))
    changed = {"members": list(members) or None, "artifacts": list(artifacts) or None}
    data = edit_memory(without_moments(data, ids), changed)
    if not lost.intersection(words(episode.topic)):
        return episode_path(episode), data
    topic = topic_words(remaining)
    return episode_path(episode.model_copy(update={"topic": topic})), retitle_episode(data, episode.topic, topic)


def _read_file(records: Records, path: str) -> bytes:
    """Return the newest bytes of a vault file, filed or not; raise ConflictError if the file is gone."""
    data = records.heads([path])[0].data
    if data is None:
        raise ConflictError(f"{path} is gone: it was deleted just now", next_step="repeat the command")
    return data
