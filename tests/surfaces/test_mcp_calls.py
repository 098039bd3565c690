"""Calls that take a while in, how they are told of and given up out."""

from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from mcp.client import Client

from kits.mcp import ask, standing
from pellucid.deadline import Deadline

ERAS = ["legacy", "2026-07-28"]
WAIT_S = 60


@pytest.mark.parametrize("era", ERAS)
def test_who_asks_for_it_is_told_how_far_a_call_is(tmp_path: Path, era: str) -> None:
    told: list[tuple[float, float | None]] = []

    async def hear(done: float, total: float | None, _message: str | None) -> None:
        told.append((done, total))

    with standing(tmp_path / "home") as home:

        def calls(*place: Any, progress: Any, **more: Any) -> Any:
            for done in (0, 1, 2):
                progress(done, 2)
            return home(*place, progress=progress, **more)

        found: Any = ask(calls, lambda client: client.call_tool("memory_search", {}, progress_callback=hear), mode=era)
    assert found.structured_content["total"] == 0
    assert (told[0], told[-1]) == ((0, 2), (2, 2))


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_is_cancelled_is_given_up_and_the_server_goes_on(tmp_path: Path, era: str) -> None:
    begun, given_up = Event(), Event()

    with standing(tmp_path / "home") as home:

        def calls(*place: Any, deadline: Deadline, **more: Any) -> Any:
            if not begun.is_set():
                begun.set()
                for _ in range(WAIT_S * 100):
                    if deadline.is_over:
                        given_up.set()
                        raise deadline.error()
                    given_up.wait(0.01)
            return home(*place, deadline=deadline, **more)

        async def work(client: Client) -> Any:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "memory_search", {})
                await anyio.to_thread.run_sync(begun.wait, WAIT_S)
                group.cancel_scope.cancel()
            await anyio.to_thread.run_sync(given_up.wait, WAIT_S)
            return await client.call_tool("memory_search", {})

        found = ask(calls, work, mode=era)
    assert given_up.is_set()
    assert found.structured_content["total"] == 0
