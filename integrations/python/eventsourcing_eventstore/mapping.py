"""
Converts events, queries and conditions of the library to those of the store. The README has the table.

Tags become identifiers with one name. UTF-8 data becomes the payload unchanged, so that other programs can read
it. Other data becomes base64, and a metadata entry says so. Events of version 10 or later of the library have a
UUID and metadata, which become metadata.
"""

import base64
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

TAG = "tag"
"""The name of the identifiers that hold the tags."""

ENCODING = "eventsourcing-encoding"
UUID_NAME = "eventsourcing-uuid"

_EVERY_POSITION = 2**53 - 1
"""Behind the last event of any store."""


def event_to_json(event: DCBEvent) -> dict[str, Any]:
    """An event of `POST /write`. A repeated tag counts once."""
    payload, encoding = _payload_of(event.data)
    tags = list(dict.fromkeys(event.tags))
    return {
        "type": event.type,
        "identifiers": {TAG: tags} if tags else {},
        "metadata": {**_metadata_of(event), **encoding},
        "payload": payload,
    }


def event_of_line(line: bytes, store_id: str) -> DCBSequencedEvent:
    """An event of a page. Identifiers with other names are omitted; only other programs write them."""
    stored = json.loads(line)
    metadata: dict[str, str | list[str]] = stored["metadata"]
    encoding = metadata.pop(ENCODING, None)
    payload: str = stored["payload"]
    more: dict[str, Any] = {}
    if EVENTS_HAVE_METADATA:
        more["uuid"] = _uuid_of(metadata.pop(UUID_NAME, None), store_id, stored["sequence"])
        more["metadata"] = {name: _first(value) for name, value in metadata.items()}
    return DCBSequencedEvent(
        event=DCBEvent(
            type=stored["type"],
            data=base64.b64decode(payload) if encoding == "base64" else payload.encode(),
            tags=_list(stored["identifiers"].get(TAG, [])),
            **more,
        ),
        position=stored["sequence"],
    )


def position_of_line(line: bytes) -> int:
    """The position of an event of a page."""
    position: int = json.loads(line)["sequence"]
    return position


def query_to_json(query: DCBQuery | None) -> str | list[dict[str, Any]]:
    """A query. Without items, or with an empty item, it matches every event."""
    items = [] if query is None else [_item_to_json(item) for item in query.items]
    return items if items and all(items) else "*"


def condition_to_json(condition: DCBAppendCondition | None, store_id: str) -> dict[str, Any]:
    """A condition of `POST /write`. Each holds in one store only. Even an append without a condition gets one."""
    if condition is None:
        return {"afterSequence": _EVERY_POSITION, "store": store_id}
    return {
        "failIfEventsMatch": query_to_json(condition.fail_if_events_match),
        "afterSequence": condition.after or 0,
        "store": store_id,
    }


def _item_to_json(item: DCBQueryItem) -> dict[str, Any]:
    types = {"types": list(item.types)} if item.types else {}
    tags = {"identifiers": [{"name": TAG, "value": tag} for tag in item.tags]} if item.tags else {}
    return {**types, **tags}


def _payload_of(data: bytes) -> tuple[str, dict[str, str]]:
    try:
        return data.decode(), {}
    except UnicodeDecodeError:
        return base64.b64encode(data).decode(), {ENCODING: "base64"}


def _metadata_of(event: Any) -> dict[str, str]:
    if not EVENTS_HAVE_METADATA:
        return {}
    if UUID_NAME in event.metadata or ENCODING in event.metadata:
        raise ProgrammingError(f"metadata of an event cannot be named {UUID_NAME} or {ENCODING}")
    return {**event.metadata, UUID_NAME: str(event.uuid)}


def _uuid_of(stored: str | list[str] | None, store_id: str, position: int) -> UUID:
    """An event of another program has no UUID. It gets one that is the same for every read."""
    return uuid5(UUID(store_id), str(position)) if stored is None else UUID(_first(stored))


def _list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _first(value: str | list[str]) -> str:
    return _list(value)[0]
