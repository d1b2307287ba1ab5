"""What a consumer takes and returns: handlers, their effects, notifications."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from eventsourcing_eventstore.library_errors import ProgrammingError
from eventsourcing_eventstore.one_or_more import list_of
from eventsourcing_eventstore.plain_types import Condition, Event, NewEvent, NewProjection, Projection
from eventsourcing_eventstore.spans import TRACEPARENT


@dataclass(frozen=True)
class Effects:
    """Changes that are written together with the progress of the consumer, all or nothing."""

    events: NewEvent | Sequence[NewEvent] = ()
    conditions: Condition | Sequence[Condition] = ()
    """All of them must hold. After a conflict, the handler runs again, so that it reads again."""
    projections: Sequence[NewProjection] = ()
    deletes: Sequence[Projection] = ()


@dataclass(frozen=True)
class Handling:
    """Facts about the call of a handler."""

    key: str
    """
    Names this event in this consumer, the same on every attempt and in every process. Pass it to another system as
    its idempotency key: the handler may run more than once.
    """
    attempt: int
    """1 for the first attempt in this process. A conflict of the result does not count."""
    lost: Callable[[], bool]
    """True when another process may handle the event. Then the result of the handler is not written."""


Handled = NewEvent | Sequence[NewEvent] | Effects | None
"""The result of a handler: nothing, events to write, or effects."""

Handle = Callable[[Event, Handling], Handled]
AsyncHandle = Callable[[Event, Handling], Handled | Awaitable[Handled]]

By = str | Callable[[Event], str | None] | None
"""The name of an identifier, or a function. Events with the same value are handled in order."""

OnFailure = Literal["park", "park_key"]


@dataclass(frozen=True)
class Notification:
    """A message about the work of this process, for metrics and logs."""

    kind: Literal["handled", "failed", "parked", "partitions", "takeover", "progress"]
    """
    - handled: the effects of an event are durable
    - failed: the handler failed, or its result was rejected; it will be called again
    - parked: an event was parked; without `error` because an earlier one of its key is parked
    - partitions: this process handles other partitions than before
    - takeover: another process has stopped without an orderly end
    - progress: about every third of a lease
    """
    sequence: int | None = None
    attempt: int | None = None
    seconds: float | None = None
    """The time in the last call of the handler."""
    error: str | None = None
    partitions: tuple[int, ...] = ()
    member: str | None = None
    open: int | None = None
    """Events that this process has read and not yet completed."""


OnNotification = Callable[[Notification], None]


def effects_of(handled: Handled) -> Effects:
    """Raises ProgrammingError when a handler has returned anything else."""
    if handled is None:
        return Effects()
    if isinstance(handled, Effects):
        return handled
    if isinstance(handled, NewEvent):
        return Effects([handled])
    if isinstance(handled, Sequence) and all(isinstance(each, NewEvent) for each in handled):
        return Effects(list(handled))
    raise ProgrammingError(f"the handler must return None, a NewEvent, several or Effects, not {handled!r:.100}")


def in_trace(effects: Effects, traceparent: str | None) -> Effects:
    """The effects, whose events carry this as metadata unless they have such an entry."""
    if traceparent is None:
        return effects
    events = list_of(effects.events)
    traced = [replace(each, metadata={TRACEPARENT: traceparent, **each.metadata}) for each in events]
    return replace(effects, events=traced)
