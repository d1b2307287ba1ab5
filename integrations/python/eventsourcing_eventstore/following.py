"""The lines of all events that match a query, without end: what subscriptions of every kind read."""

from collections.abc import Iterator
from typing import Any

from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.identity import check_reached
from eventsourcing_eventstore.stopping import Stopped, Stopping
from eventsourcing_eventstore.wire import position_of_line

PAGE_LIMIT = 1000
"""Events fetched with one request."""

WAIT_SECONDS = 20
"""How long one read waits; proxies end what takes longer, often after 60 s. An event ends it at once."""


class FollowedLines(Iterator[bytes]):
    """
    Yields the line of each event once, in order. Its reads wait at the server. It ends when another thread calls
    `stop`.
    """

    def __init__(
        self, client: Client, query: str | list[dict[str, Any]], after: int, page_limit: int = PAGE_LIMIT
    ) -> None:
        self._client = client
        self._query = query
        self._read_up_to = after
        self._is_position = False
        """False for a number of which it is not known yet that the store had an event there."""
        self._page_limit = page_limit
        self._lines: list[bytes] = []
        self._stopping = Stopping()

    def stop(self) -> None:
        self._stopping.stop()

    def __next__(self) -> bytes:
        while not self._stopping.is_stopped:
            if self._lines:
                return self._lines.pop()
            try:
                self._fetch()
            except Stopped:
                break
        raise StopIteration

    def _fetch(self) -> None:
        """Waits for events for a limited time: the page may be empty."""
        request = {
            "query": self._query,
            "afterSequence": self._read_up_to,
            "limit": self._page_limit,
            "waitSeconds": WAIT_SECONDS,
        }
        page = self._client.read_page(request, self._stopping)
        if self._is_position:
            check_reached(self._read_up_to, page.head)
        # Reversed, so that the next line is at the end.
        self._lines = page.lines[::-1]
        # A complete page has all matches up to its head. A number beyond the head does not change.
        read_up_to = position_of_line(page.lines[-1]) if page.has_more else page.head
        self._read_up_to = max(self._read_up_to, read_up_to)
        self._is_position = page.head >= self._read_up_to
