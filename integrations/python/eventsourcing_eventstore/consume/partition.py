"""A partition that this process owns, with its events that are not yet done."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from eventsourcing_eventstore.consume.pauses import Wake
from eventsourcing_eventstore.consume.records import Parked, PartitionRecord
from eventsourcing_eventstore.plain_types import Condition, Event, NewEvent, NewProjection, Projection


@dataclass(eq=False)
class Item:
    """An event, until its effects are committed."""

    event: Event
    key: str
    parked: Parked | None = None
    """The record of a parked event that is handled again."""
    failures: int = 0
    conflicts: int = 0
    seconds: float = 0
    """The time in the last call of the handler."""


@dataclass(frozen=True)
class Output:
    """The result of handling an event, in the form in which it is written."""

    events: Sequence[NewEvent] = ()
    conditions: Sequence[Condition] = ()
    projections: Sequence[NewProjection] = ()
    deletes: Sequence[Projection] = ()
    parked: dict[str, Any] | None = None
    """The record, if the event is parked instead. It is the only projection."""


@dataclass(eq=False)
class Finished:
    """An event whose output waits for a write."""

    item: Item
    output: Output
    outcome: "asyncio.Future[Exception | None]"
    """None when the output is durable, otherwise the error."""

    def __post_init__(self) -> None:
        changed: list[NewProjection | Projection] = [*self.output.projections, *self.output.deletes]
        self.changed = {(each.type, each.id) for each in changed}
        """The projections that it changes."""

    def end(self, outcome: Exception | None) -> None:
        """Sets the outcome, unless there is one. A task that was cancelled waits no longer."""
        if not self.outcome.done():
            self.outcome.set_result(outcome)


@dataclass(eq=False)
class Partition:
    index: int
    record: PartitionRecord
    """As it was written last."""
    version: str
    received: int
    """All events of the partition up to here are known."""
    open: dict[int, Item] = field(default_factory=dict)
    """Events of the stream that are not yet committed, by sequence, in order."""
    lanes: dict[str, deque[Item]] = field(default_factory=dict)
    """Events by key, in order. Only the first one of a key is handled."""
    finished: list[Finished] = field(default_factory=list)
    """Handled events that wait for a write, in order."""
    parked: dict[int, Parked] = field(default_factory=dict)
    in_work: int = 0
    """Events whose handlers run, or whose effects are written."""
    committing: asyncio.Lock = field(default_factory=asyncio.Lock)
    handlers: "set[asyncio.Future[Any]]" = field(default_factory=set)
    is_closing: bool = False
    """True when no further handler may start."""
    is_lost: bool = False
    """True when another process may own the partition."""
    changed: Wake = field(default_factory=Wake)

    def __post_init__(self) -> None:
        self._done = frozenset(self.record.done)

    @property
    def up_to(self) -> int:
        """All events up to this sequence are done."""
        return next(iter(self.open), self.received + 1) - 1

    def knows(self, sequence: int) -> bool:
        """True if the event was received, or completed by an earlier owner."""
        return sequence <= self.received or sequence in self._done

    def has_parked_before(self, key: str, sequence: int) -> bool:
        """True if an earlier event of the key is parked."""
        return any(one.value["key"] == key and parked < sequence for parked, one in self.parked.items())

    def close(self) -> None:
        """Lets no further handler start."""
        self.is_closing = True
        self.changed.wake()

    def lose(self) -> None:
        """Ends everything: another process may own the partition."""
        self.is_lost = True
        for handler in self.handlers:
            handler.cancel()
        self.close()
