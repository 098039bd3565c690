"""Calls in, the same server as an ASGI application out: streamable HTTP, for whoever mounts it behind its own door."""

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
from pellucid.surfaces.http.gate import Caller, allowed
from pellucid.surfaces.http.refusals import unknown_place
from pellucid.surfaces.mcp.calling import Askers, Progress
from pellucid.surfaces.mcp.server import server

MOST_BYTES = 4 << 20
"""Of one request."""


class Mounted:
    """A server over streamable HTTP. Who may come in, by which host and origin, is for the door to say.

    Or `hosts` says it, where there is no door: names with a port, or `*` as the port.
    """

    def __init__(self, made: Server[Any], hosts: Sequence[str] = ()) -> None:
        origins = [f"http://{host}" for host in hosts]
        checked = TransportSecuritySettings(
            enable_dns_rebinding_protection=bool(hosts), allowed_hosts=list(hosts), allowed_origins=origins
        )
        self._sessions = StreamableHTTPSessionManager(made, security_settings=checked, max_request_body_size=MOST_BYTES)
        self.app: ASGIApp = StreamableHTTPASGIApp(self._sessions)
        """To be mounted at `/mcp`."""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """While it serves; once in its life. The lifespan of the application that mounts it enters this."""
        async with self._sessions.run():
            yield


def mounted(calls: Askers) -> Mounted:
    """The server whose requests are made by `calls`, to be mounted."""
    return Mounted(server(calls))


def granted(host: Host) -> Askers:
    """Calls in a home, of the principal that the door has put into each request's state as `principal`."""

    def calls(
        request: Request | None, namespace: str | None, access: Access, *, deadline: Deadline, progress: Progress
    ) -> Call:
        """The call of a request, if its principal may do this in the namespace."""
        if request is None:  # nobody came through the door
            raise unknown_place()
        asker: Caller = request.state.principal
        usual = asker.only_namespace or host.app.settings.namespace
        return host.call(allowed(asker, access, namespace or usual), deadline=deadline, progress=progress)

    return calls
