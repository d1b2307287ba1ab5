"""
Converts the events of aggregates. Each has three identifiers: the application, the aggregate, and the version, which
occurs once for each aggregate. The README has the table.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from eventsourcing_eventstore.library import IntegrityError, InterfaceError, Notification, StoredEvent
from eventsourcing_eventstore.mapping import content_of, content_to_json
from eventsourcing_eventstore.names import PLAIN, Names
from eventsourcing_eventstore.wire import values_of

APPLICATION = "application"
AGGREGATE = "aggregate"
VERSION = "version"

_ITEMS_MAX = 100
"""Items of a query."""

IDType = Literal["uuid", "text"]


@dataclass(frozen=True)
class EventStream:
    """The events of all aggregates of one application, or with a purpose, such as its snapshots."""

    name: str
    id_type: IDType = "text"
    """With `uuid`, the IDs of notifications are UUIDs if they look like it, as before version 10."""
    names: Names = PLAIN

    def query(self, *, topics: Sequence[str] = (), **identifiers: object) -> list[dict[str, Any]]:
        item: dict[str, Any] = {"identifiers": _named({APPLICATION: self.name, **identifiers})}
        return [{**item, "types": [self.names.type_of(topic) for topic in topics]} if topics else item]

    def event_to_json(self, event: StoredEvent) -> dict[str, Any]:
        identifiers = {
            APPLICATION: self.name,
            AGGREGATE: str(event.originator_id),
            VERSION: str(event.originator_version),
        }
        return {
            "type": self.names.type_of(event.topic),
            "identifiers": identifiers,
            **content_to_json(event, event.state),
        }

    def conditions(self, events: Sequence[StoredEvent], store_id: str) -> list[dict[str, Any]]:
        """Conditions that fail if one of the versions exists. Raises IntegrityError if one occurs twice."""
        keys = [(str(event.originator_id), str(event.originator_version)) for event in events]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise IntegrityError(f"aggregate {twice[0]}: version {twice[1]} occurs twice in one call")
        items = [self.query(aggregate=id_, version=version)[0] for id_, version in keys]
        return [
            {"failIfEventsMatch": items[first : first + _ITEMS_MAX], "afterSequence": 0, "store": store_id}
            for first in range(0, len(items), _ITEMS_MAX)
        ]

    def notification_of_line(self, line: bytes, store_id: str) -> Notification:
        stored = json.loads(line)
        identifiers = stored["identifiers"]
        try:
            aggregate = values_of(identifiers[AGGREGATE])[0]
            version = int(values_of(identifiers[VERSION])[0])
        except (KeyError, ValueError):
            raise InterfaceError(
                f"event {stored['sequence']} of application {self.name!r} is not that of an aggregate: it needs the "
                f"identifier {AGGREGATE}, and a number as {VERSION}"
            ) from None
        data, more = content_of(stored, store_id)
        return Notification(
            originator_id=self._id_of(aggregate),  # type: ignore[arg-type, unused-ignore]
            originator_version=version,
            topic=self.names.topic_of(stored["type"]),
            state=data,
            id=stored["sequence"],
            **more,
        )

    def _id_of(self, text: str) -> UUID | str:
        if self.id_type == "uuid":
            try:
                return UUID(text)
            except ValueError:
                pass
        return text


def stored_event_of(notification: Notification, originator_id: Any) -> StoredEvent:
    """The event alone, with the ID as the caller gave it."""
    values = {**vars(notification), "originator_id": originator_id}
    del values["id"]
    return StoredEvent(**values)


def _named(identifiers: dict[str, object]) -> list[dict[str, str]]:
    return [{"name": name, "value": str(value)} for name, value in identifiers.items()]
