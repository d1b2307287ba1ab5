"""The life of a process among the others that share a consumer: its heartbeat, its partitions, their events."""

import asyncio
import time
from contextlib import suppress
from typing import NoReturn

from eventsourcing_eventstore.consume.handling import Notification
from eventsourcing_eventstore.consume.members import Members
from eventsourcing_eventstore.consume.ownership import Ownership
from eventsourcing_eventstore.consume.parked_events import ParkedEvents
from eventsourcing_eventstore.consume.records import Records, Store
from eventsourcing_eventstore.consume.registration import register, renew
from eventsourcing_eventstore.consume.session import Call, Options, Session
from eventsourcing_eventstore.consume.stream import Stream
from eventsourcing_eventstore.consume.work import Work
from eventsourcing_eventstore.errors import StoreChanged

_BEATS = 3
"""Heartbeats in the time of a lease."""


async def run_consumer(store: Store, records: Records, options: Options, call: Call) -> NoReturn:
    """Handles events until the task is cancelled, or an error that no repetition mends."""
    # A server that has never answered may be a wrong address: this call does not wait without end.
    await store.head()
    session = Session(store, records, options, call)
    session.main = await register(store, records, options)
    work = Work(session)
    members = Members(session)
    stream = Stream(session, work)
    ownership = Ownership(session, members, ParkedEvents(session, work), stream)
    left = asyncio.Event()
    beating = session.start(_beat(session, members, ownership, left))
    reading = session.start(_read(session, stream, ownership))
    try:
        await session.failure
        raise AssertionError("the failure of a consumer is an error")
    finally:
        await _leave(session, members, ownership, left, beating, reading)


async def _beat(session: Session, members: Members, ownership: Ownership, left: asyncio.Event) -> None:
    """Writes heartbeats, and takes and releases partitions, until the process has left."""
    while not left.is_set():
        begun_at = time.monotonic()
        await members.beat()
        if not session.is_ending:
            await ownership.look()
        session.confirmed_at = begun_at
        session.changed.wake()
        open_ = sum(len(partition.open) for partition in session.owned.values())
        session.notify(Notification("progress", open=open_))
        with suppress(TimeoutError):
            async with asyncio.timeout(session.options.lease_seconds / _BEATS):
                await left.wait()


async def _read(session: Session, stream: Stream, ownership: Ownership) -> None:
    """Reads the events of the partitions until it is cancelled."""
    while True:
        try:
            await stream.read()
        except StoreChanged:
            ownership.lose_all()
            # Raises the same error when the client belongs to a store that is gone.
            await renew(session.store, session.records)


async def _leave(
    session: Session,
    members: Members,
    ownership: Ownership,
    left: asyncio.Event,
    beating: "asyncio.Task[None]",
    reading: "asyncio.Task[None]",
) -> None:
    """
    Releases everything, so that other processes take over at once. Handlers that run may end in the time of a lease.
    """
    session.is_ending = True
    reading.cancel()
    lease_seconds = session.options.lease_seconds
    grace = asyncio.get_running_loop().call_later(lease_seconds, ownership.lose_all)
    try:
        # The others take over when the lease is over, if this fails. The caller gets the error that ended it.
        with suppress(Exception):
            async with asyncio.timeout(2 * lease_seconds):
                await ownership.release_all()
                # A heartbeat that is on its way ends first: it changes the version of the record.
                left.set()
                await asyncio.gather(beating, return_exceptions=True)
                await members.leave()
    finally:
        grace.cancel()
        ownership.lose_all()
        await session.cancel()
