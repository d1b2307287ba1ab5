"""The plain client of the event store, without the library eventsourcing. README and client.md have examples."""

from eventsourcing_eventstore.async_store import AsyncEventStore
from eventsourcing_eventstore.consume.consuming import Consuming
from eventsourcing_eventstore.consume.handling import Effects, Handling, Notification
from eventsourcing_eventstore.errors import (
    Conflict,
    OutcomeUnknown,
    ProjectionConflict,
    StoreChanged,
    SubjectNotFound,
)
from eventsourcing_eventstore.library_errors import (
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from eventsourcing_eventstore.plain_types import (
    Condition,
    Event,
    Forgotten,
    NewEvent,
    NewProjection,
    Page,
    Position,
    Projection,
    Query,
    QueryItem,
    Tags,
    Written,
)
from eventsourcing_eventstore.store import EventStore, Following

__all__ = [
    "AsyncEventStore",
    "Condition",
    "Conflict",
    "Consuming",
    "DataError",
    "Effects",
    "Event",
    "EventStore",
    "Following",
    "Forgotten",
    "Handling",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NewEvent",
    "NewProjection",
    "Notification",
    "OperationalError",
    "OutcomeUnknown",
    "Page",
    "Position",
    "ProgrammingError",
    "Projection",
    "ProjectionConflict",
    "Query",
    "QueryItem",
    "StoreChanged",
    "SubjectNotFound",
    "Tags",
    "Written",
]
