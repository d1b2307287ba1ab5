"""Takes and releases partitions, so that each belongs to one of the processes that work."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from eventsourcing_eventstore.consume.assignment import assigned
from eventsourcing_eventstore.consume.commit import Lost, write_progress
from eventsourcing_eventstore.consume.handling import Notification
from eventsourcing_eventstore.consume.members import Members
from eventsourcing_eventstore.consume.parked_events import ParkedEvents
from eventsourcing_eventstore.consume.partition import Partition
from eventsourcing_eventstore.consume.pauses import surely
from eventsourcing_eventstore.consume.records import MAIN, PartitionRecord, partition_id
from eventsourcing_eventstore.consume.registration import is_void, register, renew
from eventsourcing_eventstore.consume.session import Session
from eventsourcing_eventstore.consume.stream import Stream
from eventsourcing_eventstore.errors import Conflict


class Ownership:
    def __init__(self, session: Session, members: Members, parked: ParkedEvents, stream: Stream) -> None:
        self._session = session
        self._members = members
        self._parked = parked
        self._stream = stream
        self._moving: dict[int, asyncio.Task[None]] = {}
        """Partitions on their way to this process, or away from it."""
        self._others: dict[int, tuple[str, str | None]] = {}
        """The versions and the owners of the partitions of other processes."""

    async def look(self) -> None:
        """Compares the records with what this process knows, and begins the moves that follow from it."""
        session = self._session
        known = {
            index: None if each.committing.locked() else each.version for index, each in session.owned.items()
        }
        parked_before = self._parked.known()
        listed = await surely(session.records.versions)
        if listed.get(MAIN) != session.main.version:
            # The type was deleted, and another process may have begun the consumer anew.
            self.lose_all()
            session.main = await register(session.store, session.records, session.options)
            return
        working = await self._members.working(listed)
        for index, owner in enumerate(assigned(working, session.main.value["partitions"])):
            partition = session.owned.get(index)
            version = listed.get(partition_id(index))
            if partition is not None:
                before = known.get(index)
                is_unchanged = before == partition.version and not partition.committing.locked()
                if is_unchanged and version != before:
                    self._lose(partition)
                elif owner != session.member:
                    self._move(index, partial(self._release, partition))
            elif owner == session.member and version is not None:
                self._move(index, partial(self._take, index, version, working))
        self._parked.look(listed, parked_before)

    async def release_all(self) -> None:
        """Hands all partitions over. `look` is not called any more."""
        await asyncio.gather(*self._moving.values(), return_exceptions=True)
        releases = [self._release(partition) for partition in self._session.owned.values()]
        await asyncio.gather(*releases, return_exceptions=True)

    def lose_all(self) -> None:
        """Forgets all partitions."""
        for partition in list(self._session.owned.values()):
            self._lose(partition)

    def _lose(self, partition: Partition) -> None:
        partition.lose()
        self._session.owned.pop(partition.index, None)
        self._session.changed.wake()
        self._notify()

    def _move(self, index: int, work: Callable[[], Awaitable[bool]]) -> None:
        """Moves a partition in the background, unless it is on its way."""
        if index not in self._moving:
            self._moving[index] = self._session.start(self._moved(index, work))

    async def _moved(self, index: int, work: Callable[[], Awaitable[bool]]) -> None:
        try:
            has_moved = await work()
        finally:
            del self._moving[index]
        if has_moved and not self._moving:
            self._notify()
            self._stream.restart()

    async def _release(self, partition: Partition) -> bool:
        """Hands a partition over, after the handlers that run have ended."""
        session = self._session
        partition.close()
        session.changed.wake()
        while partition.in_work and not partition.is_lost:
            await partition.changed.wait()
        async with partition.committing:
            try:
                await write_progress(session, partition, None)
            except (Conflict, Lost):
                pass  # Another process owns it already.
        if session.owned.get(partition.index) is partition:
            del session.owned[partition.index]
        return True

    async def _take(self, index: int, version: str, working: Sequence[str]) -> bool:
        """Takes a partition that is free, or whose owner does not work any more."""
        session = self._session
        known = self._others.get(index)
        if known is not None and known[0] == version and known[1] in working:
            return False
        found = await surely(lambda: session.records.read(partition_id(index)))
        if found is None:
            return False
        record = PartitionRecord.of_json(found.value)
        self._others[index] = (found.version, record.owner)
        # If the record has changed since it was listed, its owner works.
        if found.version != version or record.owner != session.member and record.owner in working:
            return False
        if await is_void(session.store, [record]):
            await renew(session.store, session.records)
            return False
        partition = Partition(index, record, found.version, record.checkpoint.sequence)
        try:
            await write_progress(session, partition, session.member)
        except Conflict:
            return False  # Another process was faster.
        # A page of the first list may be older than the partition. Now only this process parks events in it.
        await self._parked.load(partition, await surely(session.records.versions))
        session.owned[index] = partition
        return True

    def _notify(self) -> None:
        self._session.notify(Notification("partitions", partitions=tuple(sorted(self._session.owned))))
