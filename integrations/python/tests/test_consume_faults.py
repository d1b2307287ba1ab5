"""Consumers whose requests are lost, or come between those of another process."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from eventsourcing_eventstore.consume.records import Records
from eventsourcing_eventstore.consume.registration import renew
from eventsourcing_eventstore.errors import OutcomeUnknown, StoreChanged
from eventsourcing_eventstore.plain import AsyncEventStore, Event, Handling, NewProjection
from eventsourcing_eventstore.plain_types import Page, Written

from .consuming import ConsumerTestCase
from .support import UNIX_URL


class TestFaults(ConsumerTestCase):
    def test_an_event_that_is_parked_while_its_partition_is_taken_holds_back_the_later_ones_of_its_key(self) -> None:
        test = self

        class BetweenTwoPages(AsyncEventStore):
            """The first list of records has a page that is older than a parked event, and one that is newer."""

            is_parked = False

            async def versions(self, type_: str) -> dict[str, str]:
                if self.is_parked:
                    return await super().versions(type_)
                self.is_parked = True
                test.park(1)
                listed = await super().versions(type_)
                return {id_: version for id_, version in listed.items() if id_ != "parked-0-1"}

        first = self.consuming(lambda *_: None, partitions=1)
        self.eventually(lambda: self.assertTrue(any(one.partitions for one in first.notifications)))
        first.end()
        self.note("a", "a")
        options = {"partitions": 1, "on_failure": "park_key"}
        second = self.consuming_with_tasks(no_effect, store_class=BetweenTwoPages, **options)
        self.eventually(lambda: self.assertEqual([2], second.sequences("parked")))
        self.assertEqual([], second.sequences("handled"))

    def park(self, sequence: int) -> None:
        """As the owner of the only partition does."""
        found = self.store.projection("consumer:c", "partition-0")
        assert found is not None
        record = {**found.payload, "checkpoint": {**found.payload["checkpoint"], "sequence": sequence}}
        parked = {"sequence": sequence, "type": "Noted", "key": "a", "error": "", "attempts": 1, "time": ""}
        self.store.append(
            [],
            projections=[
                NewProjection(found.type, f"parked-0-{sequence}", parked),
                NewProjection(found.type, found.id, record, found.version),
            ],
        )

    def test_writes_that_are_lost_are_repeated_after_pauses(self) -> None:
        attempts: list[float] = []

        class LosingWrites(AsyncEventStore):
            async def append(self, *args: Any, **options: Any) -> Written:
                attempts.append(time.monotonic())
                raise OutcomeUnknown("the answer is lost")

        async def consume(seconds: float) -> None:
            async with LosingWrites(UNIX_URL) as store:
                try:
                    async with asyncio.timeout(seconds):
                        await store.consume("c", "*", no_effect, lease_seconds=0.3)
                except TimeoutError:
                    pass

        asyncio.run(consume(1))
        self.assertLess(len(attempts), 40)
        self.consuming(lambda *_: None).end()
        attempts.clear()
        asyncio.run(consume(1))
        self.assertTrue(0 < len(attempts) < 40, len(attempts))

    def test_a_heartbeat_that_is_on_its_way_does_not_outlive_its_process(self) -> None:
        beats: list[float] = []

        class SlowAnswers(AsyncEventStore):
            async def append(
                self, events: Any, *args: Any, projections: Sequence[NewProjection] = (), **options: Any
            ) -> Written:
                written = await super().append(events, *args, projections=projections, **options)
                if any(one.id.startswith("member-") for one in projections):
                    beats.append(time.monotonic())
                    if len(beats) > 1:
                        await asyncio.sleep(0.3)
                return written

        running = self.consuming_with_tasks(no_effect, store_class=SlowAnswers, lease_seconds=3)
        self.eventually(lambda: self.assertGreater(len(beats), 1))
        running.end()
        self.assertEqual({}, self.records("member-"))

    def test_a_running_consumer_goes_on_after_a_failover_that_lost_events(self) -> None:
        class LosesEvents(AsyncEventStore):
            has_lost = False

            async def read(self, *args: Any, **options: Any) -> Page:
                if options.get("wait_seconds") and not self.has_lost:
                    LosesEvents.has_lost = True
                    raise StoreChanged("the store ends before the position")
                return await super().read(*args, **options)

        self.note("a", "b")
        running = self.consuming_with_tasks(no_effect, store_class=LosesEvents, partitions=2)
        self.eventually(lambda: self.assertTrue(LosesEvents.has_lost))
        self.note("c")
        self.handled(running, 1, 2, 3)

    def test_a_void_history_is_not_begun_anew_before_its_parked_events_are_gone(self) -> None:
        class LosingDeletes(AsyncEventStore):
            is_losing = True

            async def append(self, *args: Any, **options: Any) -> Written:
                if self.is_losing and options.get("deletes"):
                    raise OutcomeUnknown("the request is lost")
                return await super().append(*args, **options)

        checkpoint = {"storeId": "other", "sequence": 5}
        partition = {"checkpoint": checkpoint, "done": [], "mark": "m"}
        self.store.append(
            [],
            projections=[
                NewProjection("consumer:c", "partition-0", partition),
                NewProjection("consumer:c", "parked-0-3", {"sequence": 3}),
            ],
        )

        async def begin_anew() -> None:
            async with LosingDeletes(UNIX_URL) as store:
                await renew(store, Records(store, "c", "json"))
                self.assertEqual(checkpoint, self.records("partition-")["partition-0"]["checkpoint"])
                store.is_losing = False
                await renew(store, Records(store, "c", "json"))

        asyncio.run(begin_anew())
        self.assertEqual(0, self.records("partition-")["partition-0"]["checkpoint"]["sequence"])
        self.assertEqual({}, self.records("parked-"))


async def no_effect(_event: Event, _handling: Handling) -> None:
    pass
