"""Spans by the conventions of OpenTelemetry for messaging: the same as those of the client for TypeScript."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from opentelemetry import propagate
from opentelemetry.context import Context, get_current
from opentelemetry.trace import Span, SpanKind, StatusCode, TracerProvider, use_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from eventsourcing_eventstore.attempts import Request
from eventsourcing_eventstore.connection import Address
from eventsourcing_eventstore.errors import error_of
from eventsourcing_eventstore.library_errors import ProgrammingError
from eventsourcing_eventstore.plain_types import Event
from eventsourcing_eventstore.spans import TRACEPARENT, Sending, Spans

_W3C = TraceContextTextMapPropagator()

_Attributes = dict[str, str | int]


class RecordedSpans(Spans):
    def __init__(self, provider: TracerProvider, address: Address) -> None:
        if not isinstance(provider, TracerProvider):
            fault = f"tracer_provider must be a TracerProvider of OpenTelemetry, not {provider!r}"
            raise ProgrammingError(fault)
        self._tracer = provider.get_tracer("eventstore-client")
        self._server: _Attributes = {"server.address": address.path}
        if address.scheme != "unix":
            self._server = {"server.address": address.host, "server.port": address.port}

    @contextmanager
    def sending(self, request: Request, headers: dict[str, str]) -> Iterator[Sending]:
        """
        Events in the request carry the span as the metadata entry `traceparent`, unless they have one. A read that
        waits has no span: most of its time is the time until something happens.
        """
        if request.wait_seconds:
            yield Sending(request, headers)
            return
        events = _events_of(request)
        name, kind, attributes = _described(request, events)
        with self._span(name, kind, {**attributes, **self._server}) as span:
            headers = dict(headers)
            propagate.inject(headers)
            sending = Sending(_with_trace(request, events, _traceparent()), headers)
            yield sending
            answer = sending.answer
            if answer is not None and answer.status != 200:
                _fail(span, answer.error or f"HTTP{answer.status}", error_of(answer.status, answer.body))

    @contextmanager
    def processing(self, consumer: str, event: Event) -> Iterator[str | None]:
        """The span continues the trace in which the event was written."""
        origin = event.metadata.get(TRACEPARENT)
        parent = _W3C.extract({TRACEPARENT: origin} if origin else {}, get_current())
        attributes = {
            **_operation("process", "process"),
            "messaging.consumer.group.name": consumer,
            "messaging.message.id": str(event.sequence),
            "eventstore.event.type": event.type,
        }
        with self._span(f"process {consumer}", SpanKind.CONSUMER, attributes, parent):
            yield _traceparent()

    @contextmanager
    def _span(
        self, name: str, kind: SpanKind, attributes: _Attributes, parent: Context | None = None
    ) -> Iterator[Span]:
        span = self._tracer.start_span(name, parent, kind, attributes)
        with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                yield span
            except BaseException as error:
                _fail(span, type(error).__qualname__, error)
                raise


def _fail(span: Span, code: str, error: BaseException) -> None:
    span.set_attribute("error.type", code)
    span.set_status(StatusCode.ERROR, str(error))


def _traceparent() -> str | None:
    """Names the current span; None while the application has not set up the SDK."""
    carrier: dict[str, str] = {}
    _W3C.inject(carrier)
    return carrier.get(TRACEPARENT)


def _with_trace(request: Request, events: list[dict[str, Any]], traceparent: str | None) -> Request:
    if not events or traceparent is None:
        return request
    traced = [{**event, "metadata": {TRACEPARENT: traceparent, **event["metadata"]}} for event in events]
    return replace(request, content={**(request.content or {}), "events": traced})


def _events_of(request: Request) -> list[dict[str, Any]]:
    """Events that the request writes."""
    events = (request.content or {}).get("events")
    return events if isinstance(events, list) else []


def _described(request: Request, events: list[dict[str, Any]]) -> tuple[str, SpanKind, _Attributes]:
    """The name of a request's span, its kind and its attributes."""
    if events:
        count: _Attributes = {"messaging.batch.message_count": len(events)} if len(events) > 1 else {}
        return "append events", SpanKind.PRODUCER, {**_operation("append", "send"), **count}
    if request.method == "QUERY":
        return "read events", SpanKind.CLIENT, _operation("read", "receive")
    # The rest of a path may be an ID: the name of a span must have few values.
    route = "/" + request.path.partition("?")[0].split("/")[1]
    attributes: _Attributes = {"http.request.method": request.method, "url.template": route}
    return f"{request.method} {route}", SpanKind.CLIENT, attributes


def _operation(name: str, type_: str) -> _Attributes:
    return {
        "messaging.system": "eventstore",
        "messaging.operation.name": name,
        "messaging.operation.type": type_,
        "messaging.destination.name": "events",
    }
