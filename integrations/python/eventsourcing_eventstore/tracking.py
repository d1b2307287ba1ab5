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
    OperationalError,
    ProcessRecorder,
    ProgrammingError,
    StoredEvent,
    Tracking,
    TrackingRecorder,
)
from eventsourcing_eventstore.mapping import FOLLOWED, POSITION
from eventsourcing_eventstore.stored_events import EventStream
from eventsourcing_eventstore.wire import StoredProjection, replacing

TRACKING = "_tracking/"
"""
The ID of a position is this and the application that is followed. Its type is the follower, as that of the rows. So
who deletes the type begins the view anew, and position and rows cannot be lost separately.
"""

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
        return self._position_in(application_name, self._projection_of(application_name))

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
                self._check_not_deleted(application, self._forget(application))
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
        with self._lock:
            found = self._last_written.get(application)
        if found is None:
            found = self._projection_of(application)
        current = self._position_in(application, found)
        if current is not None and current >= position:
            raise IntegrityError(
                f"{self.follower!r} is at position {current} of {application!r}: {position} is not ahead of it"
            )
        return replacing(self.follower, TRACKING + application, str(position), found)

    def _projection_of(self, application: str) -> StoredProjection | None:
        return self.client.projection(self.follower, TRACKING + application)

    def _position_in(self, application: str, found: StoredProjection | None) -> int | None:
        return None if found is None else int(found.payload)

    def _changed(self, key: str, change: Callable[[Any], Any]) -> dict[str, list[dict[str, Any]]]:
        if key.startswith(TRACKING):
            raise ProgrammingError(f"the key of a row cannot begin with {TRACKING}: {key!r}")
        found = self.client.projection(self.follower, key)
        value = change(None if found is None else json.loads(found.payload))
        payload = None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return replacing(self.follower, key, payload, found)

    def _forget(self, application: str) -> StoredProjection | None:
        """Another process has moved the position, or the write may not have happened. Returns the last one."""
        with self._lock:
            return self._last_written.pop(application, None)

    def _check_not_deleted(self, application: str, last: StoredProjection | None) -> None:
        """A follower that runs cannot go back. To continue would leave out what it has processed before."""
        if last is None:
            return
        current = self.max_tracking_id(application)
        if current is None or current < int(last.payload):
            raise OperationalError(
                f"the position of {self.follower!r} in {application!r} was deleted: restart it, to begin anew"
            )


class EventStoreProcessRecorder(EventStoreTrackingRecorder, EventStoreApplicationRecorder, ProcessRecorder):
    """
    The recorder of an application that processes the events of others, and records what follows from them. The events
    carry the position as well: after a restore, which brings back events only, none is recorded a second time.
    """

    def __init__(self, client: Client, stream: EventStream, *, page_limit: int = PAGE_LIMIT) -> None:
        """`page_limit` must not exceed `maxEventsPerPage` of the server."""
        EventStoreTrackingRecorder.__init__(self, client, stream.name)
        EventStoreApplicationRecorder.__init__(self, client, stream, page_limit=page_limit)

    def _insert(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> list[int]:
        tracking: Tracking | None = kwargs.get("tracking")
        if tracking is None:
            return super()._insert(stored_events, **kwargs)
        request = self._request_of(stored_events)
        if stored_events:
            application, position = _parts(tracking)
            request["events"][-1]["metadata"] |= {FOLLOWED: application, POSITION: str(position)}
        return self._write(request, tracking)

    def _position_in(self, application: str, found: StoredProjection | None) -> int | None:
        if found is not None:
            return super()._position_in(application, found)
        item = {**self.stream.query()[0], "metadata": [{"name": FOLLOWED, "value": application}]}
        lines = self.client.read_page({"query": [item], "backwards": True, "limit": 1}).lines
        return int(json.loads(lines[0])["metadata"][POSITION]) if lines else None


def _parts(tracking: Tracking) -> tuple[str, int]:
    """The name has another name in version 10."""
    names: Any = tracking
    name: str = names.application_name if hasattr(tracking, "application_name") else names.context_name
    return name, tracking.notification_id
