"""A home in, a real MCP client of it out: in this process, over standard input and output, or over HTTP."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from kits.waiting import until
from pellucid.settings import load
from pellucid.surfaces.mcp.calling import CallMaker
from pellucid.surfaces.mcp.http import Mounted
from pellucid.surfaces.mcp.server import server
from pellucid.surfaces.mcp.stdio import StdioHome

T = TypeVar("T")
Work = Callable[[Client], Awaitable[T]]


def ask(calls: CallMaker, work: Work[T], *, mode: str = "auto") -> T:
    """What some work with a client gives, in this process and over the protocol's own messages."""

    async def run() -> T:
        async with Client(server(calls), mode=mode) as client:
            return await work(client)

    return asyncio.run(run())


@contextmanager
def standing(home: Path, namespace: str | None = None) -> Iterator[StdioHome]:
    """The calls of one client, as `pellucid mcp` makes them."""
    calls = StdioHome(load(home=home, namespace=namespace), lambda _said: None)
    try:
        yield calls
    finally:
        calls.close()


def ask_process(home: Path, work: Work[T], *arguments: str, mode: str = "auto", cwd: Path | None = None) -> T:
    """The same of `pellucid mcp` as a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PELLUCID_")}  # noqa: TID251
    program = StdioServerParameters(
        command=str(Path(sys.executable).with_name("pellucid")),
        args=["mcp", *arguments],
        env={**environment, "PELLUCID_HOME": str(home)},
        cwd=cwd,
    )

    async def run() -> T:
        async with Client(stdio_client(program), mode=mode) as client:
            return await work(client)

    return asyncio.run(run())


def call(calls: CallMaker, tool: str, **arguments: Any) -> Any:
    """The result of one call."""
    return ask(calls, lambda client: client.call_tool(tool, arguments))


@contextmanager
def serving(calls: CallMaker) -> Iterator[str]:
    """The address of the same server over HTTP, on this machine's own interface."""
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from uvicorn import Config, Server

    over_http = Mounted(server(calls))
    app = Starlette(routes=[Mount("/mcp", app=over_http.app)], lifespan=lambda _app: over_http.running())
    program = Server(Config(app, host="127.0.0.1", port=0, log_level="warning", ws="none"))
    thread = Thread(target=program.run)
    thread.start()
    try:
        until(lambda: program.started, "the server")
        yield f"http://127.0.0.1:{program.servers[0].sockets[0].getsockname()[1]}/mcp/"
    finally:
        program.should_exit = True
        thread.join()


def ask_http(address: str, work: Work[T], *, mode: str = "auto") -> T:
    """What some work with a client over HTTP gives."""

    async def run() -> T:
        async with Client(address, mode=mode) as client:
            return await work(client)

    return asyncio.run(run())
