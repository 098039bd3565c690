"""One read transaction in, the episodes of a namespace out: with proofs of their topics, and nearest to a query."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Vector
from pellucid.language.words import words
from pellucid.model.artifact import parse_artifact
from pellucid.model.memory import Episode, unpack_id
from pellucid.store.episode_port import NearEpisode
from pellucid.store.index_port import Admission, Mask
from pellucid.store.local.index.analysis import Analyzer, term
from pellucid.store.local.index.columns import View
from pellucid.store.local.index.mentions import plain_path
from pellucid.store.local.index.past_view import RowsInView
from pellucid.store.local.index.reader import bm25, exact_cosine
from pellucid.store.lookup_port import FiledEpisode

_MOST_WITNESSES = 64  # memories of an episode that may prove its topic, at most
_SLACK = 1e-4  # as in `reader`
_NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
Positions = NDArray[np.int64]


def story_text(episode: Episode) -> str:
    """Return the text by which an episode is searched: its topic and the names of its files and specs, a line each.

    Links, and artifacts that cannot be parsed (`parse_artifact`), are left out.
    """
    found = [parse_artifact(each) for each in episode.artifacts]
    return "\n".join((episode.topic, *(each.name for each in found if each and each.kind != "link")))


def _contains_topic(content: str, topic: str) -> bool:
    """Whether `content`, each run of whitespace as one space, contains `topic` with a space or its own end on either
    side.

    Case counts. A final `…` of a topic that was cut is ignored.
    """
    return f" {topic.removesuffix('…').strip()} " in f" {' '.join(content.split())} "


def _prove_topic(contents: Sequence[str], topic: str) -> bool:
    """Whether the contents together contain every word of a topic; a topic without words must occur literally."""
    topic_words = set(words(topic))
    if not topic_words:
        return any(_contains_topic(each, topic) for each in contents)
    return topic_words.issubset(word for each in contents for word in words(each))


class LocalEpisodeReader:
    """See `EpisodeReader`; used inside the read transaction that made it. `stories` is the view of the episodes."""

    def __init__(self, in_view: RowsInView, stories: View) -> None:
        self._run = in_view.queries.run
        self._in_view = in_view
        self._memories = in_view.view
        self._stories = stories
        self._ns = in_view.ns
        self._analyzer = Analyzer(in_view.queries.connection())

    def readable(self, ids: Sequence[str], admission: Admission) -> list[tuple[FiledEpisode, tuple[str, ...]]]:
        """Return these episodes in order, without unknown ones, each with the contents that prove its topic.

        A topic is proved by the episode's memories that any caller may see (active, valid, trusted, in no scope such as
        `private`), if together they contain its words (`_topic_proofs`); if not, the contents are (). An artifact that
        only the episode's other memories came of or mention is removed from the episode.
        """
        filed, public = self._filed_episodes(ids), self._public_memories(admission)
        members = self._members_of([each.path for each in filed])
        proofs = self._topic_proofs([each.episode.topic for each in filed], [each[public[each]] for each in members])
        shown = self._without_hidden_artifacts([each.episode for each in filed], members, public)
        return [(replace(each, episode=its), proof) for each, its, proof in zip(filed, shown, proofs, strict=True)]

    def _filed_episodes(self, ids: Sequence[str]) -> list[FiledEpisode]:
        """Return the episodes of the namespace with these ids, in order; unknown ids are left out."""
        found = self._run("told", json.dumps(ids), self._ns)
        return [FiledEpisode(Episode.model_validate_json(record), path, op_id) for record, path, op_id in found]

    def _public_memories(self, admission: Admission) -> Mask:
        """Return a mask of the memories that any caller may see: admissible, filters and period aside, and in no
        boundary scope.

        Boundary scopes, such as `private`, restrict a memory to callers who name them.
        """
        return self._in_view.admissible_unfiltered(admission) & (self._memories.light["boundary"] == 0)

    def _members_of(self, paths: Sequence[str]) -> list[Positions]:
        """Return for each path of an episode's file the positions of its memories, sorted by turn, then id.

        They are the memories in that file and those that its episode names.
        """
        light = self._memories.light
        found = np.array(self._run("members", json.dumps(paths)), dtype=np.int64).reshape(-1, 2)
        owner, members = found[:, 0], self._memories.positions(found[:, 1])
        order = np.lexsort((light["id"][members], light["ordinal"][members], owner))
        ends = np.searchsorted(owner[order], np.arange(len(paths) + 1))
        return [members[order[start:end]] for start, end in pairwise(ends.tolist())]

    def _without_hidden_artifacts(
        self, episodes: Sequence[Episode], members: Sequence[Positions], public: Mask
    ) -> list[Episode]:
        """Return the episodes without the artifacts that only members outside of the mask `public` came of, or mention.

        `members` are the positions of each episode's memories. An artifact that no member came of or mentions stays.
        """
        hidden = [
            each[~public[each]] if episode.artifacts else _NONE for episode, each in zip(episodes, members, strict=True)
        ]
        if not any(map(len, hidden)):
            return list(episodes)
        hidden_mentions = self._mentions_by_row(np.concatenate(hidden))
        out: list[Episode] = []
        for episode, unseen, each in zip(episodes, hidden, members, strict=True):
            removed = self._artifacts_of(episode, unseen, hidden_mentions)
            if removed:
                seen = each[public[each]]
                removed -= self._artifacts_of(episode, seen, self._mentions_by_row(seen))
            kept = tuple(text for text in episode.artifacts if text not in removed)
            out.append(episode.model_copy(update={"artifacts": kept}) if removed else episode)
        return out

    def _mentions_by_row(self, members: Positions) -> dict[int, set[str]]:
        """Return, by row number, the ids of the artifacts that the memories at these positions came of, and the paths
        that they mention; memories with neither are left out.
        """
        out: dict[int, set[str]] = {}
        for row, what in self._run("spoken_of", json.dumps(self._rows(members))):
            out.setdefault(row, set()).add(what)
        return out

    def _artifacts_of(self, episode: Episode, members: Positions, mentions: Mapping[int, set[str]]) -> set[str]:
        """Return those artifacts of an episode that one of these members came of, or mentions; empty without members.

        `mentions` is what `_mentions_by_row` returned for them. A spec also counts as mentioned if a member contains
        all words of its name.
        """
        known = set[str]().union(*(mentions.get(row, ()) for row in self._rows(members)))
        return {
            text
            for text in (episode.artifacts if len(members) else ())
            if (found := parse_artifact(text))
            and (
                found.id(episode.namespace) in known
                or plain_path(found.name) in known
                or (found.kind == "spec" and len(self._members_with_words(found.name, members, together=False)))
            )
        }

    def _rows(self, members: Positions) -> list[int]:
        """Return the row numbers of memories by their positions."""
        return self._memories.light["row"][members].tolist()

    def _topic_proofs(self, topics: Sequence[str], members: Sequence[Positions]) -> list[tuple[str, ...]]:
        """Return for each topic the contents that prove it, or ().

        `members` are the positions of each episode's memories. The proof is the first member's content if it contains
        the topic literally (`_contains_topic`); else the contents of those of the first 64 members that contain a word
        of it, if together they contain all its words.
        """
        first = self._contents_of([each[:1] for each in members])
        literal = [
            each if each and _contains_topic(each[0], topic) else () for topic, each in zip(topics, first, strict=True)
        ]
        worded = [
            _NONE if proof else self._members_with_words(topic, each[:_MOST_WITNESSES])
            for topic, each, proof in zip(topics, members, literal, strict=True)
        ]
        contents = self._contents_of(worded) if any(map(len, worded)) else [()] * len(topics)
        return [
            proof or (each if _prove_topic(each, topic) else ())
            for topic, proof, each in zip(topics, literal, contents, strict=True)
        ]

    def _members_with_words(self, text: str, members: Positions, *, together: bool = True) -> Positions:
        """Return the members that contain a word of a text, if together they contain all its words; else none.

        With `together=False` return the members that each contain all the words: all of them for a text without words.
        Of a text with over 64 stems, 64 count.
        """
        terms = sorted({term(stem) for stem in self._analyzer.stems(text)})[:64]
        bits, all_bits = self._memories.matched(members, terms), (1 << len(terms)) - 1
        if not together:
            return members[bits == np.uint64(all_bits)]
        found_bits = int(np.bitwise_or.reduce(bits, initial=np.uint64(0)))
        return members[bits > 0] if terms and found_bits == all_bits else _NONE

    def _contents_of(self, groups: Sequence[Positions]) -> list[tuple[str, ...]]:
        """Return the contents of the memories of each group, in order."""
        rows = [(n, row) for n, group in enumerate(groups) for row in self._rows(group)]
        out: list[tuple[str, ...]] = [()] * len(groups)
        for n, content in self._run("contents", json.dumps(rows)):
            out[n] = (*out[n], content)
        return out

    def search(self, query: Vector | None, stems: Sequence[str], count: int) -> list[NearEpisode]:
        """Return the `count` episodes nearest by cosine and the `count` best by BM25, each once, highest cosine first.

        Equal cosines are in order of BM25, then id. `stems` are at most 64; without a query vector only BM25 counts.
        Whether a caller may see the episodes is not checked (see `answering`).
        """
        view, terms = self._stories, [term(stem) for stem in stems]
        if count <= 0 or len(view) == 0:
            return []
        worded = self._word_scores(terms)
        best = self._best(np.flatnonzero(worded), worded, count)
        places = np.union1d(self._nearest_episodes(query, count), best)
        cosines = np.zeros(len(places)) if query is None else exact_cosine(view.vectors(places), query)
        columns = (view.light["row"][places], cosines, worded[places], view.matched(places, terms))
        ids = [unpack_id(raw, "ep") for raw in view.light["id"][places].tolist()]
        found = [NearEpisode(*each) for each in zip(ids, *(column.tolist() for column in columns), strict=True)]
        return sorted(found, key=lambda hit: (-hit.cosine, -hit.bm25, hit.id))

    def answering(
        self, near: Sequence[NearEpisode], stems: Sequence[str], admission: Admission
    ) -> list[tuple[NearEpisode, frozenset[int]]]:
        """Return those of the episodes `near` that have admissible memories in no boundary scope, in order, each with
        the rows of these memories.

        If a stem matched only in an artifact that `readable` would remove, `matched` is without its bit, and `bm25` 0.
        """
        paths = dict(self._run("stories", json.dumps([each.row for each in near])))
        known = [each for each in near if each.row in paths]
        members = self._members_of([paths[each.row] for each in known])
        filed = self._filed_episodes([each.id for each in known])
        public, terms = self._public_memories(admission), [term(stem) for stem in stems]
        admitted = public & self._in_view.admissible(admission)
        episodes = self._without_hidden_artifacts([each.episode for each in filed], members, public)
        return [
            (self._with_shown_matches(hit, episode, terms), frozenset(rows))
            for hit, episode, each in zip(known, episodes, members, strict=True)
            if (rows := self._rows(each[admitted[each]]))
        ]

    def _word_scores(self, terms: Sequence[int]) -> NDArray[np.float64]:
        """Return the BM25 score of each episode for these terms; 0 for an episode without any."""
        view, scores = self._stories, np.zeros(len(self._stories))
        lengths = view.light["length"]
        mean = float(lengths.mean())
        for spans in view.spans(terms) if terms else ():
            places, counts = view.postings(spans)
            scores[places] += bm25(counts, lengths[places], mean, len(view))
        return scores

    def _nearest_episodes(self, query: Vector | None, count: int) -> Positions:
        """Return the positions of the `count` episodes with the nearest topics by exact cosine, nearest first.

        Empty without a query; episodes whose topic has no vector are left out.
        """
        view = self._stories
        if query is None:
            return _NONE
        coarse, near = view.cosine(query), np.flatnonzero(view.light["has_vector"])
        if len(near) > count:
            near = near[coarse[near] >= np.partition(coarse[near], -count)[-count] - _SLACK]
        exact = np.zeros(len(view), dtype=np.float32)
        exact[near] = exact_cosine(view.vectors(near), query)
        return self._best(near, exact, count)

    def _best(self, places: Positions, scores: NDArray[Any], count: int) -> Positions:
        """Return the `count` of these positions with the highest scores, of equal ones the lower id first.

        `scores` has a score for each position of the view.
        """
        return places[np.lexsort((self._stories.light["id"][places], -scores[places]))][:count]

    def _with_shown_matches(self, hit: NearEpisode, episode: Episode, terms: Sequence[int]) -> NearEpisode:
        """Return the hit; if the shown episode lacks matched terms, without their bits in `matched` and with `bm25` 0.

        `episode` is without its hidden artifacts; `terms` are the stems' numbers in the order of the bits.
        """
        shown = {term(stem) for stem in self._analyzer.stems(story_text(episode))} if hit.matched else set[int]()
        matched = hit.matched & sum(1 << bit for bit, each in enumerate(terms) if each in shown)
        return hit if matched == hit.matched else replace(hit, matched=matched, bm25=0.0)
