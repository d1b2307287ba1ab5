"""What the plain client takes and returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from eventsourcing_eventstore.wire import texts_in

Tags = Mapping[str, str | Sequence[str]]
"""Names with values: `{"course": "c1", "student": ["s1", "s2"]}`."""


@dataclass(frozen=True)
class NewEvent:
    """An event to write. The server adds `sequence` and `time`."""

    type: str
    payload: Any = None
    """A value that becomes JSON. With `payload="text"` of the client, a string that is stored unchanged."""
    identifiers: Tags = field(default_factory=dict)
    metadata: Tags = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """An event from the store."""

    sequence: int
    time: datetime
    type: str
    payload: Any
    identifiers: Mapping[str, str | list[str]]
    """A name with one value has a string, any other a list."""
    metadata: Mapping[str, str | list[str]]
    forgotten: tuple[str, ...] = ()
    """
    The names of the identifiers of persons who were forgotten, and with them the payload. It is None then, and with
    `payload="text"` an empty string.
    """


@dataclass(frozen=True)
class QueryItem:
    """Selects events that match everything given. What is empty does not filter."""

    types: Sequence[str] = ()
    identifiers: Tags = field(default_factory=dict)
    metadata: Tags = field(default_factory=dict)

    def __post_init__(self) -> None:
        texts_in(self.types, "types")


Query = Literal["*"] | QueryItem | Sequence[QueryItem]
"""Every event, or those that match one item, or any of several."""


@dataclass(frozen=True)
class Position:
    """After the event with this sequence; 0 is the beginning. It is valid in one store: save both parts."""

    store_id: str
    sequence: int


@dataclass(frozen=True)
class Condition:
    """A write happens only if no event matches the query. With `after`, only later events count."""

    query: Query
    after: Position | None = None


@dataclass(frozen=True)
class Page:
    """A page of events, in the order of the read."""

    events: list[Event]
    has_more: bool
    """True if more events match, in the direction of the read."""
    head: Position
    """The end of the store when the page was begun."""
    position: Position | None
    """No event that matches is missing up to here: continue from it, or save it. None for a page read backwards."""


@dataclass(frozen=True)
class NewProjection:
    """A projection to create. With the version of one that exists, the write replaces that."""

    type: str
    id: str
    payload: Any
    version: str | None = None


@dataclass(frozen=True)
class Projection:
    """A projection from the store."""

    type: str
    id: str
    payload: Any
    version: str


@dataclass(frozen=True)
class Written:
    """What a write has added."""

    sequences: list[int]
    position: Position | None
    """After the last event; None if the write had none."""
    versions: list[str]
    """The versions of the projections, in the order given."""


@dataclass(frozen=True)
class Forgotten:
    """What the forgetting of a person has done."""

    forgotten: Literal["now", "before"]
    """`before` if the person was forgotten before, and no event was written about them since."""
    sequences: list[int]
    """Those of the events that were written."""
