"""The requests of the adapter to a server: pages of events, writes, the head of the store."""

import json
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Self

from eventsourcing_eventstore.attempts import Attempts, Request
from eventsourcing_eventstore.connection import Address, Answer, NotConnected
from eventsourcing_eventstore.identity import StoreIdentity
from eventsourcing_eventstore.library_errors import InterfaceError, ProgrammingError
from eventsourcing_eventstore.pool import ConnectionPool
from eventsourcing_eventstore.stopping import Stopping
from eventsourcing_eventstore.tracing import spans_of
from eventsourcing_eventstore.wire import StoredProjection, headers_with, projection_path

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider


@dataclass(frozen=True)
class Page:
    head: int
    """The highest sequence in the store when the page was begun; 0 when it has no events."""
    lines: list[bytes]
    """The events, each a JSON object."""
    has_more: bool


class Client:
    """
    Accesses one store, for any number of threads. This is the store that it saw first, or the one named by
    `store_id`. Once the server has another store, every call raises `StoreChanged`.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        retry_seconds: float = 5.0,
        store_id: str | None = None,
        tracer_provider: "TracerProvider | None" = None,
    ) -> None:
        """
        `url` is `http://host:port`, `https://host:port` or `unix:/path`. `timeout_seconds` limits each step
        on the network. For `retry_seconds`, the client repeats reads, and writes that certainly did not happen.
        With a `tracer_provider` of OpenTelemetry, requests are spans, and events carry `traceparent` in their metadata.
        """
        if timeout_seconds <= 0 or retry_seconds < 0:
            raise ProgrammingError("timeout_seconds must be positive, and retry_seconds not negative")
        address = Address.parse(url)
        self._spans = spans_of(tracer_provider, address)
        self._pool = ConnectionPool(address, timeout_seconds)
        self._headers = headers_with(token)
        self._retry_seconds = retry_seconds
        self.identity = StoreIdentity(store_id)

    @property
    def store_id(self) -> str:
        """The ID of the store. A position is valid only in the store with this ID."""
        if self.identity.known is None:
            self.head()
        assert self.identity.known is not None
        return self.identity.known

    def head(self) -> int:
        """The highest sequence in the store; 0 when it has no events."""
        # A page that ends before the first event is empty, and needs no search.
        return self.read_page({"query": "*", "beforeSequence": 1}).head

    def read_page(self, request: dict[str, Any], stopping: Stopping | None = None) -> Page:
        """`QUERY /events`. If the request has `waitSeconds`, `stopping` can end the wait: raises `Stopped`."""
        answer = self.send(Request.page(request), stopping)
        if answer.store is None or answer.head is None:
            raise InterfaceError("no X-Service-Store or X-Service-Head: another server, or an old one")
        self.identity.check(answer.store)
        *lines, trailer = answer.body.splitlines()
        return Page(int(answer.head), lines, json.loads(trailer)["hasMore"])

    def write(self, request: dict[str, Any]) -> list[int]:
        """As `post_write`; returns the sequences of the events."""
        return [event["sequence"] for event in self.post_write(request)["events"]]

    def post_write(self, request: dict[str, Any]) -> dict[str, Any]:
        """
        `POST /write`. Raises IntegrityError when a condition or a version does not hold, `StoreChanged` when a
        condition names another store, and `OutcomeUnknown` when there was no answer, or one that does not come
        from the server itself.
        """
        answer: dict[str, Any] = json.loads(self.send(Request.write(request)).body)
        return answer

    def projection(self, type_: str, id_: str) -> StoredProjection | None:
        """`GET /projections/{type}/{id}`; None when there is none."""
        answer = self.send(Request.get(projection_path(type_, id_)))
        if answer.store is None:
            raise InterfaceError("no X-Service-Store: another server, or an old one")
        self.identity.check(answer.store)
        if answer.version is None:
            return None
        return StoredProjection(answer.body.decode(), answer.version)

    def close(self) -> None:
        """Closes the connections. Stop subscriptions that wait before you call it."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, request: Request, stopping: Stopping | None = None) -> Answer:
        """Sends a request until there is a result. Raises the error when it must not be repeated."""
        stopping = stopping or Stopping()
        attempts = Attempts(request, self._retry_seconds)
        while True:
            attempts.begin()
            try:
                answer = self._exchange(request, stopping)
                if attempts.is_final(answer):
                    return answer
            except (OSError, HTTPException, NotConnected) as cause:
                attempts.failed(cause)
            stopping.pause(attempts.pause_seconds())

    def _exchange(self, request: Request, stopping: Stopping) -> Answer:
        with (
            self._spans.sending(request, self._headers) as sending,
            self._pool.connection() as connection,
            stopping.watching(connection),
        ):
            request = sending.request
            sending.answer = connection.exchange(
                request.method, request.path, request.body, sending.headers, request.wait_seconds
            )
        return sending.answer
