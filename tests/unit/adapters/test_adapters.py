# pyright: reportMissingImports=false
"""Frameworks for agents in, what their own parts do with an opened home out; each where its framework is installed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pellucid import Pellucid

CRANE = "The harbour crane lifts forty tonnes."
QUESTION = "how much does the harbour crane lift?"


@pytest.fixture
def memory(
    tmp_path: Path, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, minilm: Any
) -> Iterator[Pellucid]:
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    with Pellucid(tmp_path / "home", namespace="local/default") as opened:
        yield opened


def test_openai_agents_have_tools_and_a_session_that_is_kept_in_mind(memory: Pellucid) -> None:
    agents = pytest.importorskip("agents")
    from agents.tool_context import ToolContext

    from pellucid.adapters.openai_agents import RememberedSession, tools

    recall, remember = tools(memory, session_id="one", agent="helper")
    assert (recall.name, remember.name) == ("recall", "remember")
    assert recall.params_json_schema["properties"]["query"]["description"] == "the question, in words."

    def use(each: Any, given: str) -> str:
        context = ToolContext(context=None, tool_name=each.name, tool_call_id="1", tool_arguments=given)
        return asyncio.run(each.on_invoke_tool(context, given))

    assert "remembered: mem_" in use(remember, f'{{"statement": "{CRANE}"}}')
    assert CRANE in use(recall, f'{{"query": "{QUESTION}"}}')

    async def talk() -> list[Any]:
        session = RememberedSession(memory, agents.SQLiteSession("talk"))
        assert isinstance(session, agents.Session)
        await session.add_items([{"role": "user", "content": "We decided to paint the quay red, for safety."}])
        await session.add_items([{"role": "assistant", "content": [{"type": "output_text", "text": "Red it is."}]}])
        await session.add_items([{"type": "function_call_output", "call_id": "1", "output": "secret"}])
        await session.end()
        return await session.get_items()

    assert len(asyncio.run(talk())) == 3
    assert [each.memory.session_id for each in memory.list(category="decision").memories] == ["talk"]


def test_pydantic_ai_is_given_a_toolset_that_a_model_calls(memory: Pellucid) -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.models.test import TestModel

    from pellucid.adapters.pydantic_ai import toolset

    memory.remember(CRANE)
    model = TestModel(call_tools=["recall", "remember"])
    agent = pydantic_ai.Agent(model, toolsets=[toolset(memory)])
    answer = asyncio.run(agent.run(QUESTION))
    assert "recall" in answer.output
    assert len(memory.list().memories) == 2  # what the model gave to `remember`
    assert "data, not instructions" in str(answer.all_messages()[0])


def test_langgraph_keeps_items_as_memories_with_their_history(memory: Pellucid) -> None:
    pytest.importorskip("langgraph.store.base")
    from pellucid.adapters.langgraph import MemoryStore

    store = MemoryStore(memory)
    store.put(("user", "ada"), "crane", {"text": CRANE})
    store.put(("user", "ada"), "plan", {"colour": "red", "tonnes": 40})
    store.put(("user", "bo"), "crane", {"text": "The kitchen has a gas oven."})
    assert store.get(("user", "ada"), "crane").value == {"text": CRANE}
    assert store.get(("user", "ada"), "plan").value == {"colour": "red", "tonnes": 40}
    for value in ({"text": '{"tonnes": 40}'}, {}):
        store.put(("user", "cy"), "told", value)
        assert store.get(("user", "cy"), "told").value == value
    store.delete(("user", "cy"), "told")
    assert store.get(("user", "ada"), "nothing") is None
    found = store.search(("user", "ada"), query=QUESTION)
    assert (found[0].key, found[0].value["text"]) == ("crane", CRANE)
    assert found[0].score
    assert {each.key for each in store.search(("user",), filter={"colour": "red"})} == {"plan"}
    assert store.list_namespaces(prefix=("user",)) == [("user", "ada"), ("user", "bo")]
    store.put(("user", "ada"), "plan", {"colour": "blue", "tonnes": 40})
    assert store.get(("user", "ada"), "plan").value == {"colour": "blue", "tonnes": 40}
    assert len(store.search(("user", "ada"))) == 2
    store.delete(("user", "ada"), "crane")
    assert store.get(("user", "ada"), "crane") is None
    assert asyncio.run(store.aget(("user", "bo"), "crane")).key == "crane"


def test_a_search_of_langgraph_is_not_cut_to_what_fits_a_context(memory: Pellucid) -> None:
    pytest.importorskip("langgraph.store.base")
    from pellucid.adapters.langgraph import MemoryStore

    store = MemoryStore(memory)
    for number in range(24):
        text = f"Berth {number} has a crane that lifts {number} tonnes. " + f"Its logbook {number} is long. " * 60
        store.put(("quay",), f"berth-{number}", {"text": text})
    assert len(store.search(("quay",), query="crane berth", limit=100)) == 24


def test_langgraphs_namespaces_are_matched_whole_and_then_cut(memory: Pellucid) -> None:
    pytest.importorskip("langgraph.store.base")
    from pellucid.adapters.langgraph import MemoryStore

    store = MemoryStore(memory)
    for name in ("ada", "bo"):
        store.put(("user", name, "notes"), "crane", {"text": f"{name}: {CRANE}"})
    store.put(("user", "bo", "plans"), "crane", {"text": "The kitchen has a gas oven."})
    assert store.list_namespaces(suffix=("plans",), max_depth=2) == [("user", "bo")]
    assert store.list_namespaces(prefix=("user", "ada"), max_depth=1) == [("user",)]
    assert store.list_namespaces(max_depth=2) == [("user", "ada"), ("user", "bo")]
    assert store.list_namespaces(max_depth=2, limit=1, offset=1) == [("user", "bo")]


def test_a_memory_that_only_has_langgraphs_tag_is_no_item_of_its_store(memory: Pellucid) -> None:
    pytest.importorskip("langgraph.store.base")
    from pellucid.adapters.langgraph import MemoryStore

    store = MemoryStore(memory)
    store.put(("quay",), "crane", {"text": CRANE})
    for number, ref in enumerate((None, "harbour crane", "{}", "[]", '["quay", 3]', "40")):
        memory.remember(f"The harbour crane number {number} is red.", tags=("langgraph",), entity_ref=ref)
    assert [each.key for each in store.search(())] == ["crane"]
    assert [each.key for each in store.search((), query=QUESTION)] == ["crane"]
    assert store.list_namespaces() == [("quay",)]


def test_the_claude_agent_sdk_is_given_hooks_and_tools(memory: Pellucid) -> None:
    pytest.importorskip("claude_agent_sdk")
    from pellucid.adapters.claude_agent import hooks, server

    memory.remember(CRANE)
    given = hooks(memory)
    (prompt,) = given["UserPromptSubmit"]
    said = {"hook_event_name": "UserPromptSubmit", "session_id": "one", "cwd": "/tmp", "prompt": QUESTION}
    answer = asyncio.run(prompt.hooks[0](said, None, {"signal": None}))
    assert CRANE in answer["hookSpecificOutput"]["additionalContext"]
    made = server(memory)
    assert (made["type"], made["name"]) == ("sdk", "pellucid")
