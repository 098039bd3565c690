"""A few memories in a given order in, the context that a recall would make of them out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from kits.vault import NOON, a_memory
from pellucid.encoders.chat.model import OpenAIChat
from pellucid.model.memory import Memory
from pellucid.recall.context.assemble import Assembly, compose_context
from pellucid.recall.state import Context, Plan, Request, State, World, blank_pool, plain_columns
from pellucid.settings.sections import LlmSettings, RecallSettings
from pellucid.store.index_changes import IndexedFile
from pellucid.store.index_port import IndexReader, Served

RECALL = "rec_" + "0" * 32
SEEN = IndexedFile("", 0, 0)
NOBODY = World(cast("IndexReader", None), None)
"""A world that can be asked nothing."""


def ranked(*memories: Memory, **given: Any) -> State:
    """A state whose ranking has room for these; `given` are recall settings."""
    pool = blank_pool(np.arange(len(memories)), plain_columns(len(memories)))
    request = Request("what lifts?", "local/default", RECALL, NOON, RecallSettings(**given))
    return State(
        request, plan=Plan("what lifts?"), pool=pool, order=np.arange(len(memories)), kept=np.arange(len(memories))
    )


def assembled(memories: Sequence[Memory], world: World = NOBODY, **given: Any) -> Assembly:
    """These memories, best first, as a context with its record."""
    return compose_context(ranked(*memories, **given), world, [Served(each, "a.md", None, SEEN) for each in memories])


def filled(budget: int, *texts: str, sessions: Sequence[str | None] = ()) -> Context:
    """A context of memories in this order; `sessions` are taken in turn."""
    owners = sessions or (None,)
    memories = [a_memory(n, text, session_id=owners[n % len(owners)]) for n, text in enumerate(texts)]
    return assembled(memories, char_budget=budget).context


def chatting(address: str) -> World:
    """A world that can ask the chat model of this address, once a question."""
    settings = LlmSettings(base_url=address, model="scripted", retries=0, timeout_s=20)
    return replace(NOBODY, chat=OpenAIChat(settings))
