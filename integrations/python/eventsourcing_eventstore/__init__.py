"""
The recorders of the library eventsourcing, over the HTTP interface (edition A) of this event store. The plain client is
in `eventsourcing_eventstore.plain`, and needs no library.
"""

from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.errors import OutcomeUnknown, StoreChanged

try:
    from eventsourcing_eventstore.aggregates import EventStoreAggregateRecorder, EventStoreApplicationRecorder
    from eventsourcing_eventstore.factory import EventStoreFactory
    from eventsourcing_eventstore.recorder import EventStoreRecorder, EventStoreSubscription
    from eventsourcing_eventstore.tracking import EventStoreProcessRecorder, EventStoreTrackingRecorder
except ModuleNotFoundError as missing:
    if missing.name != "eventsourcing":
        raise

# The library looks for the factory in a persistence module, so the module has only one.
__all__ = [
    "Client",
    "EventStoreAggregateRecorder",
    "EventStoreApplicationRecorder",
    "EventStoreFactory",
    "EventStoreProcessRecorder",
    "EventStoreRecorder",
    "EventStoreSubscription",
    "EventStoreTrackingRecorder",
    "OutcomeUnknown",
    "StoreChanged",
]
