"""How long do many clients of one process wait for each other, and is anything lost: errors, lost updates, p50 to p99?

    python bench/concurrency.py --clients 64 --operations 100 --namespaces 8 [--http]

Every client is a thread with its own draw of operations (remember, tag, recall, update, pin, list, observe); all begin
together in one home. `lost` are acknowledged changes that the vault or the index does not hold afterwards. The recalls
of one thread alone, before, stand beside: `aloneRecallMs`. With `--http` each client asks `pellucid serve`, which is a
process of its own, over a connection of its own. tests/kits/clients.py says what each operation is.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import machine
from pellucid.app import App, open_app
from pellucid.settings import load

sys.path.append(str(machine.ROOT / "tests"))
from kits.clients import SHARED, Client, at_work, lost, times

_ALONE = 20
"""Recalls of one thread, before the others begin."""


def spread(values: list[float]) -> dict[str, float]:
    """Return the median, the 95th and the 99th percentile of the values, and their number."""
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    return {"count": len(values), "p50": round(p50, 1), "p95": round(p95, 1), "p99": round(p99, 1)}


MakeClient = Callable[[App, int, str], Client]
"""A home, a number and a namespace in, a client out."""


def measure(app: App, clients: int, operations: int, namespaces: int, make_client: MakeClient) -> dict[str, object]:
    """Let one client recall alone, then all clients work together, and look for acknowledged changes that are lost."""
    alone = make_client(app, clients, "load/n0")
    alone.do("remember", 0)
    for step in range(1, _ALONE + 1):
        alone.do("recall", step)
    began = time.perf_counter()
    workers = at_work(app, clients, operations, namespaces, made=make_client)
    seconds = time.perf_counter() - began
    errors = [error for each in (alone, *workers) for error in each.errors]
    missing, times_of = lost(app, workers), times(workers)
    return {
        "setting": {"clients": clients, "operations": operations, "namespaces": namespaces},
        "errors": len(errors),
        "lost": len(missing),
        "first": (errors + missing)[:3],
        "operationsASecond": round(clients * operations / seconds, 1),
        "recallsASecond": round(len(times_of.get("recall", ())) / seconds, 1),
        "aloneRecallMs": spread(alone.took["recall"]),
        "ms": {name: spread(values) for name, values in times_of.items()},
    }


class HttpClient(Client):
    """A client that asks a server for the same operations, over one connection that stays open."""

    def __init__(self, app: App, number: int, namespace: str, address: dict[str, Any]) -> None:
        super().__init__(app, number, namespace)
        self._line = HTTPConnection(address["host"], address["port"], timeout=600)
        self._headers = {"Authorization": f"Bearer {address['token']}", "Content-Type": "application/json"}

    def _ask(self, method: str, path: str, **body: object) -> dict[str, Any]:
        """Send a request, and return the JSON of the answer; raise RuntimeError if its status is not 200."""
        data = json.dumps(body) if method != "GET" else None
        separator = "&" if "?" in path else "?"
        self._line.request(method, f"{path}{separator}namespace={self.namespace}", data, self._headers)
        answer = self._line.getresponse()
        content = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {content}")
        return content

    def _remember(self, step: int) -> None:
        made = self._ask("POST", "/v1/memories", content=self._words(step))
        self.kept[made["memory"]["id"]] = made["memory"]["content"]

    def _tag(self, step: int) -> None:
        tag = f"t{self.number}x{step}"
        self._ask("POST", "/v1/memories", content=SHARED, tags=[tag])
        self.tags.append(tag)

    def _recall(self, _step: int) -> None:
        memory_id, words = next(iter(self.kept.items()))
        found = self._ask("POST", "/v1/recall", query=words)
        if memory_id not in {each["memory"]["id"] for each in found["memories"]} or "receiptProblem" in found:
            raise RuntimeError(f"{words!r} is not recalled, or not on record")

    def _update(self, step: int) -> None:
        old = next(reversed(self.kept))
        new = self._ask("PATCH", f"/v1/memories/{old}", content=f"{self._words(step)} It is new.")["memory"]
        del self.kept[old]
        self.kept[new["id"]] = new["content"]

    def _pin(self, _step: int) -> None:
        self._ask("POST", f"/v1/memories/{next(iter(self.kept))}/pin")

    def _list(self, _step: int) -> None:
        held = self._ask("GET", "/v1/memories?limit=10000")["memories"]
        if not self.kept.keys() <= {each["memory"]["id"] for each in held}:
            raise RuntimeError("an acknowledged memory is not listed")

    def _observe(self, step: int) -> None:
        said = {"role": "user", "content": f"We chose lane l{self.number}x{step} for the night shift."}
        self.spooled += self._ask("POST", "/v1/turns", sessionId=f"s{self.number}", turns=[said])["turnsSpooled"]


@contextmanager
def run_server(home: Path) -> Generator[dict[str, Any]]:
    """Run a server of this home for the block; yield its address and token."""
    command = [Path(sys.executable).with_name("pellucid"), "serve", "--home", home, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            while not (home / "server.json").exists():
                time.sleep(0.1)
            yield json.loads((home / "server.json").read_text("utf-8"))
        finally:
            server.terminate()


def main() -> int:
    """Measure and publish; return 1 if a client met an error, or anything was lost."""
    started, parser = time.time(), machine.arguments(__doc__ or "")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--operations", type=int, default=100)
    parser.add_argument("--namespaces", type=int, default=8)
    parser.add_argument("--http", action="store_true", help="ask a server, instead of calling in this process")
    options = parser.parse_args()
    sizes = (options.clients, options.operations, options.namespaces)
    with TemporaryDirectory(prefix="pellucid-bench-") as folder, ExitStack() as stack:
        home, make_client = Path(folder) / "home", Client
        app = open_app(load(home=home, namespace="load/n0"), models=options.models)
        stack.callback(app.close)
        if options.http:
            (home / "models").symlink_to(options.models)
            make_client = partial(HttpClient, address=stack.enter_context(run_server(home)))
        result = measure(app, *sizes, make_client)
    machine.publish({"question": (__doc__ or "").splitlines()[0]} | result, options.out, started)
    return int(bool(result["errors"] or result["lost"]))


if __name__ == "__main__":
    sys.exit(main())
