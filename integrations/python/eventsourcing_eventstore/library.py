"""The imports from the library, under their names in 9.5. Version 10 has other names for many of them."""

from dataclasses import fields

# They have the same names in 9.5 and in 10.
from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactory,
    Notification,
    ProcessRecorder,
    StoredEvent,
    Subscription,
    Tracking,
    TrackingRecorder,
)

from eventsourcing_eventstore.library_errors import (
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
)

try:
    from eventsourcing.dcb.api import (
        DCBAppendCondition,
        DCBEvent,
        DCBQuery,
        DCBQueryItem,
        DCBReadResponse,
        DCBRecorder,
        DCBSequencedEvent,
        DCBSubscription,
    )
    from eventsourcing.dcb.persistence import DCBInfrastructureFactory
    from eventsourcing.persistence import InfrastructureFactoryError
except ImportError:
    from eventsourcing.dcb.api import (  # type: ignore[attr-defined, no-redef]
        DcbAppendCondition as DCBAppendCondition,
        DcbEvent as DCBEvent,
        DcbQuery as DCBQuery,
        DcbQueryItem as DCBQueryItem,
        DcbReadResponse as DCBReadResponse,
        DcbRecorder as DCBRecorder,
        DcbSequencedEvent as DCBSequencedEvent,
        DcbSubscription as DCBSubscription,
    )
    from eventsourcing.dcb.persistence import (  # type: ignore[attr-defined, no-redef]
        DcbInfrastructureFactory as DCBInfrastructureFactory,
    )
    from eventsourcing.errors import (  # type: ignore[import-not-found, no-redef]
        InfrastructureFactoryError,
    )

EVENTS_HAVE_METADATA = "metadata" in {field.name for field in fields(DCBEvent)}
"""In 10 an event has a UUID and metadata; in 9.5 it has neither."""

__all__ = [
    "EVENTS_HAVE_METADATA",
    "AggregateRecorder",
    "ApplicationRecorder",
    "DCBAppendCondition",
    "DCBEvent",
    "DCBInfrastructureFactory",
    "DCBQuery",
    "DCBQueryItem",
    "DCBReadResponse",
    "DCBRecorder",
    "DCBSequencedEvent",
    "DCBSubscription",
    "DataError",
    "InfrastructureFactory",
    "InfrastructureFactoryError",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Notification",
    "OperationalError",
    "ProcessRecorder",
    "ProgrammingError",
    "StoredEvent",
    "Subscription",
    "Tracking",
    "TrackingRecorder",
]
