"""Spans in, a collector of OpenTelemetry told out: by OTLP over HTTP, in a thread beside.

Nothing here is loaded unless the setting `telemetry.otel` is on. Where the program around us has set up OpenTelemetry
itself, spans go where its own go; else where the setting or the `OTEL_*` variables say.
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
"""How long sending may take, all attempts together."""
_CLOSING_S = 0.4
"""How long whoever ends waits for what is still to be sent: a collector may not be there."""
_EXPORTER_LOG = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


class OtelWatcher:
    """See `Watcher`: tells a tracer what was done."""

    def __init__(self, tracer: trace.Tracer, *, content: bool, own: TracerProvider | None = None) -> None:
        """Tell a tracer; `own` is what to close with the home, where nobody else does."""
        self._tracer, self._content, self._own = tracer, content, own

    def recalled(self, done: RecallDone) -> None:
        self._send_span(recall_span(done, content=self._content), self._caller())

    def performed(self, done: OperationDone) -> None:
        if span := operation_span(done, content=self._content):
            self._send_span(span, self._caller())

    def close(self) -> None:
        if self._own is None:
            return
        ending = Thread(target=self._own.shutdown, daemon=True)
        ending.start()
        ending.join(_CLOSING_S)
        if ending.is_alive():
            logging.getLogger(_EXPORTER_LOG).error("no collector took them within %g seconds", _CLOSING_S)

    def _caller(self) -> context.Context:
        """What the spans are a part of: a span of this program that is open, or the trace that a request names."""
        here = context.get_current()
        if trace.get_current_span(here).get_span_context().is_valid:
            return here
        return TraceContextTextMapPropagator().extract(CALLER.get(), here)

    def _send_span(self, span: Span, caller: context.Context) -> None:
        made = self._tracer.start_span(
            span.name, caller, trace.SpanKind.INTERNAL, span.attributes, start_time=span.began
        )
        if span.error:
            made.set_attribute("error.type", span.error)
            made.set_status(trace.StatusCode.ERROR)
        if made.is_recording():
            within = trace.set_span_in_context(made, caller)
            for each in span.within:
                self._send_span(each, within)
        made.end(span.ended)


def open_otel(settings: TelemetrySettings) -> OtelWatcher:
    """Who tells OpenTelemetry, as the settings and the environment say."""
    around = trace.get_tracer_provider()
    if isinstance(around, trace.ProxyTracerProvider):
        around = own = _own_provider(settings)
    else:
        own = None
    tracer = around.get_tracer("pellucid", version("pellucid"))
    return OtelWatcher(tracer, content=settings.content, own=own)


def _own_provider(settings: TelemetrySettings) -> TracerProvider:
    named = Resource({"service.name": "pellucid", "service.version": version("pellucid")})
    provider = TracerProvider(resource=named.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    if exports_spans():
        exporter = OTLPSpanExporter(settings.endpoint or None, timeout=_TIME_LIMIT_S)
        provider.add_span_processor(BatchSpanProcessor(exporter))
        logging.getLogger(_EXPORTER_LOG).addFilter(_SaidOnce())
    return provider


class _SaidOnce(logging.Filter):
    """Lets the first of the exporter's troubles be said, in one line, and no other: each attempt has two of them."""

    def __init__(self) -> None:
        super().__init__()
        self._said = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this is the first."""
        if self._said:
            return False
        self._said = True
        record.msg, record.args = f"pellucid: spans may be lost (this is said once): {record.getMessage()}", ()
        return True
