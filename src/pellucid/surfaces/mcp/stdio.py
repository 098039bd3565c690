"""Settings in, one client served over standard input and output until the input ends: `pellucid mcp`."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from starlette.requests import Request

from pellucid.app import App
from pellucid.deadline import Deadline
from pellucid.errors import NotFoundError
from pellucid.operations.operation import Access, Call
from pellucid.operations.session.projects import located
from pellucid.settings import Settings
from pellucid.surfaces.host import Host
from pellucid.surfaces.mcp.calling import Progress
from pellucid.surfaces.mcp.server import serve_stdio, server


class Standing:
    """The home that one client asks, as commands in the working folder would; opened beside, so that nobody waits.

    A client may ask the namespace of the folder's project, or the one that was named, and read those that the user's
    own settings ask beside it. There is no other for it.
    """

    def __init__(self, settings: Settings, report: Callable[[str], None]) -> None:
        self._opener = ThreadPoolExecutor(1, "open")
        self._host = self._opener.submit(Host, settings, report=report)

    def __call__(
        self,
        _request: Request | None,
        namespace: str | None,
        access: Access,
        /,
        *,
        deadline: Deadline,
        progress: Progress,
    ) -> Call:
        """See `Calls`."""
        app = self._placed(located(self._host.result().app), namespace, access)
        return Call(app.settings, lambda: app, deadline=deadline, progress=progress)

    def _placed(self, app: App, namespace: str | None, access: Access) -> App:
        if namespace in (None, app.settings.namespace):
            return app
        settings = app.settings.naming(namespace)
        if namespace not in app.also or access != "read":
            raise NotFoundError(f"no namespace {namespace} here", next_step="leave it out")
        return replace(app, settings=settings, project=None, also=())

    def close(self) -> None:
        """Let go of the home, once it is open."""
        self._opener.shutdown()
        if self._host.exception() is None:
            self._host.result().close()


def run(settings: Settings, report: Callable[[str], None]) -> None:
    """Serve until the input ends; `report` is told about slow first-time work."""
    home = Standing(settings, report)
    try:
        serve_stdio(server(home))
    finally:
        home.close()
