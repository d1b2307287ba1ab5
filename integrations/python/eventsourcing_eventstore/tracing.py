"""Chooses the spans of a client. OpenTelemetry belongs to the application, and is loaded only for one that uses it."""

from typing import TYPE_CHECKING

from eventsourcing_eventstore.connection import Address
from eventsourcing_eventstore.spans import Spans

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider


def spans_of(provider: "TracerProvider | None", address: Address) -> Spans:
    """With the provider of an application that records them. Raises ProgrammingError when it is something else."""
    if provider is None:
        return Spans()
    from eventsourcing_eventstore.recorded_spans import RecordedSpans

    return RecordedSpans(provider, address)
