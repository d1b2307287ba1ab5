"""
The processes that share a consumer. Each writes a heartbeat. No clocks are compared: a process has stopped when
another one, by its own clock, has seen the same version of its heartbeat for the time of a lease.
"""

import asyncio
import time
from collections.abc import Mapping

from eventsourcing_eventstore.consume.handling import Notification
from eventsourcing_eventstore.consume.pauses import jitter, surely
from eventsourcing_eventstore.consume.records import member_id, member_of
from eventsourcing_eventstore.consume.session import Session
from eventsourcing_eventstore.errors import Conflict, OutcomeUnknown


class Members:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._version: str | None = None
        self._seen: dict[str, tuple[str, float]] = {}
        """The versions of the others, and the time when each was seen first."""

    async def beat(self) -> None:
        """Writes a heartbeat. Another process may have deleted the record, after a long pause of this one."""
        session = self._session
        id_ = member_id(session.member)
        ends = [partition.up_to for partition in session.owned.values()]
        value = {"upTo": min(ends)} if ends else {}
        failures = 0
        while True:
            record = session.records.record(id_, value, self._version)
            try:
                (self._version,) = (await surely(lambda: session.store.append([], projections=[record]))).versions
                return
            except (Conflict, OutcomeUnknown) as error:
                if isinstance(error, OutcomeUnknown):
                    await asyncio.sleep(jitter(failures))
                    failures += 1
                found = await surely(lambda: session.records.read(id_))
                self._version = found.version if found else None

    async def working(self, listed: Mapping[str, str]) -> list[str]:
        """The members that work, in order. Records of those that have stopped are deleted."""
        session = self._session
        now = time.monotonic()
        working = [session.member]
        others = {other: version for id_, version in listed.items() if (other := member_of(id_))}
        others.pop(session.member, None)
        for other, version in others.items():
            seen = self._seen.get(other)
            if seen is None or seen[0] != version:
                self._seen[other] = (version, now)
                working.append(other)
            elif now - seen[1] < session.options.lease_seconds:
                working.append(other)
            elif await self._delete(other, version):
                session.notify(Notification("takeover", member=other))
        for gone in self._seen.keys() - others.keys():
            del self._seen[gone]
        return sorted(working)

    async def leave(self) -> None:
        """Deletes the record of this process, so that others need not wait."""
        if self._version is not None:
            await self._delete(self._session.member, self._version)

    async def _delete(self, member: str, version: str) -> bool:
        """True if the record was deleted by this call."""
        session = self._session
        gone = session.records.gone(member_id(member), version)
        try:
            await surely(lambda: session.store.append([], deletes=[gone]))
            return True
        except (Conflict, OutcomeUnknown):
            # After a lost answer, the next list shows if it is gone.
            return False
