"""A ranking in, the episodes it speaks of out: what their headings say, and which are relevant without a memory in it.

An episode with candidates is worth the final score of its best candidate plus the share of the question's words that
its candidates contain together (`abstain.share_of_words_met`). An episode without candidates is worth what its topic
would be worth as a memory: the terms for the ranks that its cosine and its BM25 would have in the `vector` and
`lexical` legs, plus the share of the question's words that the topic contains.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pellucid.model.memory import Episode, Memory
from pellucid.model.snapshot import EpisodeTrace
from pellucid.recall.context.abstain import share_of_words_met
from pellucid.recall.context.builder import ContextLine, Group
from pellucid.recall.context.text import artifacts_of, episode_line, harmless, session_name
from pellucid.recall.score.equation import Floats, Ints, reciprocal
from pellucid.recall.score.fuse import weights_for
from pellucid.recall.state import State, World, blank_pool, plain_columns
from pellucid.store.episode_port import NearEpisode

_LOOKED_AT = 2
"""Episodes looked at for each that can be named: some have no topic, or none that the reader is allowed to see."""

_ALONE = blank_pool(np.zeros(1, dtype=np.int64), plain_columns(1))
"""A pool of one made-up candidate, for scoring a topic as if it were a memory."""


@dataclass(frozen=True, slots=True)
class _Contender:
    """An episode that can be named: for its session's candidates (`members`, best first), or else for its topic."""

    worth: float
    members: Ints
    episode_id: str | None = None


def readable_episodes(state: State, world: World, ids: Iterable[str | None]) -> dict[str, Episode]:
    """Map these ids to their episodes; None and unknown ids are left out. Since a topic could quote memories that are
    not allowed to answer, it is emptied unless admissible memories in no boundary scope contain its words; artifacts
    that only other memories mention are removed."""
    wanted = list(dict.fromkeys(each for each in ids if each))
    if not wanted:
        return {}
    readable = world.reader.episodes.readable(wanted, state.admission)
    return {  # a topic must not quote memories that are not allowed to answer
        filed.episode.id: filed.episode if quotable else filed.episode.model_copy(update={"topic": ""})
        for filed, quotable in readable
    }


def _score_of_members(state: State, members: Ints) -> float:
    """Return the best final score of these candidates plus the share of the question's words they contain together."""
    together = share_of_words_met(state.pool, members, state.plan, state.corpus.rows)
    return float(state.pool.final[members].max()) + together


def heading_details(groups: Mapping[Group, Sequence[ContextLine]], episodes: Mapping[str, Episode]) -> dict[Group, str]:
    """Map each group (a pair of its episode's id and its day) to what its heading says beside the day: the topic, the
    session or file, the artifacts. The text is empty if none of these is known. `episodes` maps ids to the episodes
    that may be shown."""
    out: dict[Group, str] = {}
    for group, lines in groups.items():
        episode = episodes.get(group[0])
        topic = harmless(episode.topic) if episode else ""
        made = artifacts_of(episode) if episode and episode.topic else ""
        out[group] = " · ".join(each for each in (topic, _source(lines[0].memory)) if each) + made
    return out


def _source(memory: Memory) -> str:
    """Return where a memory comes from: the path of the file if it is a section with evidence, else the session in
    words (`session_name`); empty if it has none."""
    if memory.category != "section" or not memory.evidence:
        return session_name(memory.session_id)
    return harmless(memory.evidence[0].rpartition(":")[0])


def further_episodes(state: State, world: World, lines: Sequence[ContextLine]) -> list[tuple[EpisodeTrace, str]]:
    """Return the best episodes without a line in the context, best first, each with the line that names it.

    At most `topKEpisodes`, and so many that the context speaks of at most `maxEpisodes` in all. Episodes whose topic is
    empty or must not be shown are left out.
    """
    settings = state.request.settings
    most = min(settings.top_k_episodes, settings.max_episodes - len({line.group[0] for line in lines}))
    if most <= 0:
        return []
    contenders = _contenders(state, world, lines, most * _LOOKED_AT)
    out: dict[str, tuple[EpisodeTrace, str]] = {}
    shown = {line.memory.episode_id for line in lines}
    for start in range(0, len(contenders), most):
        if len(out) == most:
            break
        for each, episode in _with_episodes(state, world, contenders[start : start + most]):
            if episode.topic and episode.id not in shown and len(out) < most:
                named = EpisodeTrace(episode_id=episode.id, score=round(each.worth, 6), matches=len(each.members))
                line = episode_line(episode, (episode.started or episode.created).date().isoformat())
                out.setdefault(episode.id, (named, line))
    return list(out.values())


def _contenders(state: State, world: World, lines: Sequence[ContextLine], count: int) -> list[_Contender]:
    """Return the best `count` episodes that could be named beside `lines`, best first: sessions with candidates but no
    line, and episodes that have no candidate, by their topic.
    """
    nominated = sorted(_session_contenders(state, lines, count), key=lambda each: -each.worth)[:count]
    floor = nominated[-1].worth if len(nominated) == count else 0.0
    return sorted([*nominated, *_topic_contenders(state, world, count, floor)], key=lambda each: -each.worth)[:count]


def _session_contenders(state: State, lines: Sequence[ContextLine], count: int) -> Iterator[_Contender]:
    """Yield the sessions with candidates but no line in the context, as far as they can be among the best `count`, by
    the final score of their best candidate, falling."""
    pool, order = state.pool, state.order
    shown = {int(pool.session[state.kept[line.place]]) for line in lines}
    members: dict[int, list[int]] = {}
    for position, session in zip(order.tolist(), pool.session[order].tolist(), strict=True):
        if session >= 0 and session not in shown:
            members.setdefault(session, []).append(position)
    best = list[float]()
    found = [(float(pool.final[each].max()), each) for each in members.values()]
    for top, each in sorted(found, key=lambda each: -each[0]):
        if len(best) >= count and top + 1 <= best[-count]:  # the share of words adds 1 at most
            break
        contender = _Contender(_score_of_members(state, np.array(each, dtype=np.int64)), np.array(each, dtype=np.int64))
        insort(best, contender.worth)
        yield contender


def _topic_contenders(state: State, world: World, count: int, floor: float) -> list[_Contender]:
    """Return the episodes without candidates that are worth more than `floor` by their topic, best first: of the
    `count` best that the question finds by meaning or words, those with admissible memories in no boundary scope. Empty
    if neither leg was asked."""
    asked = {leg.name for leg in state.legs if leg.health != "off"}
    plan, candidates = state.plan, set(state.pool.rows[state.order].tolist())
    vector = plan.encoding.vector if plan.encoding and "vector" in asked else None
    stems = [plan.stems[i] for i in plan.searched] if "lexical" in asked else []
    if vector is None and not stems:
        return []
    episodes = world.reader.episodes
    nearest = [each for each, _ in _scored_above(state, episodes.search(vector, stems, count), floor)][:count]
    answering = episodes.answering(nearest, stems, state.admission) if nearest else []
    without_candidates = [each for each, rows in answering if not candidates & rows]
    no_members = np.zeros(0, dtype=np.int64)
    return [_Contender(worth, no_members, each.id) for each, worth in _scored_above(state, without_candidates, floor)]


def _scored_above(state: State, near: Sequence[NearEpisode], floor: float) -> list[tuple[NearEpisode, float]]:
    """Return those of the episodes `near` whose score exceeds `floor`, best first, each with its score, without those
    that no leg would rank.

    The score is the terms of both legs (`_leg_terms`) plus the share of the question's words that the topic contains.
    """
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
    """Return the terms that these raw scores would earn by the ranks they would have in this leg's list.

    0 for a score that is not positive, for a rank after the last place of the list, and for all if there is no list.
    """
    settings, ranks = state.request.settings, state.pool.ranks.get(leg)
    if ranks is None:
        return np.zeros(len(scores))
    ranked_scores = np.sort(-state.pool.scores[leg][ranks > 0])
    would_be_ranks = 1 + np.searchsorted(ranked_scores, -np.array(scores, dtype=np.float32), "left")
    would_be_ranks[(would_be_ranks > settings.pool) | (np.array(scores) <= 0)] = 0
    return reciprocal(would_be_ranks, weights_for(settings, state.plan)[leg], settings.rrf_k)


def _topic_share(state: State, matched: int) -> float:
    """Return the share of the question's words in a topic; bit n of `matched` is the n-th word searched for."""
    bits = sum(1 << at for n, at in enumerate(state.plan.searched) if matched >> n & 1)
    alone = replace(_ALONE, matched=np.array([bits], dtype=np.uint64))
    return share_of_words_met(alone, np.zeros(1, dtype=np.int64), state.plan, state.corpus.rows)


def _with_episodes(
    state: State, world: World, contenders: Sequence[_Contender]
) -> Iterator[tuple[_Contender, Episode]]:
    """Yield each contender with its episode; for a contender with candidates, the episode of its best candidate.

    Contenders whose episode is unknown are left out; `readable_episodes` says what is removed from the others.
    """
    first = [each.members[0] for each in contenders if each.episode_id is None]
    spoken = iter(world.reader.memories(state.pool.rows[np.array(first, dtype=np.int64)]))
    ids = [each.episode_id or next(spoken).memory.episode_id for each in contenders]
    known = readable_episodes(state, world, ids)
    for each, episode_id in zip(contenders, ids, strict=True):
        if episode_id in known:
            yield each, known[episode_id]
