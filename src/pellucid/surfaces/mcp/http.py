"""An MCP server in, the same as an ASGI application out: streamable HTTP, to be mounted behind a gate."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp

from pellucid.deadline import Deadline
from pellucid.operations.operation import Access, Call
from pellucid.surfaces.host import Host
from pellucid.surfaces.http.gate import Caller, allowed_namespace
from pellucid.surfaces.http.refusals import unknown_place
from pellucid.surfaces.mcp.calling import CallMaker, Progress

MOST_BYTES = 4 << 20
"""The largest request."""


class Mounted:
    """An MCP server over streamable HTTP, whose mounting application checks host, origin and caller. If it does not,
    give `hosts`: the allowed host names with a port, or `*` as the port.
    """

    def __init__(self, mcp: Server[Any], hosts: Sequence[str] = ()) -> None:
        origins = [f"http://{host}" for host in hosts]
        checked = TransportSecuritySettings(
            enable_dns_rebinding_protection=bool(hosts), allowed_hosts=list(hosts), allowed_origins=origins
        )
        self._sessions = StreamableHTTPSessionManager(mcp, security_settings=checked, max_request_body_size=MOST_BYTES)
        self.app: ASGIApp = StreamableHTTPASGIApp(self._sessions)
        """To be mounted at `/mcp`."""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run the MCP server for the length of an `async with` block, in which `app` answers; it can be entered only
        once.
        """
        async with self._sessions.run():
            yield


def http_calls(host: Host) -> CallMaker:
    """Return a maker of calls in a home for the caller that the gate put into each request's state as `principal`. The
    maker raises `NotFoundError` for a request that did not come over HTTP.
    """

    def make_call(
        request: Request | None, namespace: str | None, access: Access, *, deadline: Deadline, progress: Progress
    ) -> Call:
        """Make a call in the named namespace, else in the caller's only one, else in that of the settings.
        `NotFoundError` if `request` is None; if the caller lacks the right, errors as of `allowed_namespace`.
        """
        if request is None:  # it did not come over HTTP
            raise unknown_place()
        caller: Caller = request.state.principal
        default_namespace = caller.only_namespace or host.app.settings.namespace
        return host.call(
            allowed_namespace(caller, access, namespace or default_namespace), deadline=deadline, progress=progress
        )

    return make_call
