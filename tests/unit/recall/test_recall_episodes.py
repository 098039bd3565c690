"""Sessions with their episodes in, headings and episodes without a memory there out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from vault_kit import NOON, SESSIONS, Opener, a_memory, bring_in, file_memories, keep, may_answer

from pellucid.app import App
from pellucid.model.memory import Episode, Memory
from pellucid.operations.changing import VerbInput, apply_verb
from pellucid.recall.abstain import held
from pellucid.recall.context_text import artifacts_of, mark_of
from pellucid.recall.episodes import EpisodeSource, residual
from pellucid.recall.pipeline import run
from pellucid.recall.sheet import Line
from pellucid.recall.state import Request, State, World
from pellucid.settings import RecallSettings
from pellucid.store.index_port import Admission
from pellucid.store.lookup_port import FiledEpisode


class Telling(World):
    """A world that knows its episodes."""

    episodes: EpisodeSource


def source(app: App) -> EpisodeSource:
    """Episodes as the store keeps them, with what those of their memories say that may answer."""

    def told(ids: Sequence[str], admission: Admission) -> list[tuple[FiledEpisode, tuple[str, ...]]]:
        filed = app.lookup.episodes(app.settings.namespace, ids)
        known = [each.memory for each in app.index.memories(app.settings.namespace)]
        return [
            (each, tuple(m.content for m in known if m.episode_id == each.episode.id and may_answer(m)))
            for each in filed
        ]

    return told


def recalled(app: App, query: str, at: Any = None, **given: Any) -> State:
    settings = RecallSettings.model_validate(app.settings.recall.model_dump() | given)
    request = Request(query, app.settings.namespace, app.clock.new_id("rec"), at or app.clock.now(), settings)
    with app.index.reading(app.settings.namespace) as reader:
        world = Telling(reader, app.embedder)
        object.__setattr__(world, "episodes", source(app))
        return run(request, world)


def heading_of(state: State, word: str) -> str:
    """The heading over the first line that holds a word."""
    before = state.context.text.split(word)[0]
    return "\n## " + before.rsplit("\n## ", 1)[1].split("\n[")[0]


def episode_of(app: App, memory: Memory) -> Episode:
    (filed,) = app.lookup.episodes(app.settings.namespace, [memory.episode_id or ""])
    return filed.episode


def test_a_group_is_headed_by_its_day_topic_session_and_artifacts(house: Opener) -> None:
    app = house()
    bring_in(app, SESSIONS)
    state = recalled(app, "what did we decide about the cache?")
    episode = episode_of(app, state.served[0].memory)
    head = heading_of(state, "\n[1]")
    assert f" · {episode.topic} · session {episode.session_id}" in head
    assert artifacts_of(episode) in head


def test_episodes_are_asked_for_only_where_somebody_can_tell(house: Opener) -> None:
    app = house()
    bring_in(app, SESSIONS)
    request = Request("cache", app.settings.namespace, app.clock.new_id("rec"), app.clock.now(), RecallSettings())
    with app.index.reading(app.settings.namespace) as reader:
        text = run(request, World(reader, app.embedder)).context.text
    assert "Other episodes" not in text
    assert " · session " in text


def test_relevant_episodes_without_a_memory_there_are_named_and_recorded(house: Opener) -> None:
    app = house()
    bring_in(app, SESSIONS)
    few = recalled(app, "what did we decide about the cache?", top_k_facts=1)
    line = few.context.text.split("## Other episodes")[1].strip().splitlines()[0]
    assert line.startswith("- 20")
    assert ", turns " in line
    with app.index.reading(app.settings.namespace) as reader:
        world = Telling(reader, app.embedder)
        object.__setattr__(world, "episodes", source(app))
        lines = [Line.of(each.memory, place, NOON) for place, each in enumerate(few.served)]
        named = [each for each, _ in residual(few, world, lines)]
    there = {each.memory.episode_id for each in few.served}
    assert not there & {each.episode_id for each in named}
    assert [each.score for each in named] == sorted((each.score for each in named), reverse=True)
    assert len(named) <= 4


@pytest.mark.parametrize("given", [{"top_k_episodes": 0}, {"max_episodes": 1}])
def test_no_more_episodes_than_the_settings_say(house: Opener, given: dict[str, int]) -> None:
    app = house()
    bring_in(app, SESSIONS)
    assert (
        "Other episodes"
        not in recalled(app, "what did we decide about the cache?", top_k_facts=1, **given).context.text
    )


@pytest.mark.requirement("REC-7")
@pytest.mark.parametrize("budget", range(150, 1500, 150))
def test_headings_and_episodes_stay_within_the_budget(house: Opener, budget: int) -> None:
    app = house()
    bring_in(app, SESSIONS)
    context = recalled(app, "what did we decide about the cache?", char_budget=budget, top_k_facts=3).context
    assert len(context.text) == context.length <= budget


@pytest.mark.requirement("REC-6")
def test_a_topic_does_not_tell_what_may_not_be_recalled(house: Opener) -> None:
    app = house()
    bring_in(app, SESSIONS)
    query = "what did we decide about the cache?"
    episode = episode_of(app, recalled(app, query).served[0].memory)
    assert f" · {episode.topic} · " in recalled(app, query).context.text
    members = [each.memory for each in app.index.memories(app.settings.namespace, episode.members)]
    retired = [each for each in members if episode.topic.split()[0] in each.content.casefold()]
    for each in retired:
        apply_verb(app, "archive", VerbInput(namespace=each.namespace, memory_id=each.id))
    state = recalled(app, query)
    assert episode.id in {each.memory.episode_id for each in state.served}
    assert episode.topic not in state.context.text


def test_what_a_session_says_between_its_memories_counts_for_its_episode(house: Opener) -> None:
    app = house()
    for n, text in enumerate(("the crane lifts forty tonnes", "the ferry leaves at nine", "a crane and nothing else")):
        keep(app, text, session_id="together" if n < 2 else "apart")
    state = recalled(app, "crane ferry")
    by_session = {
        session: np.flatnonzero(state.pool.session == session) for session in set(state.pool.session.tolist())
    }
    shares = sorted(held(state.pool, at, state.plan, state.corpus.rows) for at in by_session.values())
    assert shares[0] < 1 == shares[1]
    assert state.context.text.index("forty") < state.context.text.index("nothing else")


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        ({}, ""),
        ({"status": "disputed"}, "(disputed) "),
        ({"status": "superseded"}, "(superseded) "),
        ({"expires_at": NOON}, "(expired) "),
        ({"source_class": "tool_output"}, "(unverified, a tool's words) "),
        ({"source_class": "tool_output", "trust_zone": "trusted"}, ""),
        ({"source_class": "user_input"}, ""),
        ({"confidence": 0.2}, "(a guess) "),
        ({"retired_attributes": {"ttl": "mem_1"}, "status": "disputed"}, "(disputed; restated since: ttl) "),
    ],
)
def test_what_needs_a_second_look_is_marked(given: dict[str, Any], mark: str) -> None:
    assert mark_of(a_memory(1, "words", **given), NOON) == mark


def test_an_old_day_says_how_long_ago_it_was(house: Opener) -> None:
    app = house()
    old = a_memory(1, "the crane lifts forty tonnes", created=NOON.replace(year=2023))
    file_memories(app, [old])
    assert "\n## 2023-06-01, 3 years ago · no session\n" in recalled(app, "crane").context.text


def test_the_artifacts_of_an_episode_are_files_and_specifications_alone() -> None:
    given = {"created": NOON, "updated": NOON, "session_id": "s", "topic": "t", "turns": "1-2", "namespace": "a/b"}
    named = (
        "changed file src/cache.py",
        "mentioned link https://example.org",
        "made file a\nb",
        "mentioned spec SPEC-1",
    )
    episode = Episode(id=f"ep_{1:032x}", artifacts=named, **given)  # type: ignore[arg-type]
    assert artifacts_of(episode) == "\n changed src/cache.py, mentioned SPEC-1"
    many = episode.model_copy(update={"artifacts": tuple(f"made file {n}.py" for n in range(8))})
    assert artifacts_of(many).endswith("made 4.py and 3 more")
    assert artifacts_of(replace_artifacts(episode)) == ""


def replace_artifacts(episode: Episode) -> Episode:
    return episode.model_copy(update={"artifacts": ()})
