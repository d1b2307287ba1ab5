"""Spans of requests and handlers, also of those that are not recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from eventsourcing_eventstore.attempts import Request
from eventsourcing_eventstore.connection import Address, Answer
from eventsourcing_eventstore.plain_types import Event

TRACEPARENT = "traceparent"
"""The metadata entry, and the header, that names the span in which an event was written (W3C Trace Context)."""


@dataclass
class Sending:
    """One attempt to send a request."""

    request: Request
    headers: dict[str, str]
    answer: Answer | None = None
    """Set it, so that the span knows the outcome."""


class Spans:
    """The spans of an application that records none."""

    @contextmanager
    def sending(self, request: Request, headers: dict[str, str]) -> Iterator[Sending]:
        """A span for an attempt. Yields the request and the headers to send in it."""
        yield Sending(request, headers)

    @contextmanager
    def processing(self, consumer: str, event: Event) -> Iterator[str | None]:
        """A span for a handler. Yields the metadata entry `traceparent` of the events that it writes."""
        yield None
