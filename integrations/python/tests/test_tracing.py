"""Spans of the plain client, recorded by the SDK of OpenTelemetry."""

from collections.abc import Mapping
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NoOpTracerProvider, SpanKind, StatusCode

from eventsourcing_eventstore.connection import Address
from eventsourcing_eventstore.plain import (
    Condition,
    Conflict,
    Event,
    EventStore,
    Handling,
    NewEvent,
    OperationalError,
    ProgrammingError,
    QueryItem,
)

from .consuming import ConsumerTestCase, done
from .plain_support import Awaited, PlainTestCase
from .support import TCP_URL, UNIX_URL, ScriptedServer
from .test_client import STORE, answer, rejection


class Recording:
    """An application that has set up the SDK."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def inside(self, outer: ReadableSpan) -> list[ReadableSpan]:
        """The spans whose parent is this one."""
        assert outer.context is not None
        return [span for span in self.spans if span.parent and span.parent.span_id == outer.context.span_id]


def traceparent_of(span: ReadableSpan) -> str:
    context = span.context
    assert context is not None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def attributes_of(span: ReadableSpan) -> Mapping[str, Any]:
    assert span.attributes is not None
    return dict(span.attributes)


class OfBothKinds:
    """Hides the tests from the search: two classes run them."""

    class Tests(PlainTestCase):
        def setUp(self) -> None:
            super().setUp()
            self.recording = Recording()

        def traced(self, url: str = UNIX_URL, **options: Any) -> Any:
            return self.store(url, tracer_provider=self.recording.provider, **options)

        def test_a_write_is_a_span_and_its_events_carry_it(self) -> None:
            store = self.traced(TCP_URL)
            store.append([NewEvent("A"), NewEvent("B", metadata={"traceparent": "mine"})])
            events = store.read("*").events
            write, read = self.recording.spans
            address = Address.parse(TCP_URL)
            self.assertEqual(("append events", SpanKind.PRODUCER), (write.name, write.kind))
            self.assertEqual(
                {
                    "messaging.system": "eventstore",
                    "messaging.operation.name": "append",
                    "messaging.operation.type": "send",
                    "messaging.destination.name": "events",
                    "messaging.batch.message_count": 2,
                    "server.address": address.host,
                    "server.port": address.port,
                },
                attributes_of(write),
            )
            own = {"traceparent": traceparent_of(write)}
            self.assertEqual([own, {"traceparent": "mine"}], [event.metadata for event in events])
            self.assertEqual(("read events", SpanKind.CLIENT), (read.name, read.kind))
            self.assertEqual("receive", attributes_of(read)["messaging.operation.type"])
            assert read.instrumentation_scope is not None
            self.assertEqual("eventstore-client", read.instrumentation_scope.name)

        def test_a_write_of_one_event_has_no_count(self) -> None:
            self.traced().append(NewEvent("A"))
            (write,) = self.recording.spans
            self.assertNotIn("messaging.batch.message_count", attributes_of(write))

        def test_another_request_is_named_by_the_beginning_of_its_path(self) -> None:
            self.traced().projection("show", "s1")
            (span,) = self.recording.spans
            self.assertEqual(("GET /projections", SpanKind.CLIENT), (span.name, span.kind))
            attributes = {
                "http.request.method": "GET",
                "url.template": "/projections",
                "server.address": Address.parse(UNIX_URL).path,
                "error.type": "ProjectionNotFound",
            }
            self.assertEqual(attributes, attributes_of(span))

        def test_a_request_that_fails_is_a_span_with_the_code_of_the_error(self) -> None:
            store = self.traced()
            store.append(NewEvent("A"))
            with self.assertRaises(Conflict):
                store.append(NewEvent("B"), Condition("*"))
            with self.assertRaises(OperationalError):
                self.traced("unix:/nowhere.sock", retry_seconds=0).head()
            conflict, unreachable = self.recording.spans[1:]
            self.assertEqual("ConcurrencyException", attributes_of(conflict)["error.type"])
            self.assertEqual("NotConnected", attributes_of(unreachable)["error.type"])
            self.assertRegex(str(unreachable.status.description), "^cannot reach unix:/nowhere.sock")
            for span in (conflict, unreachable):
                self.assertEqual(StatusCode.ERROR, span.status.status_code)

        def test_each_attempt_is_a_span_which_its_header_and_its_events_name(self) -> None:
            server = ScriptedServer(
                rejection("WriteQueueFull"), answer("200 OK", b'{"events":[{"sequence":1,"time":""}]}')
            )
            self.addCleanup(server.close)
            self.traced(server.url, store_id=STORE).append(NewEvent("A"))
            first, second = self.recording.spans
            self.assertEqual("WriteQueueFull", attributes_of(first)["error.type"])
            self.assertEqual(StatusCode.UNSET, second.status.status_code)
            for span, head, body in zip((first, second), server.heads, server.requests, strict=True):
                self.assertIn(f"\r\ntraceparent: {traceparent_of(span)}".encode(), head)
                self.assertIn(f'"traceparent":"{traceparent_of(span)}"'.encode(), body)

        def test_a_read_that_waits_has_no_span(self) -> None:
            store = self.traced()
            store.append(NewEvent("A"))
            next(iter(store.follow("*")))
            store.read("*", wait_seconds=1)
            self.assertEqual(["append events"], [span.name for span in self.recording.spans])

        def test_without_an_sdk_events_carry_nothing(self) -> None:
            store = self.store(tracer_provider=NoOpTracerProvider())
            store.append(NewEvent("A"))
            self.assertEqual({}, store.read("*").events[0].metadata)

        def test_a_wrong_provider_is_named(self) -> None:
            with self.assertRaisesRegex(ProgrammingError, "^tracer_provider must be a .*, not 'x'$"):
                self.kind(UNIX_URL, tracer_provider="x")


class TestEventStore(OfBothKinds.Tests):
    kind = EventStore


class TestAsyncEventStore(OfBothKinds.Tests):
    kind = Awaited


class TestConsumers(ConsumerTestCase):
    def setUp(self) -> None:
        self.recording = Recording()
        self.provider = self.recording.provider
        super().setUp()

    def handle(self, event: Event, handling: Handling) -> NewEvent:
        if handling.attempt == 1:
            raise ValueError("no")
        self.store.projection("count", "a")
        return done(event)

    def test_a_handler_in_a_thread_continues_the_trace_of_its_event(self) -> None:
        self.note("a")
        self.handled(self.consuming(self.handle), 1)
        self.check_trace()

    def test_a_handler_in_a_task_continues_the_trace_of_its_event(self) -> None:
        async def handle(event: Event, handling: Handling) -> NewEvent:
            return self.handle(event, handling)

        self.note("a")
        self.handled(self.consuming_with_tasks(handle), 1)
        self.check_trace()

    def check_trace(self) -> None:
        cause = self.recording.named("append events")[0]
        failed, process = self.recording.named("process c")
        for span in (failed, process):
            self.assertEqual(SpanKind.CONSUMER, span.kind)
            self.assertIn(span, self.recording.inside(cause))
            self.assertEqual(traceparent_of(cause)[:36], traceparent_of(span)[:36])
        attributes = {
            "messaging.system": "eventstore",
            "messaging.operation.name": "process",
            "messaging.operation.type": "process",
            "messaging.destination.name": "events",
            "messaging.consumer.group.name": "c",
            "messaging.message.id": "1",
            "eventstore.event.type": "Noted",
        }
        self.assertEqual(attributes, attributes_of(process))
        self.assertEqual({**attributes, "error.type": "ValueError"}, attributes_of(failed))
        self.assertEqual((StatusCode.ERROR, "no"), (failed.status.status_code, failed.status.description))
        self.assertEqual(["GET /projections"], [span.name for span in self.recording.inside(process)])
        (effect,) = self.store.read(QueryItem(["Done"])).events
        self.assertEqual({"of": "1", "traceparent": traceparent_of(process)}, effect.metadata)
