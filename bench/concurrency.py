"""How long do many clients of one process wait for each other, and is anything lost: errors, lost updates, p50 to p99?

    python bench/concurrency.py --clients 64 --operations 100 --namespaces 8

Every client is a thread with its own draw of operations (remember, tag, recall, update, pin, list, observe); all begin
together in one home. `lost` are acknowledged changes that the vault or the index does not hold afterwards. The recalls
of one thread alone, before, stand beside: `aloneRecallMs`. tests/faults/clients_kit.py says what each operation is.
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import machine
from pellucid.app import open_app
from pellucid.settings import load

sys.path.append(str(machine.ROOT / "tests"))
from kits.clients import Client, at_work, lost, times

_ALONE = 20
"""Recalls of one thread, before the others begin."""


def spread(values: list[float]) -> dict[str, float]:
    """The median, the 95th and the 99th percentile, and how many."""
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    return {"count": len(values), "p50": round(p50, 1), "p95": round(p95, 1), "p99": round(p99, 1)}


def measure(clients: int, operations: int, namespaces: int, home: Path, models: Path) -> dict[str, object]:
    """Let one client recall alone, then all work together, and look for what they were told is kept."""
    app = open_app(load(home=home, namespace="load/n0"), models=models)
    alone = Client(app, clients, "load/n0")
    alone.do("remember", 0)
    for step in range(1, _ALONE + 1):
        alone.do("recall", step)
    began = time.perf_counter()
    found = at_work(app, clients, operations, namespaces)
    took = time.perf_counter() - began
    errors = [error for each in (alone, *found) for error in each.errors]
    missing, waited = lost(app, found), times(found)
    app.close()
    return {
        "setting": {"clients": clients, "operations": operations, "namespaces": namespaces},
        "errors": len(errors),
        "lost": len(missing),
        "first": (errors + missing)[:3],
        "operationsASecond": round(clients * operations / took, 1),
        "recallsASecond": round(len(waited.get("recall", ())) / took, 1),
        "aloneRecallMs": spread(alone.took["recall"]),
        "ms": {name: spread(values) for name, values in waited.items()},
    }


def main() -> int:
    """Measure and publish; end with 1 if a client met an error, or anything was lost."""
    started, parser = time.time(), machine.arguments(__doc__ or "")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--operations", type=int, default=100)
    parser.add_argument("--namespaces", type=int, default=8)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        result = measure(given.clients, given.operations, given.namespaces, Path(folder) / "home", given.models)
    machine.publish({"question": (__doc__ or "").splitlines()[0]} | result, given.out, started)
    return int(bool(result["errors"] or result["lost"]))


if __name__ == "__main__":
    sys.exit(main())
