"""Converts what the plain client takes and returns to and from the JSON of the server."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from eventsourcing_eventstore.library_errors import DataError, ProgrammingError
from eventsourcing_eventstore.plain_types import (
    Condition,
    Event,
    NewEvent,
    NewProjection,
    Position,
    Projection,
    Query,
    QueryItem,
    Tags,
)
from eventsourcing_eventstore.wire import EVERY_POSITION

PayloadFormat = Literal["json", "text"]


def items_of(query: Query) -> list[QueryItem] | None:
    """The items of a query; None for every event."""
    if isinstance(query, QueryItem):
        return [query]
    if isinstance(query, str):
        if query != "*":
            raise ProgrammingError(f'a query is "*", a QueryItem or several, not {query!r}')
        return None
    return list(query)


def query_to_json(query: Query) -> str | list[dict[str, Any]]:
    items = items_of(query)
    return "*" if items is None else [_item_to_json(item) for item in items]


def _item_to_json(item: QueryItem) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "types": list(item.types),
        "identifiers": _pairs_of(item.identifiers),
        "metadata": _pairs_of(item.metadata),
    }
    return {name: part for name, part in parts.items() if part}


def _pairs_of(tags: Tags) -> list[dict[str, str]]:
    return [
        {"name": name, "value": each}
        for name, value in tags.items()
        for each in ([value] if isinstance(value, str) else value)
    ]


def condition_to_json(condition: Condition, store_id: str | None) -> dict[str, Any]:
    wire: dict[str, Any] = {"failIfEventsMatch": query_to_json(condition.query)}
    if condition.after is not None:
        return {**wire, "afterSequence": condition.after.sequence, "store": condition.after.store_id}
    return wire if store_id is None else {**wire, "afterSequence": 0, "store": store_id}


def guard_of_store(store_id: str) -> dict[str, Any]:
    """A condition that fails in another store only."""
    return {"afterSequence": EVERY_POSITION, "store": store_id}


def event_to_json(event: NewEvent, payload_format: PayloadFormat) -> dict[str, Any]:
    return {
        "type": event.type,
        "identifiers": _values_of(event.identifiers),
        "metadata": _values_of(event.metadata),
        "payload": payload_to_text(event.payload, payload_format, f"the payload of {event.type}"),
    }


def _values_of(tags: Tags) -> dict[str, str | list[str]]:
    return {name: value if isinstance(value, str) else list(value) for name, value in tags.items()}


def event_of_line(line: bytes, payload_format: PayloadFormat) -> Event:
    stored = json.loads(line)
    name = f"event {stored['sequence']} of type {stored['type']}"
    forgotten = tuple(stored.get("forgotten", ()))
    is_none = bool(forgotten) and payload_format == "json"
    return Event(
        sequence=stored["sequence"],
        time=datetime.fromisoformat(stored["time"]),
        type=stored["type"],
        payload=None if is_none else payload_of_text(stored["payload"], payload_format, name),
        identifiers=stored["identifiers"],
        metadata=stored["metadata"],
        forgotten=forgotten,
    )


def payload_to_text(payload: Any, payload_format: PayloadFormat, name: str) -> str:
    """`name` is for the message of an error."""
    if payload_format == "text":
        if not isinstance(payload, str):
            raise DataError(f'{name} is not a string, but {type(payload).__name__}; the client has payload="text"')
        return payload
    try:
        return json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} cannot be JSON: {error}") from error


def payload_of_text(text: str, payload_format: PayloadFormat, name: str) -> Any:
    if payload_format == "text":
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(f'{name}: the payload is not JSON ({error}); read it with payload="text"') from error


def projections_to_json(
    projections: Sequence[NewProjection], deletes: Sequence[Projection], payload_format: PayloadFormat
) -> dict[str, list[dict[str, Any]]]:
    lists: dict[str, list[dict[str, Any]]] = {"create": [], "replace": [], "delete": []}
    for each in projections:
        name = f"the payload of projection {each.type}/{each.id}"
        wire = {"type": each.type, "id": each.id, "payload": payload_to_text(each.payload, payload_format, name)}
        lists[_list_of(each)].append(wire if each.version is None else {**wire, "version": each.version})
    for found in deletes:
        lists["delete"].append({"type": found.type, "id": found.id, "version": found.version})
    return {name: items for name, items in lists.items() if items}


def versions_of(projections: Sequence[NewProjection], answer: dict[str, Any]) -> list[str]:
    """The versions after a write, in the order of the projections."""
    lists = {name: iter(items) for name, items in answer.get("projections", {}).items()}
    return [next(lists[_list_of(each)])["version"] for each in projections]


def projection_at(
    detail: Mapping[str, Any], projections: Sequence[NewProjection], deletes: Sequence[Projection]
) -> NewProjection | Projection:
    """The projection that a conflict names by its list and its index in it."""
    index: int = detail["item"]
    if detail["list"] == "delete":
        return deletes[index]
    return [each for each in projections if _list_of(each) == detail["list"]][index]


def _list_of(projection: NewProjection) -> str:
    return "create" if projection.version is None else "replace"


def position_after(
    events: list[Event], has_more: bool, head: Position, after: int, before: int | None
) -> Position:
    """Up to where a page that was read forwards has every match."""
    if has_more:
        return Position(head.store_id, events[-1].sequence)
    end = head.sequence if before is None else min(head.sequence, before - 1)
    # A replica may be behind the position from which the page was read.
    return Position(head.store_id, max(end, after))
