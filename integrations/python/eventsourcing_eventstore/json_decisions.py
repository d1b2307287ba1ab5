"""Decisions as JSON objects with their fields, as programs in other languages write them. It needs msgspec."""

from typing import Any

import msgspec

from eventsourcing_eventstore.library import DataError


def encode(decision: object, type_: str) -> bytes:
    """`type_` is for the message of an error."""
    try:
        return msgspec.json.encode(decision)
    except (TypeError, ValueError) as error:
        raise DataError(f"{type_} cannot be stored as JSON: {error}") from error


def decode(data: bytes, decision_class: Any, type_: str) -> Any:
    """Ignores unknown fields. `null` counts as an object without fields."""
    try:
        return msgspec.json.decode(b"{}" if data == b"null" else data, type=decision_class)
    except msgspec.DecodeError as error:
        raise DataError(f"the payload of an event is not a {type_}: {error}") from error
