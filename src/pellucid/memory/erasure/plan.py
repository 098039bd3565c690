"""Memories that must go in, everything that holds their words and how it is to be rewritten out."""

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
"""Content words from which another memory that contains the whole text counts as a copy of it."""
_TELLING = 16
"""Words from which the text of a section is known again in whatever document; a shorter one in its own."""
_SHARED = 0.5
"""Share of the content words of a quote, or of a part of a turn, in the other, from which one is of the other."""
_LOST = 3
"""Lost words from which a waiting turn is taken to say what goes."""
_WORD_START = re.compile(rf"(?<![^ {UNSPACED}])|(?=[{UNSPACED}\u0590-\u06ff])")
_WORD_END = re.compile(rf"(?![^ {UNSPACED}])|(?<=[{UNSPACED}{HANGUL}])")


@dataclass(frozen=True, slots=True)
class Erasure:
    """What goes: memories with the reason, files to remove and to rewrite, turns, and words nothing else holds."""

    namespace: str
    going: tuple[tuple[Served, str], ...]
    writes: tuple[FileWrite, ...]
    removals: tuple[FileRemoval, ...]
    turns: frozenset[tuple[str, int]]
    lost_words: frozenset[str]
    versions: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files that are removed or rewritten, and of those of the memories that go."""
        held = (each.path for each, _ in self.going)
        written = (each.path for each in (*self.removals, *self.writes))
        return tuple(dict.fromkeys((*held, *written)))

    def is_said_by(self, turn: Turn) -> bool:
        """Whether a turn says what is forgotten: it is evidence of it, holds a whole text of it, or many lost words."""
        if (turn.session_id, turn.ordinal) in self.turns:
            return True
        text = normalise(turn.content)
        whole = any(_contains_whole(text, normalise(held.memory.content)) for held, _ in self.going)
        return whole or len(self.lost_words.intersection(words(turn.content))) >= _LOST


def plan_erasure(
    records: Records,
    memories: Sequence[Served],
    episodes: Sequence[FiledEpisode],
    asked: Sequence[Served],
    *,
    chain: bool = False,
) -> Erasure:
    """All that goes with the memories that are `asked` to be forgotten; with `chain`, their other versions, too.

    `memories` and `episodes` are all of the namespace.

    Raises:
        ConflictError: a file changed while this was worked out; nothing was done.
    """
    going = _memories_to_erase({each.memory.id: each for each in memories}, asked, chain=chain)
    ids = {each.memory.id for each, _ in going}
    kept = [each.memory for each in memories if each.memory.id not in ids]
    lost = _lost_words([each.memory for each, _ in going], kept)
    versions = {other for each, _ in going for other in _versions(each.memory)} - ids
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
    """The session and number of each turn a memory came from; none for a section, which came from a file."""
    return set() if memory.category == "section" else set(evidence_turns(memory.evidence))


def tombstones(secret: bytes, memory: Memory) -> list[bytes]:
    """Every key by which a forgotten memory is recognised if it comes back."""
    if memory.category != "section":
        return memory_keys(secret, memory)
    said = {words_key(secret, memory.namespace, memory.content, entity) for entity in (None, memory.entity_ref)}
    return sorted({*said, *own_text_keys(secret, memory)})


def own_text_keys(secret: bytes, memory: Memory) -> list[bytes]:
    """The keys by which a section, or a version of a header, is recognised: by its text without headings and title.

    A long text is recognised anywhere; a short one only in the same document, or in one that defines the same entity.
    """
    text = own_text(memory)
    digest = content_hash(text)
    scopes = ["anywhere"] if reading_length(text) >= _TELLING else [entity_key(memory.entity_ref or "")]
    return [
        words_key(secret, memory.namespace, f"{scope} {digest}", None) for scope in (*scopes, memory.session_id or "")
    ]


def file_key(secret: bytes, namespace: str, digest: str) -> bytes:
    """The key by which a forgotten document is recognised by its file's SHA-256, whatever its name."""
    return words_key(secret, namespace, f"document {digest}", None)


def own_text(memory: Memory) -> str:
    """The content of a memory; of a section without its headings, if there is any text below them."""
    return (memory.content.partition("\n")[2].strip() if memory.category == "section" else "") or memory.content


def _versions(memory: Memory) -> set[str]:
    """The ids of the memories that a memory supersedes, and of the one that supersedes it."""
    return {*memory.supersedes, *([memory.superseded_by] if memory.superseded_by else [])}


def _memories_to_erase(held: Mapping[str, Served], asked: Iterable[Served], *, chain: bool) -> list[tuple[Served, str]]:
    """The memories that go, each with the reason: those asked for, then their copies, derivatives, turns and so on.

    `held` are all memories of the namespace by id.
    """
    texts = {memory_id: normalise(each.memory.content) for memory_id, each in held.items()}
    reasons: dict[str, str] = {each.memory.id: "asked" for each in asked}
    while True:
        ties = _Ties([(held[each].memory, why) for each, why in reasons.items()], texts, chain)
        rest = {memory_id: each.memory for memory_id, each in held.items() if memory_id not in reasons}
        found = {memory_id: why for memory_id, memory in rest.items() if (why := ties.reason(memory))}
        if not found:
            return [(held[each], why) for each, why in reasons.items()]
        reasons |= found


class _Ties:
    """What ties a memory to those that must go."""

    def __init__(self, reasons: Sequence[tuple[Memory, str]], texts: Mapping[str, str], chain: bool) -> None:
        """`reasons` are the memories that go, each with why; `texts` are the normalised texts of all, by id."""
        going = [each for each, _ in reasons]
        self._ids = {each.id for each in going}
        self._parts = {part for each in going for part in each.derived_from}
        self._texts = texts
        self._said = {texts[each.id] for each in going}
        self._long = [texts[each.id] for each in going if len(content_words(each.content)) >= LEAST_COPIED]
        self._sections = [
            normalise(text)
            for each in going
            if each.category == "section" and len(content_words(text := own_text(each))) >= LEAST_COPIED
        ]
        self._documents = {each.session_id for each in going if each.category == "section"}
        self._turns = {turn for each in going for turn in turns_of(each)}
        self._said_at: defaultdict[tuple[str, int], list[set[str]]] = defaultdict(list)
        for (
            each,
            why,
        ) in reasons:  # what goes for its turn's sake alone leads to nothing else that was said in that turn
            for turn in turns_of(each) if each.category == "moment" and why != "evidence-turn" else ():
                self._said_at[turn].append(set(content_words(each.content)))
        self._versions = {each for memory in going for each in _versions(memory)} if chain else set[str]()
        self._chain = chain

    def reason(self, memory: Memory) -> str:
        """Why a memory must go with them, `derived`, `version`, `copy` or `evidence-turn`; empty if it may stay."""
        text = self._texts[memory.id]
        if self._ids & set(memory.derived_from) or self._was_read_from(memory):
            return "derived"
        if memory.id in self._parts and memory.superseded_by in self._ids:
            return "version"
        if memory.id in self._versions or (self._chain and self._ids & _versions(memory)):
            return "version"
        if text in self._said or any(_contains_whole(text, said) for said in self._long) or self._quotes(memory, text):
            return "copy"
        return "evidence-turn" if memory.category == "moment" and turns_of(memory) & self._turns else ""

    def _was_read_from(self, memory: Memory) -> bool:
        """Whether a memory was extracted from a turn whose passage must go, as far as its quotes tell.

        A memory without a quote of that turn counts as read from it.
        """
        if memory.category in ("moment", "section"):
            return False
        for place in memory.evidence:
            quoted = set(content_words(memory.evidence_quotes.get(place, "")))
            for said in (part for turn in evidence_turns([place]) for part in self._said_at.get(turn, ())):
                if len(quoted & said) >= _SHARED * min(len(quoted), len(said)):
                    return True
        return False

    def _quotes(self, memory: Memory, text: str) -> bool:
        """Whether a memory of this text holds that of a section that goes; what another document says is its own."""
        mine = memory.category != "section" or memory.session_id in self._documents
        return mine and any(_contains_whole(text, said) for said in self._sections)


def _contains_whole(text: str, part: str) -> bool:
    """Whether a normalised text contains another as whole words.

    A word also begins behind, and ends before, a letter of a script without spaces; Arabic and Hebrew words begin
    behind a particle, and Korean ones end before an ending.
    """
    starts = (found.start() for found in re.finditer(f"(?={re.escape(part)})", text)) if part in text else ()
    return any(_WORD_START.match(text, at) and _WORD_END.match(text, at + len(part)) for at in starts)


def _lost_words(going: Iterable[Memory], kept: Iterable[Memory]) -> frozenset[str]:
    """The words of the memories that go which no memory that stays has: a stored query may not show them any more."""
    said = (text for memory in going for text in (*_texts(memory), *memory.evidence_quotes.values()))
    gone = {word for text in said for word in content_words(text)}
    for memory in kept:
        if not gone:
            break
        gone.difference_update(*(words(text) for text in _texts(memory)))
    return frozenset(gone)


def _texts(memory: Memory) -> Iterable[str]:
    """Every text of a memory: content, tags, entity, and names and values of attributes."""
    attributes = memory.structured_attributes.items()
    return (memory.content, *memory.tags, memory.entity_ref or "", *(part for pair in attributes for part in pair))


def _changed_files(
    records: Records,
    going: Sequence[tuple[Served, str]],
    episodes: Sequence[FiledEpisode],
    kept: Mapping[str, Memory],
    lost: frozenset[str],
) -> tuple[list[FileWrite], list[FileRemoval]]:
    """The files to write and to remove: documents that keep a section, and episodes, are rewritten.

    `kept` are the memories that stay, by id; `lost` the words that no file may show.
    """
    ids = {each.memory.id for each, _ in going}
    named = {each.path for each, _ in going}
    of_episodes = {each.path: each.episode for each in episodes}
    lasting = {each.session_id for each in kept.values() if each.category == "section"}
    rewritten = {each.path for each, _ in going if each.memory.category == "section"}
    rewritten &= {each.path for each, _ in going if each.memory.session_id in lasting}
    alone = sorted(named - of_episodes.keys() - rewritten)
    held = ((path, records.heads([path])[0].data) for path in alone)
    removals = [FileRemoval(path, content_digest(data)) for path, data in held if data is not None]
    writes: list[FileWrite] = []
    for path in sorted(rewritten):
        data = _read_file(records, path)
        writes.append(FileWrite(path, without_sections(data, ids), content_digest(data)))
    for path, episode in sorted(of_episodes.items()):
        shown = "\n".join((episode.topic, *episode.artifacts))
        if path not in named and ids.isdisjoint(episode.members) and lost.isdisjoint(_path_words(shown)):
            continue
        data = _read_file(records, path)
        new = _rewritten_episode(data, _without_artifacts(episode, going, kept), ids, kept, lost)
        stays = new is not None and new[0] == path
        if not stays:
            removals.append(FileRemoval(path, content_digest(data)))
        if new:
            writes.append(FileWrite(*new, content_digest(data) if stays else None))
    return writes, removals


def _files_without_quotes(
    records: Records, going: Sequence[tuple[Served, str]], kept: Iterable[Served], lost: frozenset[str]
) -> list[FileWrite]:
    """The files of memories that stay, without their quotes of a turn that goes, or with a lost word."""
    turns = {turn for each, _ in going for turn in turns_of(each.memory)}
    writes: list[FileWrite] = []
    for each in kept:
        quotes = each.memory.evidence_quotes
        left = {
            place: said
            for place, said in quotes.items()
            if not lost.intersection(words(said)) and turns.isdisjoint(evidence_turns([place]))
        }
        if left != quotes:
            data = _read_file(records, each.path)
            new = edit_memory(data, {"evidenceQuotes": left or None})
            writes.append(FileWrite(each.path, new, content_digest(data)))
    return writes


def _path_words(text: str) -> set[str]:
    """The words of a text that may hold paths and links, and the parts of these between punctuation."""
    found = words(text)
    return {*found, *(piece for word in found for piece in re.split(r"[._:+#/-]+", word))}


def _without_artifacts(episode: Episode, going: Sequence[tuple[Served, str]], kept: Mapping[str, Memory]) -> Episode:
    """The episode without the artifacts that only the memories that go name."""
    theirs = {each for held, _ in going for each in held.memory.artifact_ids}
    theirs -= {each for memory in kept.values() for each in memory.artifact_ids}
    named = ((text, parse_artifact(text)) for text in episode.artifacts)
    left = tuple(text for text, found in named if not (found and found.id(episode.namespace) in theirs))
    return episode.model_copy(update={"artifacts": left})


def _rewritten_episode(
    data: bytes, episode: Episode, ids: set[str], kept: Mapping[str, Memory], lost: frozenset[str]
) -> tuple[str, bytes] | None:
    """The path and bytes of an episode's file without the memories `ids` and lost words; None if nothing is left.

    `data` are its bytes now.
    """
    members = tuple(each for each in episode.members if each not in ids)
    rest = [memory for memory in kept.values() if memory.episode_id == episode.id or memory.id in members]
    if not rest:
        return None
    artifacts = tuple(each for each in episode.artifacts if not lost.intersection(_path_words(each)))
    changed = {"members": list(members) or None, "artifacts": list(artifacts) or None}
    data = edit_memory(without_moments(data, ids), changed)
    if not lost.intersection(words(episode.topic)):
        return episode_path(episode), data
    topic = topic_words(rest)
    return episode_path(episode.model_copy(update={"topic": topic})), retitle_episode(data, episode.topic, topic)


def _read_file(records: Records, path: str) -> bytes:
    """The bytes of a vault file; ConflictError if it is gone."""
    data = records.heads([path])[0].data
    if data is None:
        raise ConflictError(f"{path} is gone: it was deleted just now", next_step="repeat the command")
    return data
