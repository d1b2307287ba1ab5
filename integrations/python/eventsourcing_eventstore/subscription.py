"""The library's subscription. Its reads wait at the server until there is an event, so it does not poll."""

from typing import TYPE_CHECKING

from eventsourcing_eventstore.library import DCBQuery, DCBSequencedEvent, DCBSubscription
from eventsourcing_eventstore.mapping import event_of_line, position_of_line, query_to_json
from eventsourcing_eventstore.stopping import Stopped, Stopping

if TYPE_CHECKING:
    from eventsourcing_eventstore.recorder import EventStoreRecorder

WAIT_SECONDS = 20
"""How long one read waits; proxies end what takes longer, often after 60 s. An event ends it at once."""


class EventStoreSubscription(DCBSubscription["EventStoreRecorder"]):
    """
    Yields each event once, in order, across broken connections and restarts of the server. One thread at a time
    may use it. Any thread may stop it, which ends the wait at once.
    """

    def __init__(
        self, recorder: "EventStoreRecorder", query: DCBQuery | None = None, after: int | None = None
    ) -> None:
        super().__init__(recorder, query, after)
        self._client = recorder.client
        self._wire_query = query_to_json(query)
        self._read_up_to = after or 0
        self._lines: list[bytes] = []
        self._stopping = Stopping()

    def stop(self) -> None:
        super().stop()
        self._stopping.stop()

    def __next__(self) -> DCBSequencedEvent:
        while not self._stopping.is_stopped:
            if self._lines:
                event = event_of_line(self._lines.pop(), self._client.store_id)
                self._last_position = event.position
                return event
            try:
                self._fetch()
            except Stopped:
                break
        raise StopIteration

    def _fetch(self) -> None:
        """Waits for events for a limited time: the page may be empty."""
        request = {
            "query": self._wire_query,
            "afterSequence": self._read_up_to,
            "limit": self._recorder.page_limit,
            "waitSeconds": WAIT_SECONDS,
        }
        page = self._client.read_page(request, self._stopping)
        # Reversed, so that the next line is at the end.
        self._lines = page.lines[::-1]
        # A complete page has all matches up to its head. A position beyond the head does not change.
        read_up_to = position_of_line(page.lines[-1]) if page.has_more else page.head
        self._read_up_to = max(self._read_up_to, read_up_to)
