"""A ranking in, the episodes it speaks of out: what their headings say, and which are relevant without a memory there.

An episode with candidates is worth its best one's final score plus the share of the question that they hold together
(`abstain.held_share`). One without is worth what its topic would be as a memory: the terms of the ranks that its
cosine and its BM25 would have in the `vector` and `lexical` legs, plus the share of the question that it holds.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pellucid.model.memory import Episode, Memory
from pellucid.recall.context.abstain import held_share
from pellucid.recall.context.builder import ContextLine, Group
from pellucid.recall.context.records import NamedEpisode
from pellucid.recall.context.text import age, artifacts_of, episode_line, harmless, session_name
from pellucid.recall.score.equation import Floats, Ints, reciprocal
from pellucid.recall.score.fuse import weights_for
from pellucid.recall.state import State, World, blank_pool, plain_columns
from pellucid.store.episode_port import NearEpisode

_LOOKED_AT = 2
"""Episodes looked at for one that may be named, at most: the others have no topic that may be told."""

_ALONE = blank_pool(np.zeros(1, dtype=np.int64), plain_columns(1))


@dataclass(frozen=True, slots=True)
class _Contender:
    """An episode that may be named: by its session's candidates (`members`, best first), or else by its topic."""

    worth: float
    members: Ints
    episode_id: str | None = None


def readable_episodes(state: State, world: World, ids: Iterable[str | None]) -> dict[str, Episode]:
    """These episodes by id, unknown ones left out; the topic of one that may not be shown is empty."""
    wanted = list(dict.fromkeys(each for each in ids if each))
    if not wanted:
        return {}
    known = world.reader.episodes.readable(wanted, state.admission)
    return {filed.episode.id: _without_unvouched_topic(filed.episode, said) for filed, said in known}


def _without_unvouched_topic(episode: Episode, said: Sequence[str]) -> Episode:
    """The episode; without its topic if `said` is empty: a topic must not quote memories that may not answer."""
    return episode if said else episode.model_copy(update={"topic": ""})


def group_scores(state: State, lines: Iterable[ContextLine]) -> dict[Group, float]:
    """By group of lines (those under one heading), the score that orders it among the others."""
    groups: dict[Group, list[int]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(int(state.kept[line.place]))
    return {group: _score_of_members(state, np.array(members, dtype=np.int64)) for group, members in groups.items()}


def _score_of_members(state: State, members: Ints) -> float:
    """The best final score of these candidates plus the share of the question that they hold together."""
    together = held_share(state.pool, members, state.plan, state.corpus.rows)
    return float(state.pool.final[members].max()) + together


def heading_details(
    state: State, groups: Mapping[Group, Sequence[ContextLine]], episodes: Mapping[str, Episode]
) -> dict[Group, str]:
    """What each heading says beyond its day: how long ago, the topic, the session, the artifacts."""
    out: dict[Group, str] = {}
    for group, lines in groups.items():
        episode = episodes.get(group[0])
        topic = f" · {harmless(episode.topic)}" if episode and episode.topic else ""
        made = artifacts_of(episode) if episode and episode.topic else ""
        where = _source(lines[0].memory)
        out[group] = f"{age(group[1], state.request.instant)}{topic} · {where}{made}"
    return out


def _source(memory: Memory) -> str:
    """Where a memory comes from: the file of a section, else its session."""
    if memory.category != "section" or not memory.evidence:
        return session_name(memory.session_id)
    return harmless(memory.evidence[0].rpartition(":")[0])


def further_episodes(state: State, world: World, lines: Sequence[ContextLine]) -> list[tuple[NamedEpisode, str]]:
    """The best episodes without a line, each with its text: at most `topKEpisodes`, `maxEpisodes` in all."""
    settings = state.request.settings
    most = min(settings.top_k_episodes, settings.max_episodes - len({line.group[0] for line in lines}))
    if most <= 0:
        return []
    contenders = _contenders(state, world, lines, most * _LOOKED_AT)
    out: dict[str, tuple[NamedEpisode, str]] = {}
    there = {line.memory.episode_id for line in lines}
    for start in range(0, len(contenders), most):
        if len(out) == most:
            break
        for each, episode in _with_episodes(state, world, contenders[start : start + most]):
            if episode.topic and episode.id not in there and len(out) < most:
                named = NamedEpisode(episode.id, round(each.worth, 6), len(each.members))
                line = episode_line(episode, (episode.started or episode.created).date().isoformat())
                out.setdefault(episode.id, (named, line))
    return list(out.values())


def _contenders(state: State, world: World, lines: Sequence[ContextLine], count: int) -> list[_Contender]:
    """The best `count` contenders by candidates or by topic, best first."""
    nominated = sorted(_session_contenders(state, lines, count), key=lambda each: -each.worth)[:count]
    floor = nominated[-1].worth if len(nominated) == count else 0.0
    return sorted([*nominated, *_topic_contenders(state, world, count, floor)], key=lambda each: -each.worth)[:count]


def _session_contenders(state: State, lines: Sequence[ContextLine], count: int) -> Iterator[_Contender]:
    """The sessions with candidates but no line in the context that may be among the best `count`."""
    pool, order = state.pool, state.order
    there = {int(pool.session[state.kept[line.place]]) for line in lines}
    members: dict[int, list[int]] = {}
    for position, session in zip(order.tolist(), pool.session[order].tolist(), strict=True):
        if session >= 0 and session not in there:
            members.setdefault(session, []).append(position)
    best = list[float]()
    found = [(float(pool.final[each].max()), each) for each in members.values()]
    for top, each in sorted(found, key=lambda each: -each[0]):
        if len(best) >= count and top + 1 <= best[-count]:
            break
        contender = _Contender(_score_of_members(state, np.array(each, dtype=np.int64)), np.array(each, dtype=np.int64))
        insort(best, contender.worth)
        yield contender


def _topic_contenders(state: State, world: World, count: int, floor: float) -> list[_Contender]:
    """The episodes without candidates whose topic answers and is worth more than `floor`."""
    asked = {leg.name for leg in state.legs if leg.health != "off"}
    plan, candidates = state.plan, set(state.pool.rows[state.order].tolist())
    vector = plan.encoding.vector if plan.encoding and "vector" in asked else None
    stems = [plan.stems[i] for i in plan.searched] if "lexical" in asked else []
    if vector is None and not stems:
        return []
    episodes = world.reader.episodes
    near = [each for each, _ in _scored_above(state, episodes.search(vector, stems, count), floor)][:count]
    found = episodes.answering(near, stems, state.admission) if near else []
    alone = [each for each, rows in found if not candidates & rows]
    nobody = np.zeros(0, dtype=np.int64)
    return [_Contender(worth, nobody, each.id) for each, worth in _scored_above(state, alone, floor)]


def _scored_above(state: State, near: Sequence[NearEpisode], floor: float) -> list[tuple[NearEpisode, float]]:
    """The episodes whose score exceeds `floor`, best first: both legs' terms plus the topic's share of the question."""
    terms = _leg_terms(state, "vector", [each.cosine for each in near]) + _leg_terms(
        state, "lexical", [each.bm25 for each in near]
    )
    out = [
        (each, term + _topic_share(state, each.matched))
        for each, term in zip(near, terms.tolist(), strict=True)
        if term > 0 and term + 1 > floor
    ]
    return sorted((pair for pair in out if pair[1] > floor), key=lambda pair: -pair[1])


def _leg_terms(state: State, leg: str, scores: Sequence[float]) -> Floats:
    """What these raw scores would be worth by their ranks in that leg's list; 0 beyond its last, and for no score."""
    settings, ranks = state.request.settings, state.pool.ranks.get(leg)
    if ranks is None:
        return np.zeros(len(scores))
    better = np.sort(-state.pool.scores[leg][ranks > 0])
    places = 1 + np.searchsorted(better, -np.array(scores, dtype=np.float32), "left")
    places[(places > settings.pool) | (np.array(scores) <= 0)] = 0
    return reciprocal(places, weights_for(settings, state.plan)[leg], settings.rrf_k)


def _topic_share(state: State, matched: int) -> float:
    """The share of the question that a topic holds; bit n of `matched` is the n-th word searched for."""
    bits = sum(1 << at for n, at in enumerate(state.plan.searched) if matched >> n & 1)
    alone = replace(_ALONE, matched=np.array([bits], dtype=np.uint64))
    return held_share(alone, np.zeros(1, dtype=np.int64), state.plan, state.corpus.rows)


def _with_episodes(
    state: State, world: World, contenders: Sequence[_Contender]
) -> Iterator[tuple[_Contender, Episode]]:
    """Each contender with its episode, if it has one: of candidates, that of the best."""
    first = [each.members[0] for each in contenders if each.episode_id is None]
    spoken = iter(world.reader.memories(state.pool.rows[np.array(first, dtype=np.int64)]))
    ids = [each.episode_id or next(spoken).memory.episode_id for each in contenders]
    known = readable_episodes(state, world, ids)
    for each, episode_id in zip(contenders, ids, strict=True):
        if episode_id in known:
            yield each, known[episode_id]
