"""Settings in, one client served over standard input and output until the input ends: `pellucid mcp`."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import partial

from mcp.server.stdio import stdio_server
from starlette.requests import Request

from pellucid.deadline import Deadline
from pellucid.errors import NotFoundError
from pellucid.operations.operation import Access, Call
from pellucid.operations.session.projects import app_in_project
from pellucid.settings import Settings
from pellucid.surfaces.host import Host
from pellucid.surfaces.mcp.calling import Progress
from pellucid.surfaces.mcp.server import server


class StdioHome:
    """Makes the calls of a client over stdio, as a `CallMaker` does; its home is opened in the background.

    A client can use the namespace that commands in the working folder would use, and read those that the user's
    settings add to it, but no other.
    """

    def __init__(self, settings: Settings, report: Callable[[str], None]) -> None:
        """Begin to open the home in a thread; `report` is called with lines for the user."""
        self._opener = ThreadPoolExecutor(1, "open")
        self._host = self._opener.submit(copy_context().run, partial(Host, settings, report=report))

    def __call__(
        self, _request: Request | None, namespace: str | None, access: Access, *, deadline: Deadline, progress: Progress
    ) -> Call:
        """Make a call in the folder's namespace, or in another named one, which can only be read. Wait until the home
        is open, and raise any error of opening it. `NotFoundError` for another namespace that the settings do not add,
        or for any `access` to it but `read`; `InputError` if its name is malformed.
        """
        app = app_in_project(self._host.result().app)
        if namespace not in (None, app.settings.namespace):
            settings = app.settings.naming(namespace)
            if namespace not in app.also or access != "read":
                raise NotFoundError(f"no namespace {namespace} here", next_step="leave it out")
            app = replace(app, settings=settings, project=None, also=())
        return Call(app.settings, lambda: app, deadline=deadline, progress=progress)

    def close(self) -> None:
        """Wait until the home is open, and close it; nothing to close if opening failed."""
        self._opener.shutdown()
        if self._host.exception() is None:
            self._host.result().close()


def run(settings: Settings, report: Callable[[str], None]) -> None:
    """Serve one client until the input ends; `report` is called with lines such as that a model is downloaded."""
    home = StdioHome(settings, report)
    mcp_server = server(home)

    async def serve() -> None:
        """Run the server on standard input and output."""
        async with stdio_server() as (incoming, outgoing):
            await mcp_server.run(incoming, outgoing, mcp_server.create_initialization_options())

    try:
        asyncio.run(serve())
    finally:
        home.close()
