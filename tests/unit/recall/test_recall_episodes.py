"""Sessions with their episodes in, headings and episodes without a memory there out."""

import random
from typing import Any

import numpy as np
import pytest

from kits.stories import an_episode, file_episode, tell
from kits.vault import (
    ELSEWHERE,
    NOON,
    SESSIONS,
    Opener,
    a_memory,
    bring_in,
    file_memories,
    keep,
    may_answer,
    salad_memories,
)
from pellucid.app import App
from pellucid.language.words import words
from pellucid.memory.episodes import topic_words
from pellucid.model.memory import Episode, Memory
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.recall.context.abstain import share_of_words_met
from pellucid.recall.context.builder import ContextLine
from pellucid.recall.context.episodes import further_episodes
from pellucid.recall.context.text import artifacts_of, mark_of
from pellucid.recall.pipeline import run
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.state import Request, State, World
from pellucid.settings.sections import RecallSettings


def recalled(app: App, query: str, at: Any = None, **given: Any) -> State:
    settings = RecallSettings.model_validate(app.settings.recall.model_dump() | given)
    request = Request(query, app.settings.namespace, app.clock.new_id("rec"), at or app.clock.now(), settings)
    with app.index.reading(app.settings.namespace) as reader:
        return run(request, World(reader, app.embedder))


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
    assert f"\n### {episode.topic} · session {episode.session_id}" in head
    assert artifacts_of(episode) in head


def test_relevant_episodes_without_a_memory_there_are_named_and_recorded(house: Opener) -> None:
    app = house()
    bring_in(app, SESSIONS)
    few = recalled(app, "what did we decide about the cache?", top_k_facts=1)
    line = few.context.text.split("## Other episodes")[1].strip().splitlines()[0]
    assert line.startswith("- 20")
    assert ", turns " in line
    with app.index.reading(app.settings.namespace) as reader:
        lines = [ContextLine.of(each.memory, place, NOON) for place, each in enumerate(few.served)]
        named = [each for each, _ in further_episodes(few, World(reader, app.embedder), lines)]
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
    assert f"### {episode.topic} · " in recalled(app, query).context.text
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
    shares = sorted(share_of_words_met(state.pool, at, state.plan, state.corpus.rows) for at in by_session.values())
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
    assert "\n## 2023-06-01, 3 years ago\n" in recalled(app, "crane").context.text


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


QUESTION = "when was the harbour crane repaired?"


def crowd(app: App) -> None:
    """Enough that answers the question better than anything an episode's memories say by themselves."""
    texts = [f"the harbour crane was repaired, {n} of many" for n in range(12)]
    file_memories(app, [a_memory(n, text) for n, text in enumerate(texts, start=500_000)])


def repair(app: App, **state: Any) -> Episode:
    """An episode whose topic answers the question; the second of its memories is in this state."""
    texts = (
        "on that long and windy afternoon somebody said harbour, and nothing more came of it",
        "the crane driver, who lives by the sea, had his birthday and brought a cake for all",
        "a bicycle had a repair in the yard because of a flat tyre and a broken spoke, no more",
    )
    return tell(app, 7, "harbour crane repair", *texts, states=[{}, state, {}])


def few(app: App, query: str = QUESTION, **given: Any) -> State:
    return recalled(app, query, **{"pool": 5, "open_pool": 5, **given})


def test_an_episode_is_named_by_its_topic_although_none_of_its_memories_was_found(house: Opener) -> None:
    app = house()
    crowd(app)
    before = few(app)
    episode = repair(app)
    state = few(app)
    assert episode.session_id not in {each.memory.session_id for each in state.served}
    assert not set(episode.members) & {each.memory.id for each in state.served}
    (named,) = state.context.episodes
    assert (named.episode_id, named.matches) == (episode.id, 0)
    weights = RecallSettings().leg_weights
    assert 0 < named.score <= round(weights.vector + weights.lexical + 1, 6)
    line = f"- 2026-06-01 · {episode.topic} · session {episode.session_id}, turns 1-9"
    assert state.context.text.split("## Other episodes\n")[1].splitlines()[0] == line
    assert [each.memory.id for each in state.served] == [each.memory.id for each in before.served]
    assert state.context.included == before.context.included
    assert unpack(pack(state)).state.context.episodes == state.context.episodes


@pytest.mark.requirement("REC-6")
@pytest.mark.parametrize(
    "state",
    [{"status": "superseded"}, {"trust_zone": "quarantine"}, {"scopes": ("private",)}, {"status": "quarantined"}],
)
def test_a_topic_that_only_a_silenced_memory_would_vouch_for_is_not_named(house: Opener, state: dict[str, Any]) -> None:
    app = house()
    crowd(app)
    repair(app, **state)
    given = few(app)
    assert given.context.episodes == ()
    assert "repair ·" not in given.context.text


def test_episodes_elsewhere_and_forgotten_ones_are_not_named(house: Opener) -> None:
    app = house()
    crowd(app)
    tell(app, 8, "repair harbour crane", "harbour", "crane", "repair", namespace=ELSEWHERE)
    assert few(app).context.episodes == ()
    episode = repair(app)
    assert [each.episode_id for each in few(app).context.episodes] == [episode.id]
    forget(app, ForgetInput(namespace=app.settings.namespace, memory_ids=episode.members))
    assert few(app).context.episodes == ()
    left = [path.name for path in app.settings.home.glob("index.db*") if b"harbour crane repair" in path.read_bytes()]
    assert left == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, 1),
        ({"top_k_episodes": 0}, 0),
        ({"max_episodes": 1}, 0),
        ({"leg_weights": {"vector": 0}}, 1),
        ({"leg_weights": {"lexical": 0}}, 0),
        ({"leg_weights": {"vector": 0, "lexical": 0, "procedural": 1}}, 0),
    ],
)
def test_a_topic_competes_in_the_legs_that_are_on_for_the_room_that_is_left(
    house: Opener, given: dict[str, Any], named: int
) -> None:
    app = house()
    crowd(app)
    repair(app)
    context = few(app, **given).context
    assert len(context.episodes) == named
    shorter = few(app, **given, char_budget=len(context.text) - 1).context
    assert len(shorter.text) < len(context.text)
    assert shorter.episodes == ()


def test_an_episode_with_candidates_is_judged_by_them_and_named_once(house: Opener) -> None:
    app = house()
    for n in range(1, 5):
        tell(app, n, "harbour crane repair", f"the harbour crane had its repair, {n}")
    state = recalled(app, QUESTION, top_k_facts=1)
    assert sorted(each.matches for each in state.context.episodes) == [1, 1, 1]
    assert len({each.episode_id for each in state.context.episodes}) == 3


def test_a_topic_is_worth_the_places_its_scores_would_have(house: Opener) -> None:
    app = house()
    crowd(app)
    episode = repair(app)
    state = few(app)
    plan, settings = state.plan, state.request.settings
    assert plan.encoding
    stems = [plan.stems[i] for i in plan.searched]
    with app.index.reading(app.settings.namespace) as reader:
        (hit,) = reader.episodes.search(plan.encoding.vector, stems, 5)
    worth = 0.0
    for leg, score in (("vector", hit.cosine), ("lexical", hit.bm25)):
        seen = state.pool.ranks[leg] > 0
        place = 1 + sum(float(each) > np.float32(score) for each in state.pool.scores[leg][seen])
        worth += (settings.rrf_k + 1) / (settings.rrf_k + place) if place <= settings.pool else 0
    (named,) = state.context.episodes
    said = {"harbour", "crane", "repair"}
    assert {stems[n] for n in range(len(stems)) if hit.matched >> n & 1} == said
    telling = {i: np.log(1 + state.corpus.rows / (1 + plan.frequencies[i])) ** 2 for i in plan.telling}
    share = sum(weight for i, weight in telling.items() if plan.stems[i] in said) / sum(telling.values())
    assert named.episode_id == episode.id
    assert named.score == pytest.approx(worth + share, abs=1e-6)


@pytest.mark.requirement("REC-6")
def test_no_context_holds_a_word_that_only_silenced_memories_say(house: Opener) -> None:
    app, rng = house(), random.Random(5)
    for number in range(1, 40):
        memories = [
            each.model_copy(
                update={
                    "session_id": f"tale-{number}",
                    "episode_id": f"ep_{number:032x}",
                    "content": f"{''.join(rng.choices('bdfgkl', k=9))} {each.content}",
                }
            )
            for each in salad_memories(rng, rng.randint(2, 6))
        ]
        episode = an_episode(number, topic_words(memories), members=tuple(each.id for each in memories))
        file_episode(app, episode, memories)
    held_ = [each.memory for each in app.index.memories(app.settings.namespace)]
    may = {word for each in held_ if may_answer(each) for word in words(each.content)}
    mute = {word for each in held_ if not may_answer(each) for word in words(each.content)} - may
    assert len(mute) > 5
    named = 0
    for query in [" ".join(rng.sample(sorted(mute | may), 3)) for _ in range(60)]:
        state = recalled(app, query, top_k_facts=rng.randint(1, 5), pool=rng.randint(1, 9), open_pool=1)
        named += sum(each.matches == 0 for each in state.context.episodes)
        assert not mute & set(words(state.context.text.partition("\n")[2])), query
    assert named > 10
