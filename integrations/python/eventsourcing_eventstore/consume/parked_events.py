"""The parked events of the partitions that this process owns. It handles them again when a person wants it."""

from collections.abc import Mapping

from eventsourcing_eventstore.consume.partition import Item, Partition
from eventsourcing_eventstore.consume.pauses import surely
from eventsourcing_eventstore.consume.records import Parked, parked_id, parked_of
from eventsourcing_eventstore.consume.session import Session
from eventsourcing_eventstore.consume.stream import key_of
from eventsourcing_eventstore.consume.work import Work
from eventsourcing_eventstore.plain_types import Event, Position


class ParkedEvents:
    def __init__(self, session: Session, work: Work) -> None:
        self._session = session
        self._work = work
        self._is_looking = False

    def known(self) -> dict[str, str]:
        """The versions of the parked events that are known before the records are listed, by ID."""
        return {
            parked_id(partition.index, sequence): one.version
            for partition in self._session.owned.values()
            for sequence, one in partition.parked.items()
        }

    async def load(self, partition: Partition, listed: Mapping[str, str]) -> None:
        """Reads the parked events of a partition that are not known in this version."""
        sequences: list[int] = []
        for id_, version in listed.items():
            index, sequence = parked_of(id_) or (-1, 0)
            known = partition.parked.get(sequence)
            if index == partition.index and (known is None or known.version != version):
                sequences.append(sequence)
        # In order, so that the events of a key are handled again in order.
        for sequence in sorted(sequences):
            await self._load(partition, sequence)

    async def _load(self, partition: Partition, sequence: int) -> None:
        session = self._session
        found = await surely(lambda: session.records.read(parked_id(partition.index, sequence)))
        if found is None:
            return
        event = await self._read(partition, sequence) if found.value.get("retry") else None
        parked = Parked(found.value, found.version)
        partition.parked[sequence] = parked
        if event is not None and not partition.is_closing:
            self._work.add(partition, Item(event, key_of(session, event), parked))

    def look(self, listed: Mapping[str, str], known: Mapping[str, str]) -> None:
        """Learns which parked events were dropped, and which are to be handled again."""
        for partition in self._session.owned.values():
            for sequence, one in list(partition.parked.items()):
                id_ = parked_id(partition.index, sequence)
                if id_ not in listed and known.get(id_) == one.version:
                    del partition.parked[sequence]
        if not self._is_looking:
            self._is_looking = True
            self._session.start(self._load_all(listed))

    async def _load_all(self, listed: Mapping[str, str]) -> None:
        try:
            for partition in list(self._session.owned.values()):
                await self.load(partition, listed)
        finally:
            self._is_looking = False

    async def _read(self, partition: Partition, sequence: int) -> Event | None:
        after = Position(partition.record.checkpoint.store_id, sequence - 1)
        page = await surely(lambda: self._session.store.read("*", after=after, limit=1))
        return next((event for event in page.events if event.sequence == sequence), None)
