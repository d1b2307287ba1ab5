"""The library's recorder and what it returns: the pages of a read, and a subscription."""

from collections.abc import Sequence
from typing import Any

from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.following import PAGE_LIMIT, FollowedLines
from eventsourcing_eventstore.library import (
    DCBAppendCondition,
    DCBEvent,
    DCBQuery,
    DCBReadResponse,
    DCBRecorder,
    DCBSequencedEvent,
    DCBSubscription,
    ProgrammingError,
)
from eventsourcing_eventstore.mapping import (
    condition_to_json,
    event_of_line,
    event_to_json,
    query_to_json,
)
from eventsourcing_eventstore.names import PLAIN, Names
from eventsourcing_eventstore.wire import position_of_line


class EventStoreRecorder(DCBRecorder):
    """Reads, appends and follows the events of one store. Any number of threads may use it."""

    def __init__(self, client: Client, *, page_limit: int = PAGE_LIMIT, names: Names = PLAIN) -> None:
        """`page_limit` must not exceed `maxEventsPerPage` of the server."""
        self.client = client
        self.names = names
        self.page_limit = page_limit

    def head(self) -> int | None:
        """The position of the last event in the store; None when it has none."""
        return self.client.head() or None

    def read(
        self, query: DCBQuery | None = None, *, after: int | None = None, limit: int | None = None
    ) -> "EventStoreReadResponse":
        """
        The matching events after `after`, up to the current head of the store. It fetches the first page at
        once, others as they are needed.
        """
        return EventStoreReadResponse(self, query, after or 0, limit)

    def append(self, events: Sequence[DCBEvent], condition: DCBAppendCondition | None = None) -> int:
        """
        Appends all events or none; returns the position of the last one. Raises IntegrityError when the
        condition does not hold. It is not repeated when there is no answer: see `OutcomeUnknown`.
        """
        if len(events) == 0:
            raise ProgrammingError("an append needs at least one event")
        request = {
            "conditions": [condition_to_json(condition, self.client.store_id, self.names)],
            "events": [event_to_json(event, self.names) for event in events],
        }
        return self.client.write(request)[-1]

    def subscribe(
        self, query: DCBQuery | None = None, *, after: int | None = None
    ) -> "EventStoreSubscription":
        """The matching events after `after`, then each new one."""
        return EventStoreSubscription(self, query, after)


class EventStoreReadResponse(DCBReadResponse):
    """Yields the events of a read, page by page. All pages show the store at the start of the first one."""

    def __init__(
        self, recorder: EventStoreRecorder, query: DCBQuery | None, after: int, limit: int | None
    ) -> None:
        self._client = recorder.client
        self._names = recorder.names
        self._query = query_to_json(query, recorder.names)
        self._page_limit = recorder.page_limit
        self._is_limited = limit is not None
        self._left = limit
        self._after = after
        self._head: int | None = None
        self._store_head: int | None = None
        self._lines: list[bytes] = []
        self._has_more = limit != 0
        if self._has_more:
            self._fetch()
        if not self._is_limited:
            self._head = self._store_head or None

    @property
    def head(self) -> int | None:
        """
        The head of the store at the start of the read; None for a store without events. The read yields all
        matching events up to it. For a read with a limit, the position of the last event so far.
        """
        return self._head

    def __next__(self) -> DCBSequencedEvent:
        if not self._lines and self._has_more:
            self._fetch()
        if not self._lines:
            raise StopIteration
        event = event_of_line(self._lines.pop(), self._client.store_id, self._names)
        if self._is_limited:
            self._head = event.position
        return event

    def _fetch(self) -> None:
        limit = self._page_limit if self._left is None else min(self._left, self._page_limit)
        request: dict[str, Any] = {"query": self._query, "afterSequence": self._after, "limit": limit}
        if self._store_head is not None:
            request["beforeSequence"] = self._store_head + 1
        page = self._client.read_page(request)
        if self._store_head is None:
            self._store_head = page.head
        # Reversed, so that the next line is at the end.
        self._lines = page.lines[::-1]
        if self._left is not None:
            self._left -= len(page.lines)
        self._has_more = page.has_more and self._left != 0
        if self._has_more:
            self._after = position_of_line(page.lines[-1])


class EventStoreSubscription(DCBSubscription[EventStoreRecorder]):
    """
    Yields each event once, in order, across broken connections and restarts of the server. Its reads wait at
    the server until there is an event, so it does not poll. One thread at a time may use it. Any thread may
    stop it, which ends the wait at once.
    """

    def __init__(
        self, recorder: EventStoreRecorder, query: DCBQuery | None = None, after: int | None = None
    ) -> None:
        super().__init__(recorder, query, after)
        wire_query = query_to_json(query, recorder.names)
        self._lines = FollowedLines(recorder.client, wire_query, after or 0, recorder.page_limit)

    def stop(self) -> None:
        super().stop()
        self._lines.stop()

    def __next__(self) -> DCBSequencedEvent:
        line = next(self._lines)
        event = event_of_line(line, self._recorder.client.store_id, self._recorder.names)
        self._last_position = event.position
        return event
