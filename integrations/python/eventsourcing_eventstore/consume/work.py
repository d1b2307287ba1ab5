"""Calls the handler: one event of a key at a time, several keys in parallel."""

import asyncio
import time
from collections import deque

from eventsourcing_eventstore.consume.commit import Lost, Rejected, commit, is_parked_as_before
from eventsourcing_eventstore.consume.handling import Handling, Notification
from eventsourcing_eventstore.consume.output import output_of, parked_output, text_of
from eventsourcing_eventstore.consume.partition import Item, Output, Partition
from eventsourcing_eventstore.consume.pauses import jitter
from eventsourcing_eventstore.consume.session import Session
from eventsourcing_eventstore.errors import Conflict

_DONE_MAX = 1000
"""The most sequences in the record of a partition, whose size is limited."""

_FAILURES_BEFORE = 4
"""So that the first pause is a third of a second on average, and the longest a second."""

_CONFLICTS_MAX = 10
"""After so many conflicts the attempt has failed."""


class Work:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._slots = asyncio.Semaphore(session.options.concurrency)

    def add(self, partition: Partition, item: Item) -> None:
        """Adds an event behind the others of its key."""
        lane = partition.lanes.get(item.key)
        if lane is not None:
            lane.append(item)
            return
        partition.lanes[item.key] = lane = deque([item])
        self._session.start(self._handle_in_order(partition, item.key, lane))

    async def _handle_in_order(self, partition: Partition, key: str, lane: deque[Item]) -> None:
        while lane:
            try:
                while not await self._attempt(partition, lane[0]):
                    pass
            except Lost:
                return
            lane.popleft()
            self._session.changed.wake()
        del partition.lanes[key]

    async def _attempt(self, partition: Partition, item: Item) -> bool:
        """True if the event is completed: handled, parked or dropped. Raises `Lost`."""
        await self._may_start(partition, item)
        partition.in_work += 1
        try:
            try:
                output = await self._output_of(partition, item)
            finally:
                self._slots.release()
            pause = await self._complete(partition, item, output)
        except Exception as error:
            if isinstance(error, Lost) or partition.is_lost:
                raise Lost from error
            raise
        finally:
            partition.in_work -= 1
            partition.changed.wake()
        if pause is None:
            return True
        await self._pause(partition, pause)
        return False

    async def _may_start(self, partition: Partition, item: Item) -> None:
        """Takes a slot, once the lease is certain. Raises `Lost` when the partition is given up."""
        while True:
            await self._slots.acquire()
            if partition.is_closing:
                self._slots.release()
                raise Lost
            if self._session.is_certain and not _is_too_far_ahead(partition, item):
                return
            self._slots.release()
            await self._session.changed.wait()

    async def _output_of(self, partition: Partition, item: Item) -> Output | Exception:
        """The output of the handler, or its error."""
        session = self._session
        sequence = item.event.sequence
        if session.options.on_failure == "park_key" and partition.has_parked_before(item.key, sequence):
            return parked_output(session.records, partition, item, None)
        key = f"{session.records.name}:{partition.record.checkpoint.store_id}:{sequence}"
        context = Handling(key, item.failures + 1, lambda: partition.is_lost)
        handler = asyncio.ensure_future(session.call(item.event, context))
        partition.handlers.add(handler)
        begun_at = time.monotonic()
        try:
            return output_of(session.records, partition, item, await handler)
        except asyncio.CancelledError:
            if partition.is_lost:
                raise Lost from None
            if handler.cancelled() and not _is_cancelled():
                return RuntimeError("the handler was cancelled")
            handler.cancel()
            raise
        except Exception as error:
            return error
        finally:
            item.seconds = time.monotonic() - begun_at
            partition.handlers.discard(handler)

    async def _complete(self, partition: Partition, item: Item, output: Output | Exception) -> float | None:
        """Commits the output. Returns seconds after which the handler is called again, or None."""
        if not isinstance(output, Exception):
            try:
                await commit(self._session, partition, item, output)
                self._notify(item, output)
                return None
            except Rejected as rejected:
                if not await is_parked_as_before(self._session, partition, item):
                    return None
                if output.parked is not None:
                    raise rejected.error from None
                if isinstance(rejected.error, Conflict) and item.conflicts + 1 < _CONFLICTS_MAX:
                    item.conflicts += 1
                    return jitter(item.conflicts)
                output = rejected.error
        item.conflicts = 0
        item.failures += 1
        if item.failures >= self._session.options.attempts:
            parked = parked_output(self._session.records, partition, item, output)
            return await self._complete(partition, item, parked)
        sequence, error = item.event.sequence, text_of(output)
        self._session.notify(Notification("failed", sequence, item.failures, error=error))
        return jitter(_FAILURES_BEFORE + item.failures)

    async def _pause(self, partition: Partition, seconds: float) -> None:
        """Another process handles the event if this one releases the partition."""
        ends_at = time.monotonic() + seconds
        while not partition.is_closing and (left := ends_at - time.monotonic()) > 0:
            await partition.changed.wait(left)

    def _notify(self, item: Item, output: Output) -> None:
        sequence = item.event.sequence
        if output.parked is None:
            self._session.notify(Notification("handled", sequence, item.failures + 1, item.seconds))
        else:
            error = output.parked["error"] if item.failures else None
            self._session.notify(Notification("parked", sequence, error=error))


def _is_too_far_ahead(partition: Partition, item: Item) -> bool:
    return len(partition.record.done) >= _DONE_MAX and item.event.sequence > partition.up_to + 1


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

