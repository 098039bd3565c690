"""Nothing in, a collector of OpenTelemetry on loopback out: what is sent to it by OTLP over HTTP, read as it stands."""

import gzip
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class SentSpan:
    """A span as it came over the wire."""

    name: str
    id: str
    parent: str
    trace: str
    began: int
    ended: int
    is_error: bool
    attributes: dict[str, Any]
    resource: dict[str, Any]


@dataclass
class Collector:
    """Where to send, and what was sent: the requests' bytes and their paths, headers and spans."""

    address: str
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def spans(self) -> list[SentSpan]:
        return [each for _, _, body in self.requests for each in _read(body)]

    def named(self, name: str) -> list[SentSpan]:
        return [each for each in self.spans if each.name == name]


def _read(body: bytes) -> Generator[SentSpan]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield SentSpan(
                    span.name,
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    span.trace_id.hex(),
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                    span.status.code == 2,
                    {each.key: _value(each.value) for each in span.attributes},
                    {each.key: _value(each.value) for each in resource.resource.attributes},
                )


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(each) for each in value.array_value.values] if kind == "array_value" else getattr(value, kind)


@contextmanager
def collecting() -> Generator[Collector]:
    """A collector, for the block."""
    found = Collector("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            found.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield found
        finally:
            server.shutdown()
