"""The requests of the adapter to a server: pages of events, writes, the head of the store."""

import json
import threading
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Self

from eventsourcing_eventstore.connection import Address, Answer, NotConnected
from eventsourcing_eventstore.errors import NOTHING_WRITTEN, OutcomeUnknown, StoreChanged, error_of
from eventsourcing_eventstore.library import InterfaceError, OperationalError, ProgrammingError
from eventsourcing_eventstore.patience import Patience
from eventsourcing_eventstore.pool import ConnectionPool
from eventsourcing_eventstore.stopping import Stopping

_REJECTED_UNWRITTEN = frozenset({"WriteQueueFull", "ShuttingDown"})
"""Codes of 503 after which it makes sense to send a write again."""


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
    ) -> None:
        """
        `url` is `http://host:port`, `https://host:port` or `unix:/path`. `timeout_seconds` limits each step
        on the network. For `retry_seconds`, the client repeats reads, and writes that certainly did not happen.
        """
        if timeout_seconds <= 0 or retry_seconds < 0:
            raise ProgrammingError("timeout_seconds must be positive, and retry_seconds not negative")
        self._pool = ConnectionPool(Address.parse(url), timeout_seconds)
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._retry_seconds = retry_seconds
        self._store_id = store_id
        self._store_lock = threading.Lock()

    @property
    def store_id(self) -> str:
        """The ID of the store. A position is valid only in the store with this ID."""
        if self._store_id is None:
            self.head()
        assert self._store_id is not None
        return self._store_id

    def head(self) -> int:
        """The highest sequence in the store; 0 when it has no events."""
        # A page that ends before the first event is empty, and needs no search.
        return self.read_page({"query": "*", "beforeSequence": 1}).head

    def read_page(self, request: dict[str, Any], stopping: Stopping | None = None) -> Page:
        """`QUERY /events`. If the request has `waitSeconds`, `stopping` can end the wait: raises `Stopped`."""
        answer = self._send("QUERY", "/events", request, is_read=True, stopping=stopping)
        if answer.store is None or answer.head is None:
            raise InterfaceError("no X-Service-Store or X-Service-Head: another server, or an old one")
        self._check_store(answer.store)
        *lines, trailer = answer.body.splitlines()
        return Page(int(answer.head), lines, json.loads(trailer)["hasMore"])

    def write(self, request: dict[str, Any]) -> list[int]:
        """
        `POST /write`; returns the sequences of the events. Raises IntegrityError when a condition does not
        hold, `StoreChanged` when it names another store, and `OutcomeUnknown` when there was no answer, or one
        that does not come from the server itself.
        """
        answer = self._send("POST", "/write", request, is_read=False)
        return [event["sequence"] for event in json.loads(answer.body)["events"]]

    def close(self) -> None:
        """Closes the connections. Stop subscriptions that wait before you call it."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_store(self, store_id: str) -> None:
        with self._store_lock:
            if self._store_id is None:
                self._store_id = store_id
            if self._store_id != store_id:
                raise StoreChanged(f"the store was {self._store_id} and is now {store_id}")

    def _send(
        self,
        method: str,
        path: str,
        json_body: dict[str, Any],
        *,
        is_read: bool,
        stopping: Stopping | None = None,
    ) -> Answer:
        """Sends a request until the answer is 200. Raises the error when the request must not be repeated."""
        body = json.dumps(json_body, separators=(",", ":")).encode()
        wait_seconds = json_body.get("waitSeconds", 0)
        stopping = stopping or Stopping()
        patience = Patience(self._retry_seconds)
        error: Exception
        while True:
            patience.begin()
            was_served = False
            try:
                with self._pool.connection() as connection, stopping.watching(connection):
                    answer = connection.exchange(method, path, body, self._headers, wait_seconds)
                if answer.status != 200:
                    error = error_of(answer.status, answer.body)
                    if not is_read and answer.error not in NOTHING_WRITTEN:
                        raise OutcomeUnknown(f"an answer to a write that is not the server's own: {error}")
                    if not _may_be_sent_again(answer, is_read):
                        raise error
                elif not is_read and answer.store is None:
                    raise OutcomeUnknown("an answer to a write that is not the server's own")
                elif is_read and not _is_complete(answer):
                    error = OperationalError("a page was cut short")
                else:
                    return answer
            except NotConnected as cause:
                error = OperationalError(str(cause))
            except (OSError, HTTPException) as cause:
                if not is_read:
                    raise OutcomeUnknown(f"no answer to a write: {cause!r}") from cause
                error = OperationalError(f"the connection broke: {cause!r}")
                if isinstance(cause, TimeoutError):
                    raise error from cause
                was_served = wait_seconds > 0
            stopping.pause(patience.pause_after(error, was_served=was_served))


def _may_be_sent_again(answer: Answer, is_read: bool) -> bool:
    return answer.status == 503 and (is_read or answer.error in _REJECTED_UNWRITTEN)


def _is_complete(page: Answer) -> bool:
    """True if a page has its last line. Some proxies do not report that a page was cut short."""
    return page.body.endswith((b'{"hasMore":true}\n', b'{"hasMore":false}\n'))
