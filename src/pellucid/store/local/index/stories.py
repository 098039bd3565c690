"""One read transaction in, the episodes of a namespace out: with what vouches for them, and nearest to a query."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from pellucid.encoders.port import Vector
from pellucid.language.words import words
from pellucid.model.artifact import parse_artifact
from pellucid.model.memory import Episode, unpack_id
from pellucid.store.episode_port import NearEpisode
from pellucid.store.index_port import Admission, Mask
from pellucid.store.local.database import execute
from pellucid.store.local.index.analysis import Analyzer, term
from pellucid.store.local.index.columns import View
from pellucid.store.local.index.mentions import plain_path
from pellucid.store.local.index.past_view import RowsInView
from pellucid.store.local.index.reader import bm25, exact_cosine
from pellucid.store.lookup_port import FiledEpisode

_MOST_HEARD = 64
"""Memories of an episode that may vouch for its topic, at most."""
_SLACK = 1e-4
"""As in `reader`."""
_NOBODY: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
Places = NDArray[np.int64]


def story_text(episode: Episode) -> str:
    """What the words of an episode are: its topic, and the names of its files and specifications (not its links)."""
    found = [parse_artifact(each) for each in episode.artifacts]
    return "\n".join((episode.topic, *(each.name for each in found if each and each.kind != "link")))


def _says(topic: str, content: str) -> bool:
    """Whether a topic stands in a content as it is, but for how it was cut."""
    return f" {topic.removesuffix('…').strip()} " in f" {' '.join(content.split())} "


def _is_vouched_for(topic: str, said: Sequence[str]) -> bool:
    """Whether every word of a topic was said; a topic without words must be said as it is."""
    wanted = set(words(topic))
    if not wanted:
        return any(_says(topic, each) for each in said)
    return wanted.issubset(word for each in said for word in words(each))


class LocalEpisodeReader:
    """See `EpisodeReader`; lives inside the read transaction that made it. `stories` is the view of the episodes."""

    def __init__(
        self, connection: apsw.Connection, queries: dict[str, str], in_view: RowsInView, stories: View
    ) -> None:
        self._connection = connection
        self._queries = queries
        self._in_view = in_view
        self._memories = in_view.view
        self._stories = stories
        self._ns = in_view.ns
        self._analyzer = Analyzer(connection)

    def _run(self, name: str, *bindings: str | int) -> list[tuple[Any, ...]]:
        return execute(self._connection, self._queries[name], bindings)

    def readable(self, ids: Sequence[str], admission: Admission) -> list[tuple[FiledEpisode, tuple[str, ...]]]:
        """These episodes, in order, unknown ones left out, each with the words that vouch for its topic."""
        filed, standing = self._filed(ids), self._standing(admission)
        members = self._members_of([each.path for each in filed])
        speaking = [places[standing[places]] for places in members]
        said = self._vouching_words([each.episode.topic for each in filed], speaking)
        shown = self._without_silenced([each.episode for each in filed], members, standing)
        return [(replace(each, episode=its), heard) for each, its, heard in zip(filed, shown, said, strict=True)]

    def _filed(self, ids: Sequence[str]) -> list[FiledEpisode]:
        found = self._run("told", json.dumps(ids), self._ns)
        return [FiledEpisode(Episode.model_validate_json(record), path, op_id) for record, path, op_id in found]

    def _standing(self, admission: Admission) -> Mask:
        """The memories that may answer whoever asks, and whatever is asked."""
        return self._in_view.speaking(admission) & (self._memories.light["boundary"] == 0)

    def _members_of(self, paths: Sequence[str]) -> list[Places]:
        """Where the memories of each file's episode stand, in its order."""
        light = self._memories.light
        found = np.array(self._run("members", json.dumps(paths)), dtype=np.int64).reshape(-1, 2)
        owner, places = found[:, 0], self._memories.positions(found[:, 1])
        order = np.lexsort((light["id"][places], light["ordinal"][places], owner))
        ends = np.searchsorted(owner[order], np.arange(len(paths) + 1))
        return [places[order[start:end]] for start, end in pairwise(ends.tolist())]

    def _without_silenced(
        self, episodes: Sequence[Episode], members: Sequence[Places], standing: Mask
    ) -> list[Episode]:
        """Each episode without the artifacts of memories that may not answer, unless others have them, too."""
        mute = [
            places[~standing[places]] if episode.artifacts else _NOBODY
            for episode, places in zip(episodes, members, strict=True)
        ]
        if not any(map(len, mute)):
            return list(episodes)
        of_mute = self._spoken_of(np.concatenate(mute))
        out: list[Episode] = []
        for episode, silent, places in zip(episodes, mute, members, strict=True):
            had = self._artifacts_of(episode, silent, of_mute)
            if had:
                speaking = places[standing[places]]
                had -= self._artifacts_of(episode, speaking, self._spoken_of(speaking))
            kept = tuple(text for text in episode.artifacts if text not in had)
            out.append(episode.model_copy(update={"artifacts": kept}) if had else episode)
        return out

    def _spoken_of(self, places: Places) -> dict[int, set[str]]:
        """By row, the ids of the artifacts that memories came of, and the paths that they name."""
        out: dict[int, set[str]] = {}
        for row, what in self._run("spoken_of", json.dumps(self._rows(places))):
            out.setdefault(row, set()).add(what)
        return out

    def _artifacts_of(self, episode: Episode, members: Places, spoken_of: Mapping[int, set[str]]) -> set[str]:
        """Those artifacts of an episode that some of these of its memories came of, or name."""
        known = set[str]().union(*(spoken_of.get(row, ()) for row in self._rows(members)))
        return {
            text
            for text in (episode.artifacts if len(members) else ())
            if (found := parse_artifact(text))
            and (
                found.id(episode.namespace) in known
                or plain_path(found.name) in known
                or (found.kind == "spec" and len(self._members_holding(found.name, members, together=False)))
            )
        }

    def _rows(self, places: Places) -> list[int]:
        return self._memories.light["row"][places].tolist()

    def _vouching_words(self, topics: Sequence[str], members: Sequence[Places]) -> list[tuple[str, ...]]:
        """What members say that vouches for each topic: the first of them, or those that hold its words; or nothing."""
        first = self._contents_at([each[:1] for each in members])
        said = [each if each and _says(topic, each[0]) else () for topic, each in zip(topics, first, strict=True)]
        holding = [
            _NOBODY if known else self._members_holding(topic, each[:_MOST_HEARD])
            for topic, each, known in zip(topics, members, said, strict=True)
        ]
        more = self._contents_at(holding) if any(map(len, holding)) else [()] * len(said)
        return [
            known or (each if _is_vouched_for(topic, each) else ())
            for topic, known, each in zip(topics, said, more, strict=True)
        ]

    def _members_holding(self, text: str, members: Places, *, together: bool = True) -> Places:
        """Who holds a word of a text, where they hold all of them together; or else who holds them all alone."""
        terms = sorted({term(stem) for stem in self._analyzer.stems(text)})[:64]
        bits, every = self._memories.matched(members, terms), (1 << len(terms)) - 1
        if not together:
            return members[bits == np.uint64(every)]
        spoken = int(np.bitwise_or.reduce(bits, initial=np.uint64(0)))
        return members[bits > 0] if terms and spoken == every else _NOBODY

    def _contents_at(self, places: Sequence[Places]) -> list[tuple[str, ...]]:
        """For each group of places what the memories there say, in order."""
        rows = [(n, row) for n, some in enumerate(places) for row in self._rows(some)]
        out: list[tuple[str, ...]] = [()] * len(places)
        for n, content in self._run("contents", json.dumps(rows)):
            out[n] = (*out[n], content)
        return out

    def search(self, query: Vector | None, stems: Sequence[str], count: int) -> list[NearEpisode]:
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
        """Those of these episodes with memories that may answer, and the rows of these memories."""
        paths = dict(self._run("stories", json.dumps([each.row for each in near])))
        known = [each for each in near if each.row in paths]
        members, filed = self._members_of([paths[each.row] for each in known]), self._filed([each.id for each in known])
        standing, terms = self._standing(admission), [term(stem) for stem in stems]
        answering = standing & self._in_view.admissible(admission)
        episodes = self._without_silenced([each.episode for each in filed], members, standing)
        return [
            (self._sayable(each, episode, terms), frozenset(rows))
            for each, episode, places in zip(known, episodes, members, strict=True)
            if (rows := self._rows(places[answering[places]]))
        ]

    def _word_scores(self, terms: Sequence[int]) -> NDArray[np.float64]:
        """What the words of a query are worth in each episode."""
        view, scores = self._stories, np.zeros(len(self._stories))
        lengths = view.light["length"]
        mean = float(lengths.mean())
        for spans in view.spans(terms) if terms else ():
            places, counts = view.postings(spans)
            scores[places] += bm25(counts, lengths[places], mean, len(view))
        return scores

    def _nearest_episodes(self, query: Vector | None, count: int) -> Places:
        """The nearest episodes by their topics, exact, the nearest first."""
        view = self._stories
        if query is None:
            return _NOBODY
        coarse, near = view.cosine(query), np.flatnonzero(view.light["has_vector"])
        if len(near) > count:
            near = near[coarse[near] >= np.partition(coarse[near], -count)[-count] - _SLACK]
        exact = np.zeros(len(view), dtype=np.float32)
        exact[near] = exact_cosine(view.vectors(near), query)
        return self._best(near, exact, count)

    def _best(self, places: Places, scores: NDArray[Any], count: int) -> Places:
        return places[np.lexsort((self._stories.light["id"][places], -scores[places]))][:count]

    def _sayable(self, near: NearEpisode, episode: Episode, terms: Sequence[int]) -> NearEpisode:
        """The episode as found; if a word matched that it may not show, without that match and with `bm25` 0."""
        said = {term(stem) for stem in self._analyzer.stems(story_text(episode))} if near.matched else set[int]()
        may = near.matched & sum(1 << bit for bit, each in enumerate(terms) if each in said)
        return near if may == near.matched else replace(near, matched=may, bm25=0.0)
