"""
The library's recorders of how far a follower has come: for views, and for applications that process the events of
others. A position is a projection of the store, so that it is written together with events and rows.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eventsourcing_eventstore.aggregates import EventStoreApplicationRecorder
from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.errors import ProjectionConflict
from eventsourcing_eventstore.following import PAGE_LIMIT
from eventsourcing_eventstore.library import (
    IntegrityError,
    ProcessRecorder,
    StoredEvent,
    Tracking,
    TrackingRecorder,
)
from eventsourcing_eventstore.stored_events import EventStream
from eventsourcing_eventstore.wire import StoredProjection, replacing

TRACKING = "tracking"
"""The type of the projections that hold positions. The ID is `<follower>/<application that it follows>`."""

Changes = Mapping[str, Callable[[Any], Any]]
"""Rows by key, each with a function that returns its new value, or None to delete it."""


class EventStoreTrackingRecorder(TrackingRecorder):
    """
    Keeps the positions of one follower, and the rows of its view. A view extends this class, and changes its rows
    with `update_rows`. Any number of threads may use it.
    """

    def __init__(self, client: Client, follower: str) -> None:
        """`follower` is the name of the view or application. It is also the type of the view's projections."""
        self.client = client
        self.follower = follower
        self._lock = threading.Lock()
        self._last_written: dict[str, StoredProjection] = {}

    def insert_tracking(self, tracking: Tracking) -> None:
        """Advances a position. Raises IntegrityError if it is not behind the new one."""
        self._write({}, tracking)

    def max_tracking_id(self, application_name: str) -> int | None:
        """The position in an application; None if no event of it has been processed."""
        found = self.client.projection(TRACKING, self._id_of(application_name))
        return None if found is None else int(found.payload)

    def row(self, key: str) -> Any:
        """The value of a row of the view; None if there is no such row."""
        found = self.client.projection(self.follower, key)
        return None if found is None else json.loads(found.payload)

    def update_rows(self, tracking: Tracking, changes: Changes) -> None:
        """
        Advances a position and changes rows, all or nothing. A function takes the value of its row, or None, and
        returns the new one, or None to delete the row. Values are those of JSON. When another process has changed
        a row in the meantime, the function is called again. Raises IntegrityError as `insert_tracking` does.
        """
        self._write({}, tracking, changes)

    def _write(self, request: dict[str, Any], tracking: Tracking, changes: Changes | None = None) -> list[int]:
        application, position = _parts(tracking)
        while True:
            projections = self._advance(application, position)
            (list_name,) = projections
            for key, change in (changes or {}).items():
                for name, items in self._changed(key, change).items():
                    projections.setdefault(name, []).extend(items)
            try:
                answer = self.client.post_write({**request, "projections": projections})
            except ProjectionConflict:
                self._forget(application)
                continue
            except Exception:
                self._forget(application)
                raise
            version = answer["projections"][list_name][0]["version"]
            with self._lock:
                self._last_written[application] = StoredProjection(str(position), version)
            return [event["sequence"] for event in answer["events"]]

    def _advance(self, application: str, position: int) -> dict[str, list[dict[str, Any]]]:
        """The change of the position's projection. Its own last write is known without asking the store."""
        id_ = self._id_of(application)
        with self._lock:
            found = self._last_written.get(application)
        if found is None:
            found = self.client.projection(TRACKING, id_)
        if found is not None and int(found.payload) >= position:
            raise IntegrityError(
                f"{self.follower!r} is at position {found.payload} of {application!r}: {position} is not ahead of it"
            )
        return replacing(TRACKING, id_, str(position), found)

    def _changed(self, key: str, change: Callable[[Any], Any]) -> dict[str, list[dict[str, Any]]]:
        found = self.client.projection(self.follower, key)
        value = change(None if found is None else json.loads(found.payload))
        payload = None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return replacing(self.follower, key, payload, found)

    def _forget(self, application: str) -> None:
        """Another process has moved the position, or the write may not have happened."""
        with self._lock:
            self._last_written.pop(application, None)

    def _id_of(self, application: str) -> str:
        return f"{self.follower}/{application}"


class EventStoreProcessRecorder(EventStoreTrackingRecorder, EventStoreApplicationRecorder, ProcessRecorder):
    """The recorder of an application that processes the events of others, and records what follows from them."""

    def __init__(self, client: Client, stream: EventStream, *, page_limit: int = PAGE_LIMIT) -> None:
        """`page_limit` must not exceed `maxEventsPerPage` of the server."""
        EventStoreTrackingRecorder.__init__(self, client, stream.name)
        EventStoreApplicationRecorder.__init__(self, client, stream, page_limit=page_limit)

    def _insert(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> list[int]:
        tracking: Tracking | None = kwargs.get("tracking")
        if tracking is None:
            return super()._insert(stored_events, **kwargs)
        return self._write(self._request_of(stored_events), tracking)


def _parts(tracking: Tracking) -> tuple[str, int]:
    """The name has another name in version 10."""
    names: Any = tracking
    name: str = names.application_name if hasattr(tracking, "application_name") else names.context_name
    return name, tracking.notification_id
