"""The plain client for asyncio. It has the methods of `EventStore`, to be awaited."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Sequence
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from eventsourcing_eventstore.async_connection import AsyncConnection
from eventsourcing_eventstore.attempts import Attempts, Request
from eventsourcing_eventstore.connection import Address, Answer, NotConnected
from eventsourcing_eventstore.consume.consumer import run_consumer
from eventsourcing_eventstore.consume.handling import (
    AsyncHandle,
    By,
    Effects,
    Handling,
    OnFailure,
    OnNotification,
    effects_of,
    in_trace,
)
from eventsourcing_eventstore.consume.records import Records
from eventsourcing_eventstore.consume.session import Options
from eventsourcing_eventstore.following import WAIT_SECONDS
from eventsourcing_eventstore.identity import StoreIdentity
from eventsourcing_eventstore.library_errors import InterfaceError, ProgrammingError
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
from eventsourcing_eventstore.tracing import spans_of
from eventsourcing_eventstore.wire import headers_with

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

_T = TypeVar("_T")


class AsyncEventStore:
    """As `EventStore`, for the tasks of one event loop. A cancelled task closes the connection that it uses."""

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
        """The arguments are those of `EventStore`."""
        if timeout_seconds <= 0 or retry_seconds < 0:
            raise ProgrammingError("timeout_seconds must be positive, and retry_seconds not negative")
        self._address = Address.parse(url)
        self._spans = spans_of(tracer_provider, self._address)
        self._headers = headers_with(token)
        self._timeout_seconds = timeout_seconds
        self._retry_seconds = retry_seconds
        self._operations = Operations(StoreIdentity(store_id), payload)
        self._idle: list[AsyncConnection] = []
        self._is_closed = False

    async def read(
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
        return await self._run(
            self._operations.read(
                query, after=after, before=before, backwards=backwards, limit=limit, wait_seconds=wait_seconds
            )
        )

    async def read_all(self, query: Query, *, after: Position | None = None) -> AsyncIterator[Event]:
        """Every event that matches, up to the end of the store when the read began. It reads page by page."""
        before: Position | None = None
        while True:
            page = await self.read(query, after=after, before=before)
            for event in page.events:
                yield event
            if not page.has_more:
                return
            after = page.position
            before = before or Position(page.head.store_id, page.head.sequence + 1)

    async def follow(self, query: Query, *, after: Position | None = None) -> AsyncIterator[Page]:
        """
        Pages with every event after `after`, then with each new one, without end. None is empty. The position of a
        page is the one to save. It waits at the server: cancel the task to end it.
        """
        while True:
            page = await self.read(query, after=after, wait_seconds=WAIT_SECONDS)
            after = page.position
            if page.events:
                yield page

    async def append(
        self,
        events: NewEvent | Sequence[NewEvent],
        conditions: Condition | Sequence[Condition] = (),
        *,
        projections: Sequence[NewProjection] = (),
        deletes: Sequence[Projection] = (),
    ) -> Written:
        """
        Writes events and changes projections, all or nothing, provided that the conditions hold. Raises `Conflict`
        if they do not. If the task is cancelled meanwhile, the write may or may not happen.
        """
        return await self._run(self._operations.append(events, conditions, projections, deletes))

    async def decide(self, query: Query, handler: Handler, *, attempts: int = 10) -> Written | None:
        """As `EventStore.decide`. The handler is an ordinary function."""
        return await self._run(self._operations.decide(query, handler, attempts))

    async def forget(self, name: str, value: str, events: NewEvent | Sequence[NewEvent] = ()) -> Forgotten:
        """As `EventStore.forget`. If the task is cancelled meanwhile, the person may or may not be forgotten."""
        return await self._run(self._operations.forget(name, value, events))

    async def projection(self, type_: str, id_: str) -> Projection | None:
        """A projection with its version; None if there is none."""
        return await self._run(self._operations.projection(type_, id_))

    async def versions(self, type_: str) -> dict[str, str]:
        """The versions of all projections of a type, by ID."""
        return await self._run(self._operations.versions(type_))

    async def consume(
        self,
        name: str,
        query: Query,
        handle: AsyncHandle,
        *,
        by: By = None,
        concurrency: int = 16,
        partitions: int | None = None,
        attempts: int = 5,
        on_failure: OnFailure = "park",
        lease_seconds: float = 5.0,
        on_notification: OnNotification | None = None,
    ) -> NoReturn:
        """
        As `EventStore.consume`. Cancel the task to end it, which takes twice `lease_seconds` at most. A handler is
        cancelled when another process may handle its event.
        """
        if not callable(handle):
            raise ProgrammingError(f"handle must be a function, not {handle!r}")
        options = Options(query, by, concurrency, partitions, attempts, on_failure, lease_seconds, on_notification)

        async def call(event: Event, handling: Handling) -> Effects:
            with self._spans.processing(name, event) as traceparent:
                handled = handle(event, handling)
                effects = effects_of(await handled if inspect.isawaitable(handled) else handled)
            return in_trace(effects, traceparent)

        records = Records(self, name, self._operations.payload_format)
        await run_consumer(self, records, options, call)

    async def head(self) -> Position:
        """The end of the store."""
        return await self._run(self._operations.head())

    async def close(self) -> None:
        """Closes idle connections now, and each of the others after its request."""
        self._is_closed = True
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
            await connection.wait_closed()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, steps: Steps[_T]) -> _T:
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
                    await asyncio.sleep(step)
                else:
                    result = await self._send(step)
            except Exception as raised:
                error = raised

    async def _send(self, request: Request) -> Answer:
        """Sends a request until there is a result. Raises the error when it must not be repeated."""
        attempts = Attempts(request, self._retry_seconds)
        while True:
            attempts.begin()
            try:
                answer = await self._exchange(request)
                if attempts.is_final(answer):
                    return answer
            except (OSError, HTTPException, NotConnected) as cause:
                attempts.failed(cause)
            await asyncio.sleep(attempts.pause_seconds())

    async def _exchange(self, request: Request) -> Answer:
        with self._spans.sending(request, self._headers) as sending:
            connection = await self._connection()
            try:
                sending.answer = await connection.exchange(sending.request, sending.headers)
            except BaseException:
                connection.close()
                raise
        if connection.can_be_used_again and not self._is_closed:
            self._idle.append(connection)
        else:
            connection.close()
        return sending.answer

    async def _connection(self) -> AsyncConnection:
        if self._is_closed:
            raise InterfaceError("the client has been closed")
        while self._idle:
            connection = self._idle.pop()
            if connection.can_be_used_again:
                return connection
            connection.close()
        return await AsyncConnection.open(self._address, self._timeout_seconds)
