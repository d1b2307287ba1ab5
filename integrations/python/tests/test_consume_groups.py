"""Consumers that write the results of several events together."""

import asyncio
import re
from datetime import datetime, timezone
from uuid import uuid4

from eventsourcing_eventstore.consume.output import take_group
from eventsourcing_eventstore.consume.partition import Finished, Item, Output
from eventsourcing_eventstore.plain import (
    Condition,
    Effects,
    Event,
    Handling,
    NewEvent,
    NewProjection,
    Projection,
    QueryItem,
)

from .consuming import ConsumerTestCase, done
from .support import request


def rejected() -> int:
    """Writes that were rejected because of a projection."""
    metrics = request("GET", "/metrics").body
    (count,) = re.findall(rb'\nservice_writes_rejected_total\{reason="projection"\} (\d+)\n', metrics)
    return int(count)


class TestGroups(ConsumerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.rejected_before = rejected()
        self.calls: list[int] = []

    def writes(self) -> int:
        """Writes that have carried results: all events of a write have the same time."""
        return len({event.time for event in self.store.read_all(QueryItem(["Done"]))})

    async def together(self, event: Event) -> None:
        """Ends for four events at once."""
        self.calls.append(event.sequence)
        if len(self.calls) == 1:
            self.four = asyncio.Event()
        if len(self.calls) == 4:
            asyncio.get_running_loop().call_soon(self.four.set)
        await self.four.wait()

    def test_results_that_are_ready_together_are_one_write(self) -> None:
        async def handle(event: Event, _: Handling) -> NewEvent:
            await self.together(event)
            return done(event)

        self.note("a", "b", "c", "d")
        self.handled(self.consuming_with_tasks(handle, partitions=1), 1, 2, 3, 4)
        self.assertEqual((4, 1), (len(self.effects()), self.writes()))

    def test_of_a_rejected_group_each_result_is_written_by_itself(self) -> None:
        async def handle(event: Event, handling: Handling) -> Effects:
            self.assertEqual(1, handling.attempt)
            await self.together(event)
            absent = NewProjection("count", "c", 1, str(uuid4()))
            fails = event.sequence == 3 and self.calls.count(3) == 1
            return Effects(done(event), projections=[absent] if fails else [])

        self.note("a", "b", "c", "d")
        self.handled(self.consuming_with_tasks(handle, partitions=1), 1, 2, 3, 4)
        self.assertEqual([1, 2, 3, 4, 3], self.calls)
        self.assertEqual(["1", "2", "4", "3"], [of for _, of in self.effects()])
        # The group, then the one result that is at fault.
        self.assertEqual((2, 4), (rejected() - self.rejected_before, self.writes()))

    def test_a_group_of_a_lost_partition_writes_nothing_and_is_handled_again(self) -> None:
        async def handle(event: Event, _: Handling) -> NewEvent:
            await self.together(event)
            if len(self.calls) == 4 and event.sequence == 1:
                self.steal(0)
            return done(event)

        self.note("a", "b", "c", "d")
        # The write is to meet the loss before a heartbeat does.
        consumer = self.consuming_with_tasks(handle, partitions=1, lease_seconds=3)
        self.handled(consumer, 1, 2, 3, 4)
        self.assertEqual([1, 2, 3, 4, 1, 2, 3, 4], self.calls)
        self.assertEqual([("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")], sorted(self.effects()))
        # Only the group: its results are not tried one by one.
        self.assertEqual(1, rejected() - self.rejected_before)

    def test_what_one_write_may_have_together(self) -> None:
        event = NewEvent("Done")
        guarded = Output([event], [Condition(QueryItem(["Never"]))])
        of_a, of_b = (NewProjection("count", id_, 1) for id_ in "ab")
        gone = Projection("count", "a", 1, "version")
        many = [NewProjection("count", str(n), n) for n in range(399)]
        for outputs, sizes in (
            ([Output([event] * 50), Output([event] * 50), Output([event])], [2, 1]),
            ([Output([event] * 101), Output([event])], [1, 1]),
            ([Output([event]), guarded, Output([event]), Output([event])], [1, 1, 2]),
            ([Output(projections=[of_a]), Output(projections=[of_b]), Output(deletes=[gone])], [2, 1]),
            ([Output(projections=many), Output(projections=[of_a]), Output(projections=[of_b])], [2, 1]),
        ):
            self.assertEqual(sizes, asyncio.run(self.sizes_of_groups(outputs)))

    async def sizes_of_groups(self, outputs: list[Output]) -> list[int]:
        loop = asyncio.get_running_loop()
        item = Item(Event(1, datetime.now(timezone.utc), "Noted", None, {}, {}), "a")
        finished = [Finished(item, output, loop.create_future()) for output in outputs]
        sizes: list[int] = []
        while finished:
            sizes.append(len(take_group(finished)))
        return sizes
