"""
The records of a consumer: projections of one type. The client for TypeScript has the same, so processes in both
languages can share a consumer.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from eventsourcing_eventstore.library_errors import ProgrammingError
from eventsourcing_eventstore.plain_types import (
    Condition,
    NewEvent,
    NewProjection,
    Page,
    Position,
    Projection,
    Query,
    Written,
)
from eventsourcing_eventstore.plain_wire import PayloadFormat

MAIN = "_consumer"
"""The ID of the record that the first start creates."""

NAMES = "consumers"
"""The type of projections whose IDs are the names of all consumers."""


class Store(Protocol):
    """The methods of `AsyncEventStore` that a consumer uses."""

    async def read(
        self, query: Query, *, after: Position | None = None, limit: int | None = None, wait_seconds: float = 0
    ) -> Page: ...

    async def append(
        self,
        events: NewEvent | list[NewEvent],
        conditions: Condition | list[Condition] = ...,
        *,
        projections: list[NewProjection] = ...,
        deletes: list[Projection] = ...,
    ) -> Written: ...

    async def projection(self, type_: str, id_: str) -> Projection | None: ...

    async def versions(self, type_: str) -> dict[str, str]: ...

    async def head(self) -> Position: ...


@dataclass(frozen=True)
class PartitionRecord:
    """The progress of a partition, and the process that owns it."""

    checkpoint: Position
    """All events of the partition up to here are done."""
    mark: str
    """Random: shows if a write whose answer was lost has happened."""
    done: tuple[int, ...] = ()
    """Sequences after the checkpoint that are done."""
    owner: str | None = None

    @property
    def last_done(self) -> int:
        return max((self.checkpoint.sequence, *self.done))

    def to_json(self) -> dict[str, Any]:
        checkpoint = {"storeId": self.checkpoint.store_id, "sequence": self.checkpoint.sequence}
        wire: dict[str, Any] = {"checkpoint": checkpoint, "done": list(self.done), "mark": self.mark}
        return wire if self.owner is None else {**wire, "owner": self.owner}

    @classmethod
    def of_json(cls, wire: dict[str, Any]) -> Self:
        at = wire["checkpoint"]
        return cls(Position(at["storeId"], at["sequence"]), wire["mark"], tuple(wire["done"]), wire.get("owner"))


@dataclass(frozen=True)
class Parked:
    """The record of a parked event: `key`, `error`, `attempts` and others, and `retry` if a person wants that."""

    value: dict[str, Any]
    version: str


@dataclass(frozen=True)
class Record:
    id: str
    value: dict[str, Any]
    version: str


def partition_id(index: int) -> str:
    return f"partition-{index}"


def member_id(member: str) -> str:
    return f"member-{member}"


def parked_id(index: int, sequence: int) -> str:
    return f"parked-{index}-{sequence}"


def member_of(id_: str) -> str | None:
    return id_.removeprefix("member-") if id_.startswith("member-") else None


def parked_of(id_: str) -> tuple[int, int] | None:
    """The partition and the sequence in the ID of a parked event."""
    found = re.fullmatch(r"parked-(\d+)-(\d+)", id_, re.ASCII)
    return (int(found[1]), int(found[2])) if found else None


class Records:
    """The records of one consumer."""

    def __init__(self, store: Store, name: str, payload_format: PayloadFormat) -> None:
        self.check_name(name)
        self.name = name
        self.type = f"consumer:{name}"
        self._store = store
        self._is_text = payload_format == "text"

    @staticmethod
    def check_name(name: str) -> None:
        """Raises ProgrammingError when a consumer cannot have this name."""
        if not isinstance(name, str) or not (name.isprintable() and 1 <= len(name) <= 200):
            raise ProgrammingError(f"a consumer's name has 1 to 200 printable characters, not {name!r}")

    async def read(self, id_: str) -> Record | None:
        found = await self._store.projection(self.type, id_)
        if found is None:
            return None
        value = json.loads(found.payload) if self._is_text else found.payload
        return Record(id_, value, found.version)

    async def versions(self) -> dict[str, str]:
        """The versions of all records by their IDs."""
        return await self._store.versions(self.type)

    def record(self, id_: str, value: dict[str, Any], version: str | None = None) -> NewProjection:
        """A record to create. With a version, one to replace."""
        payload = json.dumps(value, ensure_ascii=False) if self._is_text else value
        return NewProjection(self.type, id_, payload, version)

    def named(self) -> NewProjection:
        """The projection by which the consumer is found."""
        return replace(self.record(self.name, {}), type=NAMES)

    def gone(self, id_: str, version: str) -> Projection:
        """A record to delete."""
        return Projection(self.type, id_, None, version)
