"""The library's recorders for aggregates and applications: streams of events with versions."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.following import PAGE_LIMIT, FollowedLines
from eventsourcing_eventstore.library import (
    AggregateRecorder,
    ApplicationRecorder,
    Notification,
    StoredEvent,
    Subscription,
)
from eventsourcing_eventstore.stored_events import EventStream, stored_event_of
from eventsourcing_eventstore.wire import position_of_line

_LOOKUP_VERSION = 20
"""From this version on, a read that begins in the middle of an aggregate first looks up where that is."""


class EventStoreAggregateRecorder(AggregateRecorder):
    """
    Inserts and selects the events of one stream. The versions of an aggregate must ascend, as those of the library
    do. Any number of threads may use it.
    """

    def __init__(self, client: Client, stream: EventStream, *, page_limit: int = PAGE_LIMIT) -> None:
        """`page_limit` must not exceed `maxEventsPerPage` of the server."""
        self.client = client
        self.stream = stream
        self.page_limit = page_limit

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """
        Inserts all events or none. Raises IntegrityError if a version of an aggregate exists. It is not repeated
        when there is no answer: see `OutcomeUnknown`.
        """
        self._insert(stored_events, **kwargs)
        return None

    def _insert(self, stored_events: Sequence[StoredEvent], **_: Any) -> list[int]:
        if len(stored_events) == 0:
            return []
        return self.client.write(self._request_of(stored_events))

    def _request_of(self, stored_events: Sequence[StoredEvent]) -> dict[str, Any]:
        return {
            "conditions": self.stream.conditions(stored_events, self.client.store_id),
            "events": [self.stream.event_to_json(event) for event in stored_events],
        }

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The events of an aggregate, in the order of their versions."""
        if limit == 0:
            return []
        selected: list[StoredEvent] = []
        after = 0 if gt is None or gt < _LOOKUP_VERSION else self._position_of(originator_id, gt)
        # The last snapshot is one event: no more than that is asked for.
        page_limit = self.page_limit if limit is None else min(limit, self.page_limit)
        query = self.stream.query(aggregate=originator_id)
        for each in self._read(query, after=after, backwards=desc, page_limit=page_limit):
            version = each.originator_version
            if (desc and gt is not None and version <= gt) or (not desc and lte is not None and version > lte):
                break
            if (gt is None or version > gt) and (lte is None or version <= lte):
                selected.append(stored_event_of(each, originator_id))
            if len(selected) == limit:
                break
        return sorted(selected, key=lambda event: event.originator_version, reverse=desc)

    def _position_of(self, originator_id: UUID | str, version: int) -> int:
        """The position of a version of an aggregate; 0 if it does not exist, as when there is only a snapshot."""
        query = self.stream.query(aggregate=originator_id, version=version)
        found = self.client.read_page({"query": query, "limit": 1}).lines
        return position_of_line(found[0]) if found else 0

    def _read(
        self,
        query: list[dict[str, Any]],
        *,
        after: int = 0,
        before: int | None = None,
        backwards: bool = False,
        page_limit: int | None = None,
    ) -> Iterator[Notification]:
        """Reads page by page, up to the head of the first page."""
        store_id = self.client.store_id
        request = {"query": query, "afterSequence": after, "limit": page_limit or self.page_limit}
        if backwards:
            request["backwards"] = True
        if before is not None:
            request["beforeSequence"] = before
        while True:
            page = self.client.read_page(request)
            for line in page.lines:
                yield self.stream.notification_of_line(line, store_id)
            if not page.has_more:
                return
            request["beforeSequence" if backwards else "afterSequence"] = position_of_line(page.lines[-1])
            if not backwards:
                request.setdefault("beforeSequence", page.head + 1)
            request["limit"] = self.page_limit


class EventStoreApplicationRecorder(EventStoreAggregateRecorder, ApplicationRecorder):
    """The events of an application, in their order in the store. The ID of a notification is its sequence."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """As in `EventStoreAggregateRecorder`; returns the IDs of the notifications."""
        return self._insert(stored_events, **kwargs)

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """At most `limit` events from `start`, or behind it, to `stop`."""
        after = max(0, (start or 0) - 1 if inclusive_of_start else (start or 0))
        notifications: list[Notification] = []
        page_limit = min(limit, self.page_limit)
        before = None if stop is None else max(1, stop + 1)
        query = self.stream.query(topics=topics)
        if limit > 0:
            for each in self._read(query, after=after, before=before, page_limit=page_limit):
                notifications.append(each)
                if len(notifications) == limit:
                    break
        return notifications

    def max_notification_id(self) -> int | None:
        """The ID of the last event of the application; None when it has none."""
        page = self.client.read_page({"query": self.stream.query(), "backwards": True, "limit": 1})
        return position_of_line(page.lines[0]) if page.lines else None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "EventStoreNotifications":
        """The events behind `gt`, then each new one."""
        return EventStoreNotifications(self, gt, topics)


class EventStoreNotifications(Subscription[EventStoreApplicationRecorder]):
    """
    Yields each event of an application once, in order, across broken connections and restarts of the server. It
    does not poll. One thread at a time may use it. Any thread may stop it, which ends the wait at once.
    """

    def __init__(
        self, recorder: EventStoreApplicationRecorder, gt: int | None = None, topics: Sequence[str] = ()
    ) -> None:
        super().__init__(recorder, gt, topics)
        query = recorder.stream.query(topics=topics)
        self._lines = FollowedLines(recorder.client, query, gt or 0, recorder.page_limit)

    def stop(self) -> None:
        super().stop()
        self._lines.stop()

    def __next__(self) -> Notification:
        line = next(self._lines)
        notification = self._recorder.stream.notification_of_line(line, self._recorder.client.store_id)
        self._last_notification_id = notification.id
        return notification
