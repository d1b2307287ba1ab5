"""
Converts events, queries and conditions of the library to those of the store. The README has the table.

Tags become identifiers (`names.py`). UTF-8 data becomes the payload unchanged, so that other programs can read
it. Other data becomes base64, and a metadata entry says so. Events of version 10 or later of the library have a
UUID and metadata, which become metadata.
"""

import json
from typing import Any
from uuid import UUID, uuid5

from eventsourcing_eventstore.library import (
    EVENTS_HAVE_METADATA,
    DCBAppendCondition,
    DCBEvent,
    DCBQuery,
    DCBQueryItem,
    DCBSequencedEvent,
    ProgrammingError,
)
from eventsourcing_eventstore.names import PLAIN, Names
from eventsourcing_eventstore.wire import (
    ENCODING,
    EVERY_POSITION,
    data_of,
    payload_of,
    texts_in,
    values_of,
)

UUID_NAME = "eventsourcing-uuid"

FOLLOWED = "eventsourcing-followed"
POSITION = "eventsourcing-position"
"""On an event that follows from that of another application: its name, and the position there."""

_RESERVED = (UUID_NAME, ENCODING, FOLLOWED, POSITION)


def event_to_json(event: DCBEvent, names: Names = PLAIN) -> dict[str, Any]:
    """An event of `POST /write`. A repeated tag counts once."""
    return {
        "type": names.type_of(event.type),
        "identifiers": names.identifiers_of(event.tags),
        **content_to_json(event, event.data),
    }


def event_of_line(line: bytes, store_id: str, names: Names = PLAIN) -> DCBSequencedEvent:
    """An event of a page."""
    stored = json.loads(line)
    data, more = content_of(stored, store_id)
    return DCBSequencedEvent(
        event=DCBEvent(
            type=names.topic_of(stored["type"]),
            data=data,
            tags=names.tags_of(stored["identifiers"]),
            **more,
        ),
        position=stored["sequence"],
    )


def content_to_json(event: Any, data: bytes) -> dict[str, Any]:
    """Payload and metadata of an event of any kind. In version 10, it has a UUID and metadata."""
    payload, encoding = payload_of(data)
    return {"metadata": {**_metadata_of(event), **encoding}, "payload": payload}


def content_of(stored: dict[str, Any], store_id: str) -> tuple[bytes, dict[str, Any]]:
    """The data of a stored event, and in version 10 the arguments `uuid` and `metadata`."""
    metadata: dict[str, str | list[str]] = stored["metadata"]
    data = data_of(stored["payload"], metadata.get(ENCODING))
    if not EVENTS_HAVE_METADATA:
        return data, {}
    uuid = _uuid_of(metadata.get(UUID_NAME), store_id, stored["sequence"])
    own = {name: values_of(value)[0] for name, value in metadata.items() if name not in _RESERVED}
    return data, {"uuid": uuid, "metadata": own}


def query_to_json(query: DCBQuery | None, names: Names = PLAIN) -> str | list[dict[str, Any]]:
    """A query. Without items, or with an empty item, it matches every event."""
    items = [] if query is None else [_item_to_json(item, names) for item in query.items]
    return items if items and all(items) else "*"


def condition_to_json(
    condition: DCBAppendCondition | None, store_id: str, names: Names = PLAIN
) -> dict[str, Any]:
    """A condition of `POST /write`. Each holds in one store only. Even an append without a condition gets one."""
    if condition is None:
        return {"afterSequence": EVERY_POSITION, "store": store_id}
    return {
        "failIfEventsMatch": query_to_json(condition.fail_if_events_match, names),
        "afterSequence": condition.after or 0,
        "store": store_id,
    }


def _item_to_json(item: DCBQueryItem, names: Names) -> dict[str, Any]:
    types = [names.type_of(topic) for topic in texts_in(item.types, "types")]
    tags = map(names.identifier_of, texts_in(item.tags, "tags"))
    identifiers = [{"name": name, "value": value} for name, value in tags]
    return {**({"types": types} if types else {}), **({"identifiers": identifiers} if identifiers else {})}


def _metadata_of(event: Any) -> dict[str, str]:
    if not EVENTS_HAVE_METADATA:
        return {}
    for name in _RESERVED:
        if name in event.metadata:
            raise ProgrammingError(f"metadata of an event cannot be named {name}: the adapter uses it")
    return {**event.metadata, UUID_NAME: str(event.uuid)}


def _uuid_of(stored: str | list[str] | None, store_id: str, position: int) -> UUID:
    """An event of another program has no UUID. It gets one that is the same for every read."""
    return uuid5(UUID(store_id), str(position)) if stored is None else UUID(values_of(stored)[0])
