"""
The operations of the plain client, without I/O. Each is a generator: it yields requests, or seconds to wait, gets
answers, and returns its result. `store.py` runs them with threads in mind, `async_store.py` with asyncio.
"""

import json
import random
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar
from uuid import uuid4

from eventsourcing_eventstore.attempts import Request
from eventsourcing_eventstore.connection import Answer
from eventsourcing_eventstore.errors import Conflict, OutcomeUnknown, ProjectionConflict, StoreChanged
from eventsourcing_eventstore.identity import StoreIdentity, check_reached
from eventsourcing_eventstore.library_errors import InterfaceError
from eventsourcing_eventstore.one_or_more import list_of
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
    Written,
)
from eventsourcing_eventstore.plain_wire import (
    PayloadFormat,
    condition_to_json,
    event_of_line,
    event_to_json,
    guard_of_store,
    items_of,
    payload_of_text,
    position_after,
    projection_at,
    projections_to_json,
    query_to_json,
    versions_of,
)
from eventsourcing_eventstore.wire import projection_path

_T = TypeVar("_T")

Steps = Generator[Request | float, Answer, _T]
"""Yields a request, and gets its answer or the error, or seconds to wait."""

Handler = Callable[[Sequence[Event]], NewEvent | Sequence[NewEvent] | None]
"""Decides: takes the events of a query, and returns the events to write, if any."""

_DECISION = "decisionId"
"""The metadata by which a decision finds its own events after a lost answer."""

_PAUSE_SECONDS = 0.01
_LONGEST_PAUSE_SECONDS = 1.0


class Operations:
    def __init__(self, identity: StoreIdentity, payload_format: PayloadFormat) -> None:
        self._identity = identity
        self._format = payload_format

    @property
    def payload_format(self) -> PayloadFormat:
        return self._format

    def read(
        self,
        query: Query,
        *,
        after: Position | None = None,
        before: Position | None = None,
        backwards: bool = False,
        limit: int | None = None,
        wait_seconds: float = 0,
        head_at_least: int | None = None,
    ) -> Steps[Page]:
        request: dict[str, object] = {"query": query_to_json(query)}
        for name, value in (
            ("afterSequence", self._sequence_of(after)),
            ("beforeSequence", self._sequence_of(before)),
            ("limit", limit),
            ("backwards", backwards or None),
            ("waitSeconds", wait_seconds or None),
            ("headAtLeast", head_at_least),
        ):
            if value is not None:
                request[name] = value
        answer = yield Request.page(request)
        head = self._head_of(answer)
        if after is not None:
            check_reached(after.sequence, head.sequence)
        *lines, trailer = answer.body.splitlines()
        events = [event_of_line(line, self._format) for line in lines]
        has_more: bool = json.loads(trailer)["hasMore"]
        if backwards:
            return Page(events, has_more, head, None)
        position = position_after(
            events, has_more, head, self._sequence_of(after) or 0, self._sequence_of(before)
        )
        return Page(events, has_more, head, position)

    def head(self) -> Steps[Position]:
        # A page that ends before the first event is empty, and needs no search.
        answer = yield Request.page({"query": "*", "beforeSequence": 1})
        return self._head_of(answer)

    def append(
        self,
        events: NewEvent | Sequence[NewEvent],
        conditions: Condition | Sequence[Condition] = (),
        projections: Sequence[NewProjection] = (),
        deletes: Sequence[Projection] = (),
    ) -> Steps[Written]:
        events = list_of(events)
        wire = [condition_to_json(each, self._identity.known) for each in list_of(conditions)]
        if not wire and self._identity.known is not None:
            wire = [guard_of_store(self._identity.known)]
        request: dict[str, object] = {"events": [event_to_json(each, self._format) for each in events]}
        if wire:
            request["conditions"] = wire
        if changes := projections_to_json(projections, deletes, self._format):
            request["projections"] = changes
        try:
            answer = yield Request.write(request)
        except ProjectionConflict as conflict:
            conflict.projection = projection_at(conflict.detail, projections, deletes)
            raise
        store_id = self._checked(answer)
        written = json.loads(answer.body)
        sequences = [each["sequence"] for each in written["events"]]
        position = Position(store_id, sequences[-1]) if sequences else None
        return Written(sequences, position, versions_of(projections, written))

    def decide(self, query: Query, handler: Handler, attempts: int) -> Steps[Written | None]:
        marker = uuid4().hex
        items = items_of(query)
        guarded: Query = "*" if items is None else [*items, QueryItem(metadata={_DECISION: marker})]
        known: list[Event] = []
        position = yield from self._read_on(query, None, known)
        decided: list[NewEvent] | None = None
        for attempt in range(attempts):
            if decided is None:
                decided = [_marked(each, marker) for each in list_of(handler(known) or [])]
            if not decided:
                return None
            at_least: int | None = None
            try:
                return (yield from self.append(decided, Condition(guarded, position)))
            except (Conflict, OutcomeUnknown) as error:
                if attempt == attempts - 1:
                    raise
                if isinstance(error, Conflict):
                    at_least = error.sequence
            pause = min(_PAUSE_SECONDS * 2**attempt, _LONGEST_PAUSE_SECONDS)
            yield random.uniform(0.5, 1) * pause
            found: list[Event] = []
            position = yield from self._read_on(guarded, position, found, at_least)
            own = [each.sequence for each in found if each.metadata.get(_DECISION) == marker]
            if own:
                return Written(own, Position(position.store_id, own[-1]), [])
            if found:
                # A write whose answer was lost can no longer succeed: its condition does not hold.
                known += found
                decided = None
        raise AssertionError("attempts must be positive")

    def _read_on(
        self, query: Query, after: Position | None, events: list[Event], head_at_least: int | None = None
    ) -> Steps[Position]:
        """Adds all further events; returns up to where."""
        while True:
            page = yield from self.read(query, after=after, head_at_least=head_at_least)
            assert page.position is not None
            events += page.events
            after = page.position
            if not page.has_more:
                return after

    def forget(self, name: str, value: str, events: NewEvent | Sequence[NewEvent]) -> Steps[Forgotten]:
        wire = [event_to_json(each, self._format) for each in list_of(events)]
        answer = yield Request.forget({"identifier": {"name": name, "value": value}, "events": wire})
        self._checked(answer)
        done = json.loads(answer.body)
        return Forgotten(done["forgotten"], [each["sequence"] for each in done["events"]])

    def projection(self, type_: str, id_: str) -> Steps[Projection | None]:
        answer = yield Request.get(projection_path(type_, id_))
        self._checked(answer)
        if answer.version is None:
            return None
        name = f"projection {type_}/{id_}"
        payload = payload_of_text(answer.body.decode(), self._format, name)
        return Projection(type_, id_, payload, answer.version)

    def versions(self, type_: str) -> Steps[dict[str, str]]:
        versions: dict[str, str] = {}
        after: str | None = None
        while True:
            answer = yield Request.projections(type_, after)
            self._checked(answer)
            *lines, trailer = answer.body.splitlines()
            versions |= {each["id"]: each["version"] for each in map(json.loads, lines)}
            if not json.loads(trailer)["hasMore"]:
                return versions
            after = next(reversed(versions))

    def _checked(self, answer: Answer) -> str:
        if answer.store is None:
            raise InterfaceError("no X-Service-Store: another server, or an old one")
        self._identity.check(answer.store)
        return answer.store

    def _head_of(self, answer: Answer) -> Position:
        store_id = self._checked(answer)
        if answer.head is None:
            raise InterfaceError("no X-Service-Head: another server, or an old one")
        return Position(store_id, int(answer.head))

    def _sequence_of(self, position: Position | None) -> int | None:
        if position is None:
            return None
        known = self._identity.known
        if known is not None and position.store_id != known:
            raise StoreChanged(f"the position is one of store {position.store_id}, and this is {known}")
        # The answer shows if this is the store.
        self._identity.check(position.store_id)
        return position.sequence


def _marked(event: NewEvent, marker: str) -> NewEvent:
    return NewEvent(event.type, event.payload, event.identifiers, {**event.metadata, _DECISION: marker})
