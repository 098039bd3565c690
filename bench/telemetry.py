"""How long does a panel of `stats` take over a million recalls, and a first page of recalls among so many?

    python bench/telemetry.py --events 1000000 --memories 20000 --cited 0.15

The rows are made in SQL: a month of recalls of one namespace by four agents, each giving up to twelve memories, with
citations of a share of them and their lifts. Sums are those of the triggers. A panel is asked as the command asks it,
first by what it is summed by itself, then by each other grouping; the slowest stands beside. Times are processor time
of the thread, and the time that passed.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw

import machine
from pellucid.app import App, open_app
from pellucid.operations.recall.kept.snapshots import SnapshotsInput, list_snapshots
from pellucid.operations.telemetry.panels import PANELS
from pellucid.operations.telemetry.stats import StatsInput, stats
from pellucid.settings import load

HERE = "local/default"
_BEGIN, _MONTH_MS = 1_764_547_200_000, 30 * 86_400_000
_ROUNDS = 3
_DRAW = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :events) "
_RECALL = "printf('rec_%032x', i)"
_FOUND = '{"weight":1.0,"health":"ok","found":9}'
_OFF = '{"weight":1.0,"health":"off","found":0}'
_ROWS = (
    # a receipt a recall: who is served is drawn by number, so that some memories are served a hundred times as often
    f"""INSERT INTO receipts (recall_id, at, namespace, session_id, served, packed, apart)
    {_DRAW} SELECT {_RECALL}, :begin + i * :month / :events, '{HERE}', 's' || (i / 20),
      (SELECT json_group_array(json_array(printf('mem_%032x', (i * 7919 + 104729 * k.value * k.value) % :memories), 0))
       FROM json_each('[0,1,2,3,4,5,6,7,8,9,10,11]') AS k WHERE k.value < i % 13), NULL, 1 FROM n""",
    "INSERT INTO queries SELECT recall_id, CAST('what was said of thing ' || rowid AS BLOB) FROM receipts",
    f"""INSERT INTO recall_events (recall_id, at, namespace, session_id, agent, surface, query_class, depth, outcome,
      found, selected, payload_bytes, payload_tokens, millis, degraded, legs)
    {_DRAW} SELECT {_RECALL}, :begin + i * :month / :events, '{HERE}', 's' || (i / 20),
      json_array('claude', 'codex', 'cursor', NULL) ->> (i % 4), json_array('cli', 'http', 'mcp', 'hook') ->> (i % 4),
      json_array('historical', 'architectural', 'current_state', 'decision', 'other') ->> (i % 5),
      json_array('full', 'minimal') ->> (i % 2), iif(i % 13, 'answered', 'empty'), 40, i % 13, 400 * (i % 13),
      100 * (i % 13), 20.0, i % 50 = 0,
      json_object('vector', json(:found), 'lexical', json(:found), 'graph', iif(i % 3, json(:off), json(:found)))
    FROM n""",
    """INSERT INTO citations (namespace, memory_id, kind, occasion, citation_id, recall_id, agent, at)
    SELECT namespace, value ->> 0,
      json_array('cited', 'used', 'saved_rework', 'flagged_stale', 'dismissed') ->> (r.rowid % 5), session_id,
      'cit_' || recall_id, recall_id, 'claude', r.at
    FROM receipts AS r, json_each(r.served) WHERE key = 0 AND (r.rowid * 7919) % 1000 < 1000 * :cited
    ON CONFLICT DO NOTHING""",
    """INSERT INTO leg_lifts
    SELECT namespace, value, recall_id, memory_id, 1 + substr(recall_id, -1) % 3, 1 + substr(recall_id, -2, 1) % 5,
      date(at / 1000, 'unixepoch'), agent, query_class, depth, surface
    FROM lifts_due JOIN recall_events USING (namespace, recall_id), json_each('["graph", "temporal", "renew"]')""",
    "DELETE FROM lifts_due",
)


def fill(app: App, events: int, memories: int, cited: float) -> float:
    """Make the rows; return the seconds of processor time that takes."""
    app.history.counts()
    began, connection = time.process_time(), apsw.Connection(str(app.settings.home / "history.db"))
    values = {"events": events, "memories": memories, "cited": cited, "begin": _BEGIN, "month": _MONTH_MS}
    values |= {"found": _FOUND, "off": _OFF}
    for sql in _ROWS:
        with connection:
            connection.execute(sql, values).fetchall()
    connection.close()
    return round(time.process_time() - began, 1)


def timed(ask: Any) -> dict[str, float]:
    """Return the best of a few rounds, in milliseconds."""
    cpu, wall = list[float](), list[float]()
    for _ in range(_ROUNDS):
        cpu_start, start = time.thread_time_ns(), time.perf_counter_ns()
        ask()
        cpu.append((time.thread_time_ns() - cpu_start) / 1e6)
        wall.append((time.perf_counter_ns() - start) / 1e6)
    return {"cpuMs": round(min(cpu), 1), "ms": round(min(wall), 1)}


def measure(events: int, memories: int, cited: float) -> dict[str, object]:
    """Fill a throw-away home, and ask every panel and a page of recalls."""
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        app = open_app(load(home=Path(folder)))
        filled = fill(app, events, memories, cited)
        panels: dict[str, object] = {}
        for panel in PANELS.values():
            each = {
                by: timed(lambda p=panel, b=by: stats(app, StatsInput(namespace=HERE, panel=p.name, by=b)))
                for by in panel.by
            }
            slowest = max(each, key=lambda by: each[by]["cpuMs"])
            panels[panel.name] = each[panel.by[0]] | {"slowestBy": slowest, "slowest": each[slowest]}
        page = timed(lambda: list_snapshots(app, SnapshotsInput(namespace=HERE, limit=50)))
        size = (Path(folder) / "history.db").stat().st_size
        app.close()
    return {
        "events": events,
        "memories": memories,
        "cited": cited,
        "fillCpuSeconds": filled,
        "panels": panels,
        "firstPage": page,
        "historyMb": round(size / 2**20),
    }


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--cited", type=float, default=0.15)
    options = parser.parse_args()
    result = measure(options.events, options.memories, options.cited)
    machine.publish({"question": __doc__.splitlines()[0]} | result, options.out, started)


if __name__ == "__main__":
    main()
