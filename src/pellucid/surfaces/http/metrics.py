"""The events of a server in, the page that Prometheus reads out: counts and times since it began, no word of a memory.

The process keeps the counters: a counter must never fall, as a sum over a history that forgets would.
"""

import shutil
from functools import partial
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info
from prometheus_client.exposition import choose_encoder
from prometheus_client.process_collector import ProcessCollector

from pellucid.app import App
from pellucid.errors import PellucidError
from pellucid.recall.legs.nominate import base_of
from pellucid.store.local.database import DATABASES
from pellucid.telemetry.watcher import OperationDone, RecallDone

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)


class Metrics:
    """A `Watcher` that keeps Prometheus metrics of requests, operations and recalls."""

    def __init__(self, app: App) -> None:
        """Register the metrics, all at zero, and gauges of the home's disk use."""
        self._known = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        Info("pellucid_build", "What serves.", registry=registry).info({"version": version("pellucid")})
        self._requests = Counter("pellucid_http_requests", "Requests answered.", ["status"], registry=registry)
        histogram = partial(Histogram, buckets=_SECONDS, registry=registry)
        self._operations = histogram(
            "pellucid_operation_seconds",
            "Operations of every surface of this server, and what came of them: ok, or the code of an error.",
            ["operation", "outcome"],
        )
        self._recalls = histogram("pellucid_recall_seconds", "Recalls, and what came of them.", ["outcome"])
        self._stages = histogram("pellucid_recall_stage_seconds", "Stages of recalls.", ["stage"])
        self._legs = Counter(
            "pellucid_recall_legs", "Legs of recalls, and their health.", ["leg", "health"], registry=registry
        )
        self._served = Counter("pellucid_recall_memories", "Memories put into contexts.", registry=registry)
        self._tokens = Counter("pellucid_recall_tokens", "Tokens of contexts, estimated.", registry=registry)
        sizes = Gauge("pellucid_database_bytes", "Bytes of each database.", ["database"], registry=registry)
        for name in DATABASES:
            path = app.settings.home / name
            sizes.labels(name).set_function(lambda path=path: path.stat().st_size if path.exists() else 0)
        free = Gauge("pellucid_disk_free_bytes", "Bytes free where the home is.", registry=registry)
        free.set_function(lambda: shutil.disk_usage(app.settings.home).free)

    def recalled(self, done: RecallDone) -> None:
        """Count a recall with its time by its outcome; unless it failed, also the times of its stages, the health of
        its legs (search paths), and the memories and tokens of its context.
        """
        self._recalls.labels(done.event.outcome).observe(done.event.millis / 1e3)
        if done.state is None:
            return
        for stage in done.state.stages:
            self._stages.labels(base_of(stage.name)).observe(stage.ms / 1e3)
        for leg in done.state.legs:
            self._legs.labels(base_of(leg.name), leg.health).inc()
        self._served.inc(done.event.selected)
        self._tokens.inc(done.event.payload_tokens)

    def performed(self, done: OperationDone) -> None:
        """Count an operation with its time by its outcome: `ok`, the code of its error, or `unexpected` for an error
        that is no `PellucidError`.
        """
        error = done.error
        outcome = "ok" if error is None else error.code if isinstance(error, PellucidError) else "unexpected"
        self._operations.labels(done.name, outcome).observe((done.ended - done.began) / 1e9)

    def answered(self, status: int) -> None:
        """Count a request by its status; 0 if no answer was begun."""
        self._requests.labels(str(status)).inc()

    def page(self, accepted: str) -> tuple[str, bytes]:
        """Return the content type and the text of all metrics, in the format that an Accept header asks for."""
        encoder, media = choose_encoder(accepted)
        return media, encoder(self._known)

    def close(self) -> None:
        """Do nothing: this watcher has nothing to release."""
