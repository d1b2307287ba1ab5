"""Reads the events of all partitions that this process owns, and hands them to the work."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from eventsourcing_eventstore.consume.assignment import partition_of
from eventsourcing_eventstore.consume.commit import Lost, write_progress
from eventsourcing_eventstore.consume.partition import Item, Partition
from eventsourcing_eventstore.consume.pauses import Wake, jitter, surely
from eventsourcing_eventstore.consume.session import Session
from eventsourcing_eventstore.consume.work import Work
from eventsourcing_eventstore.errors import Conflict
from eventsourcing_eventstore.library_errors import ProgrammingError
from eventsourcing_eventstore.plain_types import Event, Position

_OPEN_MAX = 1000
"""The most events that a process has read and not completed, before it reads more."""

_PAGE_EVENTS_MAX = 250

_WAIT_SECONDS = 5
"""So that the progress that others see moves, although no event matches."""

_SEQUENCES_MAX = 10_000
"""The progress is written at the latest after so many events that do not match."""

_SOME_FAILURES = 5


class Stream:
    def __init__(self, session: Session, work: Work) -> None:
        self._session = session
        self._work = work
        self._restarted = Wake()
        self._run: asyncio.Task[None] | None = None

    def restart(self) -> None:
        """Begins to read again, after the process has got other partitions."""
        if self._run is not None:
            self._run.cancel()
        self._restarted.wake()

    async def read(self) -> None:
        """Reads until it is cancelled."""
        while True:
            # Partitions that come later join with the next run, since this one may be ahead of them.
            partitions = {index: each for index, each in self._session.owned.items() if not each.is_closing}
            if not partitions:
                await self._restarted.wait()
                continue
            self._run = asyncio.create_task(self._read(partitions))
            try:
                await asyncio.wait({self._run})
            finally:
                self._run.cancel()
            if not self._run.cancelled():
                self._run.result()

    async def _read(self, partitions: Mapping[int, Partition]) -> None:
        session = self._session
        first = next(iter(partitions.values()))
        received = min(each.received for each in partitions.values())
        position = replace(first.record.checkpoint, sequence=received)
        wait = 0
        while True:
            begun_at = time.monotonic()
            read = partial(session.store.read, after=position, limit=_PAGE_EVENTS_MAX, wait_seconds=wait)
            page = await surely(partial(read, session.options.query))
            before, position = position, _position_of(page.position)
            for event in page.events:
                self._take(event, partitions)
            for partition in partitions.values():
                self._reached(partition, position.sequence)
            while sum(len(each.open) for each in session.owned.values()) >= _OPEN_MAX:
                await session.changed.wait()
            # The server did not wait to the end: it stops, or knows that no such event can come.
            if position == before and time.monotonic() - begun_at < 0.9 * wait:
                await asyncio.sleep(jitter(_SOME_FAILURES))
            wait = _WAIT_SECONDS

    def _take(self, event: Event, partitions: Mapping[int, Partition]) -> None:
        key = key_of(self._session, event)
        partition = partitions.get(partition_of(key, self._session.main.value["partitions"]))
        if partition is None or partition.is_closing or partition.knows(event.sequence):
            return
        item = Item(event, key)
        partition.open[event.sequence] = item
        self._work.add(partition, item)

    def _reached(self, partition: Partition, sequence: int) -> None:
        if partition.is_closing or sequence <= partition.received:
            return
        partition.received = sequence
        if not partition.open and sequence - partition.record.checkpoint.sequence >= _SEQUENCES_MAX:
            self._session.start(self._write_progress(partition))

    async def _write_progress(self, partition: Partition) -> None:
        async with partition.committing:
            try:
                await write_progress(self._session, partition, self._session.member)
            except (Conflict, Lost):
                pass  # The next look at the records shows who owns it.


def key_of(session: Session, event: Event) -> str:
    """The value by which an event is in order. Raises ProgrammingError when there are several."""
    by = session.options.by
    value = by(event) if callable(by) else None if by is None else event.identifiers.get(by)
    if value is None or isinstance(value, str):
        return value or ""
    if callable(by):
        fault = f"by returns {value!r} for event {event.sequence}: a string or None is expected"
    else:
        fault = f'event {event.sequence} has several values of "{by}": let by be a function that chooses one'
    raise ProgrammingError(f'consumer "{session.records.name}": {fault}')


def _position_of(position: Position | None) -> Position:
    assert position is not None, "a page that is read forwards has a position"
    return position
