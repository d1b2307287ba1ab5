"""The plain client, for any number of threads."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from eventsourcing_eventstore.async_store import AsyncEventStore
from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.consume.consuming import Consuming
from eventsourcing_eventstore.consume.handling import AsyncHandle, By, Handle, OnFailure, OnNotification
from eventsourcing_eventstore.consume.records import Records
from eventsourcing_eventstore.consume.session import Options
from eventsourcing_eventstore.following import WAIT_SECONDS
from eventsourcing_eventstore.operations import Handler, Operations, Steps
from eventsourcing_eventstore.plain_types import (
    Condition,
    Event,
    Forgotten,
    NewEvent,
    NewProjection,
    Page,
    Position,
    Projection,
    Query,
    Written,
)
from eventsourcing_eventstore.plain_wire import PayloadFormat
from eventsourcing_eventstore.stopping import Stopped, Stopping

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

_T = TypeVar("_T")


class EventStore:
    """
    Reads and writes events, and makes decisions. It belongs to the first store that it finds, or to `store_id`:
    on another one, as after a reset, every call raises `StoreChanged`.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        retry_seconds: float = 5.0,
        store_id: str | None = None,
        payload: PayloadFormat = "json",
        tracer_provider: "TracerProvider | None" = None,
    ) -> None:
        """
        `url` is `http://host:port`, `https://host:port` or `unix:/path`. `timeout_seconds` limits each step on
        the network. For `retry_seconds`, the client repeats reads, and writes that certainly did not happen.
        Payloads are JSON values, or strings with `payload="text"`. With a `tracer_provider` of OpenTelemetry, requests
        and handlers are spans, and events carry `traceparent` in their metadata.
        """
        self._client = Client(
            url,
            token,
            timeout_seconds=timeout_seconds,
            retry_seconds=retry_seconds,
            store_id=store_id,
            tracer_provider=tracer_provider,
        )
        self._operations = Operations(self._client.identity, payload)
        self._open_async = partial(
            AsyncEventStore,
            url,
            token,
            timeout_seconds=timeout_seconds,
            retry_seconds=retry_seconds,
            payload=payload,
            tracer_provider=tracer_provider,
        )

    def read(
        self,
        query: Query,
        *,
        after: Position | None = None,
        before: Position | None = None,
        backwards: bool = False,
        limit: int | None = None,
        wait_seconds: float = 0,
    ) -> Page:
        """One page of events. With `wait_seconds`, the server waits for an event if there is none."""
        return self._run(
            self._operations.read(
                query, after=after, before=before, backwards=backwards, limit=limit, wait_seconds=wait_seconds
            )
        )

    def read_all(self, query: Query, *, after: Position | None = None) -> Iterator[Event]:
        """Every event that matches, up to the end of the store when the read began. It reads page by page."""
        before: Position | None = None
        while True:
            page = self.read(query, after=after, before=before)
            yield from page.events
            if not page.has_more:
                return
            after = page.position
            before = before or Position(page.head.store_id, page.head.sequence + 1)

    def follow(self, query: Query, *, after: Position | None = None) -> "Following":
        """Pages with every event after `after`, then with each new one. It waits at the server."""
        return Following(self, query, after)

    def append(
        self,
        events: NewEvent | Sequence[NewEvent],
        conditions: Condition | Sequence[Condition] = (),
        *,
        projections: Sequence[NewProjection] = (),
        deletes: Sequence[Projection] = (),
    ) -> Written:
        """
        Writes events and changes projections, all or nothing, provided that the conditions hold. Raises `Conflict`
        if they do not. It is not repeated when there is no answer: see `OutcomeUnknown`.
        """
        return self._run(self._operations.append(events, conditions, projections, deletes))

    def decide(self, query: Query, handler: Handler, *, attempts: int = 10) -> Written | None:
        """
        Reads the events of a query, and writes those that the handler returns, provided that no further event
        matches. Otherwise it reads on and calls the handler again, which must do nothing but decide. A lost answer
        does no harm: the events carry the metadata `decisionId`, by which they are found. Returns None if the
        handler returns no event.
        """
        return self._run(self._operations.decide(query, handler, attempts))

    def forget(self, name: str, value: str, events: NewEvent | Sequence[NewEvent] = ()) -> Forgotten:
        """
        Makes the payloads of a person's events unreadable, for good, and writes events in the same turn. The server
        needs the setting `subjects`. Raises `SubjectNotFound` for a person without events. It is not repeated when
        there is no answer: see `OutcomeUnknown`.
        """
        return self._run(self._operations.forget(name, value, events))

    def projection(self, type_: str, id_: str) -> Projection | None:
        """A projection with its version; None if there is none."""
        return self._run(self._operations.projection(type_, id_))

    def versions(self, type_: str) -> dict[str, str]:
        """The versions of all projections of a type, by ID."""
        return self._run(self._operations.versions(type_))

    def consume(
        self,
        name: str,
        query: Query,
        handle: Handle,
        *,
        by: By = None,
        concurrency: int = 16,
        partitions: int | None = None,
        attempts: int = 5,
        on_failure: OnFailure = "park",
        lease_seconds: float = 5.0,
        on_notification: OnNotification | None = None,
    ) -> Consuming:
        """
        A consumer: every event that matches is handled once, in one of the processes that run it under this name. Call
        `run` of the result, which blocks. Raises ProgrammingError for a wrong argument.

        - `handle` returns nothing, events or `Effects`, which are written together with the progress
        - `by`: events with the same value of this identifier, or of a function, are handled in order, one at a time;
          by default all events are
        - `concurrency`: handlers at the same time in this process, at most 10,000
        - `partitions`: units that the processes share, 1 to 256; the first start fixes it, by default to 16
        - `attempts`: calls of the handler before the event is parked
        - `on_failure`: `park_key` also parks the later events of the key
        - `lease_seconds`: the others take over after so long without a heartbeat, 0.3 to 3,600
        - `on_notification` is called in the thread of `run`; its error ends the consumer
        """
        # Here, so that the error for a wrong option comes at once.
        Options(query, by, concurrency, partitions, attempts, on_failure, lease_seconds, on_notification)
        Records.check_name(name)

        async def consume(call: AsyncHandle) -> None:
            async with self._open_async(store_id=self._client.identity.known) as store:
                await store.consume(
                    name,
                    query,
                    call,
                    by=by,
                    concurrency=concurrency,
                    partitions=partitions,
                    attempts=attempts,
                    on_failure=on_failure,
                    lease_seconds=lease_seconds,
                    on_notification=on_notification,
                )

        return Consuming(consume, handle, concurrency)

    def head(self) -> Position:
        """The end of the store."""
        return Position(self._client.store_id, self._client.head())

    def close(self) -> None:
        """Closes the connections. Stop what follows events before you call it."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, steps: Steps[_T], stopping: Stopping | None = None) -> _T:
        stopping = stopping or Stopping()
        result: Any = None
        error: Exception | None = None
        while True:
            try:
                step = steps.send(result) if error is None else steps.throw(error)
            except StopIteration as end:
                value: _T = end.value
                return value
            result = error = None
            try:
                if isinstance(step, int | float):
                    stopping.pause(step)
                else:
                    result = self._client.send(step, stopping)
            except Exception as raised:
                error = raised


class Following(Iterator[Page]):
    """
    Yields pages that are not empty, without end. The position of a page is the one to save. One thread at a time may
    use it. Any thread may stop it, which ends the wait at once.
    """

    def __init__(self, store: EventStore, query: Query, after: Position | None) -> None:
        self._store = store
        self._query = query
        self._stopping = Stopping()
        self.position = after
        """Up to here, every match has been yielded."""

    def stop(self) -> None:
        self._stopping.stop()

    def __next__(self) -> Page:
        while True:
            read = self._store._operations.read(self._query, after=self.position, wait_seconds=WAIT_SECONDS)
            try:
                self._stopping.raise_if_stopped()
                page = self._store._run(read, self._stopping)
            except Stopped:
                raise StopIteration from None
            self.position = page.position
            if page.events:
                return page

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
