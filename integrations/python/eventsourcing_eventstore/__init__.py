"""The DCB recorder of the library eventsourcing, over the HTTP interface (edition A) of this event store."""

from eventsourcing_eventstore.client import Client
from eventsourcing_eventstore.errors import OutcomeUnknown, StoreChanged
from eventsourcing_eventstore.factory import EventStoreFactory
from eventsourcing_eventstore.recorder import EventStoreRecorder, EventStoreSubscription

# The library looks for the factory in a persistence module, so the module has only one.
__all__ = [
    "Client",
    "EventStoreFactory",
    "EventStoreRecorder",
    "EventStoreSubscription",
    "OutcomeUnknown",
    "StoreChanged",
]
