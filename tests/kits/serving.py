"""A home in, a real server on loopback and a client of it out."""

import http.client
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple

import uvicorn

from pellucid.settings import Settings
from pellucid.surfaces.http.serving import Listening, serve


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A server, and how to ask it."""

    home: Path
    host: str
    port: int
    token: str

    def ask(self, method: str, path: str, body: object = None, *, token: str | None = "", **headers: str) -> Answer:
        """One request. `token`: empty for the owner's, None for none; a body that is no bytes is sent as JSON."""
        bearer = {"Authorization": f"Bearer {token or self.token}"} if token is not None else {}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        kind = {} if isinstance(body, bytes | None) else {"Content-Type": "application/json"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.request(method, path, data, {**bearer, **kind, **named})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def get(self, path: str, **how: Any) -> Answer:
        return self.ask("GET", path, **how)

    def post(self, path: str, body: object = None, **how: Any) -> Answer:
        return self.ask("POST", path, {} if body is None else body, **how)


@contextmanager
def served(settings: Settings, **place: Any) -> Generator[Served]:
    """A server of a home in a thread of this process, for the block."""
    started: Queue[uvicorn.Server | Exception] = Queue()

    def run() -> None:
        try:
            serve(settings, Listening(port=0, **place), lambda _said: None, started.put)
        except Exception as error:  # noqa: BLE001  # told to who waits
            started.put(error)

    thread = Thread(target=run, name="served")
    thread.start()
    server = started.get(timeout=60)
    if isinstance(server, Exception):
        raise server
    told = json.loads((settings.home / "server.json").read_text("utf-8"))
    try:
        yield Served(settings.home, told["host"], told["port"], told["token"])
    finally:
        server.should_exit = True
        thread.join(timeout=60)
        assert not thread.is_alive()
