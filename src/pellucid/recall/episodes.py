"""A ranking in, the episodes it speaks of out: what their headings say, and which are relevant without a memory there.

An episode is worth its best candidate's final score and the share of the question that its candidates hold together
(`abstain.held`): what nobody says alone, a session may say between them. Both are columns of the pool.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from pellucid.model.memory import Episode
from pellucid.model.text import words
from pellucid.recall.abstain import held
from pellucid.recall.context_text import age, artifacts_of, episode_line, harmless, session_name
from pellucid.recall.equation import Ints
from pellucid.recall.sheet import Group, Line
from pellucid.recall.state import State, World
from pellucid.recall.told import NamedEpisode
from pellucid.store.index_port import Admission
from pellucid.store.lookup_port import FiledEpisode

EpisodeSource = Callable[[Sequence[str], Admission], Sequence[tuple[FiledEpisode, Sequence[str]]]]
"""Episodes by id, unknown ones left out, each with the contents of those of its memories that may answer."""


def told(state: State, world: World, ids: Iterable[str | None]) -> dict[str, Episode]:
    """These episodes by id, as far as they can be asked for; the topic of one that may not be told is empty."""
    source: EpisodeSource | None = getattr(world, "episodes", None)
    wanted = list(dict.fromkeys(each for each in ids if each))
    if source is None or not wanted:
        return {}
    return {filed.episode.id: _vouched(filed.episode, said) for filed, said in source(wanted, state.admission)}


def _vouched(episode: Episode, said: Sequence[str]) -> Episode:
    """The episode without its topic where a word of it stands in none of the memories that may answer.

    A topic is made of memories: those that were retired, quarantined or kept to a scope must not speak through it.
    """
    heard = {word for each in said for word in words(each)}
    return episode if heard.issuperset(words(episode.topic)) else episode.model_copy(update={"topic": ""})


def worths(state: State, lines: Iterable[Line]) -> dict[Group, float]:
    """What each group of lines is worth."""
    groups: dict[Group, list[int]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(int(state.order[line.place]))
    return {group: _worth(state, np.array(members, dtype=np.int64)) for group, members in groups.items()}


def _worth(state: State, members: Ints) -> float:
    together = held(state.pool, members, state.plan, state.corpus.rows)
    return float(state.pool.final[members].max()) + together


def details(state: State, groups: Mapping[Group, Sequence[Line]], episodes: Mapping[str, Episode]) -> dict[Group, str]:
    """What each heading says beyond its day: how long ago, the topic, the session, the artifacts."""
    out: dict[Group, str] = {}
    for group, lines in groups.items():
        episode = episodes.get(group[0])
        topic = f" · {harmless(episode.topic)}" if episode and episode.topic else ""
        made = artifacts_of(episode) if episode and episode.topic else ""
        where = session_name(lines[0].memory.session_id)
        out[group] = f"{age(group[1], state.request.at)}{topic} · {where}{made}"
    return out


def residual(state: State, world: World, lines: Sequence[Line]) -> list[tuple[NamedEpisode, str]]:
    """The best episodes of sessions that have no line: at most `topKEpisodes`, and `maxEpisodes` with those that do."""
    settings, pool, order = state.request.settings, state.pool, state.order
    most = min(settings.top_k_episodes, settings.max_episodes - len({line.group[0] for line in lines}))
    if most <= 0 or getattr(world, "episodes", None) is None:
        return []
    there = {int(pool.session[order[line.place]]) for line in lines}
    members: dict[int, list[int]] = {}
    for position in order.tolist():
        if (session := int(pool.session[position])) >= 0 and session not in there:
            members.setdefault(session, []).append(position)
    found = [np.array(each, dtype=np.int64) for each in members.values()]
    best = sorted(found, key=lambda each: -_worth(state, each))[:most]
    return list(_named(state, world, best))


def _named(state: State, world: World, sessions: Sequence[Ints]) -> Iterable[tuple[NamedEpisode, str]]:
    """The episode of each session's best candidate, where it has one with a topic."""
    first = [members[0] for members in sessions]
    spoken = world.reader.memories(state.pool.rows[np.array(first, dtype=np.int64)])
    known = told(state, world, (each.memory.episode_id for each in spoken))
    for members, each in zip(sessions, spoken, strict=True):
        episode = known.get(each.memory.episode_id or "")
        if episode and episode.topic:
            day = f"{episode.started or episode.created:%Y-%m-%d}"
            named = NamedEpisode(episode.id, round(_worth(state, members), 6), len(members))
            yield named, episode_line(episode, day)
