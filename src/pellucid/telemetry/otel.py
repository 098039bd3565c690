"""Spans in, reports to an OpenTelemetry collector out: by OTLP over HTTP, from a thread of its own.

Nothing here is loaded unless the setting `telemetry.otel` is on. If the surrounding program has set up OpenTelemetry,
spans go where its own go; else where the setting or the `OTEL_*` variables say.
"""

import logging
from importlib.metadata import version
from threading import Thread

from pellucid.errors import InputError
from pellucid.settings import exports_spans
from pellucid.settings.sections import TelemetrySettings
from pellucid.telemetry.spans import Span, operation_span, recall_span
from pellucid.telemetry.watcher import CALLER, OperationDone, RecallDone

try:
    from opentelemetry import context, trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise InputError(
        f"the setting telemetry.otel needs the extra `otel`, and {error.name} is not installed",
        code="missing_extra",
        next_step="pip install 'pellucid[otel]', or take the setting out",
    ) from error

_TIME_LIMIT_S = 2.0
"""The most seconds that sending can take, all attempts together."""
_CLOSING_S = 0.4
"""The most seconds to wait at the end for unsent spans: there can be no collector."""
_EXPORTER_LOG = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


class OtelWatcher:
    """A `Watcher` that sends spans to an OpenTelemetry tracer."""

    def __init__(self, tracer: trace.Tracer, *, content: bool, own: TracerProvider | None = None) -> None:
        """Watch a home and send spans to `tracer`; with `content`, queries and memories' texts as well.

        `own` is the tracer provider to shut down on closing; None if the surrounding program owns the provider.
        """
        self._tracer, self._content, self._own = tracer, content, own

    def recalled(self, done: RecallDone) -> None:
        """Send the span of a finished recall, with its children."""
        self._send_span(recall_span(done, content=self._content), self._parent_context())

    def performed(self, done: OperationDone) -> None:
        """Send the span of a finished operation that changes memories; do nothing for any other operation."""
        if span := operation_span(done, content=self._content):
            self._send_span(span, self._parent_context())

    def close(self) -> None:
        """Send the remaining spans and shut down our own tracer provider, waiting at most 0.4 s.

        Spans that no collector has taken by then are lost, and one error is logged. Do nothing if the provider is the
        program's.
        """
        if self._own is None:
            return
        ending = Thread(target=self._own.shutdown, daemon=True)
        ending.start()
        ending.join(_CLOSING_S)
        if ending.is_alive():
            logging.getLogger(_EXPORTER_LOG).error("no collector took them within %g seconds", _CLOSING_S)

    def _parent_context(self) -> context.Context:
        """Return the context under which a span is to be sent: that of this program's open span.

        If no span is open, it is that of the trace which the headers of the present HTTP request (`CALLER`) name, or
        the current context if they name none.
        """
        here = context.get_current()
        if trace.get_current_span(here).get_span_context().is_valid:
            return here
        return TraceContextTextMapPropagator().extract(CALLER.get(), here)

    def _send_span(self, span: Span, parent: context.Context) -> None:
        """Send a span as a child of the context `parent` and, unless the tracer does not record it, the span's own
        children.
        """
        made = self._tracer.start_span(
            span.name, parent, trace.SpanKind.INTERNAL, span.attributes, start_time=span.began
        )
        if span.error:
            made.set_attribute("error.type", span.error)
            made.set_status(trace.StatusCode.ERROR)
        if made.is_recording():
            within = trace.set_span_in_context(made, parent)
            for each in span.within:
                self._send_span(each, within)
        made.end(span.ended)


def open_otel(settings: TelemetrySettings) -> OtelWatcher:
    """Make a watcher that uses the surrounding program's tracer provider, or one of our own if the program has none."""
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        provider = own = _own_provider(settings)
    else:
        own = None
    tracer = provider.get_tracer("pellucid", version("pellucid"))
    return OtelWatcher(tracer, content=settings.content, own=own)


def _own_provider(settings: TelemetrySettings) -> TracerProvider:
    """Make a tracer provider that exports by OTLP over HTTP, to the endpoint of the settings or else of the
    environment; one that exports nothing if the environment turns the exporter off. From then on, only the first
    failure of the exporter is logged in this process.
    """
    named = Resource({"service.name": "pellucid", "service.version": version("pellucid")})
    provider = TracerProvider(resource=named.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    if exports_spans():
        exporter = OTLPSpanExporter(settings.endpoint or None, timeout=_TIME_LIMIT_S)
        provider.add_span_processor(BatchSpanProcessor(exporter))
        logging.getLogger(_EXPORTER_LOG).addFilter(_LogOnce())
    return provider


class _LogOnce(logging.Filter):
    """Logs the first of the exporter's failures in one line and drops the others: each attempt logs two."""

    def __init__(self) -> None:
        super().__init__()
        self._logged = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log this record: only the first one, whose message is rewritten to say that it is not repeated."""
        if self._logged:
            return False
        self._logged = True
        record.msg, record.args = f"pellucid: spans may be lost (this is said once): {record.getMessage()}", ()
        return True
