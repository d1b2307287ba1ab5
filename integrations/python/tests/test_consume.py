"""Consumers of the plain client on the real server: order, effects, failures, options."""

import asyncio
import threading
import time
from collections import defaultdict
from typing import Any

from eventsourcing_eventstore.consume.assignment import assigned, partition_of
from eventsourcing_eventstore.plain import (
    Condition,
    Effects,
    Event,
    EventStore,
    Handling,
    NewEvent,
    NewProjection,
    Position,
    ProgrammingError,
    QueryItem,
    StoreChanged,
)

from .consuming import NOTED, ConsumerTestCase, done
from .support import UNIX_URL, Relay, request, reset


class TestConsume(ConsumerTestCase):
    def test_keys_and_members_have_the_partitions_that_other_languages_give_them(self) -> None:
        self.assertEqual([1, 186, 214], [partition_of(key, 256) for key in ("", "o1", "Ädä €")])
        members = ["eve", "eve", "eve", "bob", "ada", "ada", "bob", "ada"]
        self.assertEqual(members, assigned(["ada", "bob", "eve"], 8))

    def test_keys_are_handled_in_order_and_others_in_parallel(self) -> None:
        seen: dict[str, list[int]] = defaultdict(list)
        running: set[str] = set()
        together: list[int] = []

        def handle(event: Event, handling: Handling) -> NewEvent:
            key = str(event.identifiers["key"])
            self.assertNotIn(key, running)
            running.add(key)
            together.append(len(running))
            time.sleep(0.02)
            running.remove(key)
            seen[key].append(event.sequence)
            self.assertEqual(f"c:{self.store.head().store_id}:{event.sequence}", handling.key)
            return done(event)

        self.note(*(f"k{n % 4}" for n in range(20)))
        consumer = self.consuming(handle)
        self.handled(consumer, *range(1, 21))
        self.assertEqual({f"k{n}": [n + 1, n + 5, n + 9, n + 13, n + 17] for n in range(4)}, dict(seen))
        self.assertGreater(max(together), 1)
        self.assertEqual(sorted(self.effects()), sorted((f"k{n % 4}", str(n + 1)) for n in range(20)))
        consumer.end()
        self.assertEqual((None, {}), (consumer.error, self.records("member-")))
        self.assertTrue(all("owner" not in each for each in self.records("partition-").values()))
        self.note("k0")
        self.handled(self.consuming(handle), 41)

    def test_a_conflict_lets_the_handler_read_again(self) -> None:
        attempts: list[int] = []

        def handle(event: Event, handling: Handling) -> Effects:
            found = self.store.projection("count", "a")
            attempts.append(handling.attempt)
            if len(attempts) == 1:
                self.store.append([], projections=[NewProjection("count", "a", 5)])
            count = NewProjection("count", "a", found.payload + 1 if found else 1, found.version if found else None)
            return Effects(done(event), Condition(QueryItem(["Never"])), [count])

        self.note("a")
        self.handled(self.consuming(handle), 1)
        self.assertEqual([1, 1], attempts)
        found = self.store.projection("count", "a")
        self.assertEqual(6, found and found.payload)
        self.assertEqual([("a", "1")], self.effects())

    def test_an_event_that_fails_is_parked_and_handled_again_when_a_person_wants_it(self) -> None:
        fails = {1, 2}

        def handle(event: Event, _: Handling) -> NewEvent:
            if event.sequence in fails:
                raise ValueError(f"no {event.sequence}")
            return done(event)

        self.note("a", "b", "a")
        consumer = self.consuming(handle, attempts=2)
        self.handled(consumer, 3)
        self.eventually(lambda: self.assertEqual([1, 2], sorted(consumer.sequences("parked"))))
        self.assertEqual([1, 2], sorted(consumer.sequences("failed")))
        parked = self.records("parked-")
        self.assertEqual({"ValueError: no 1", "ValueError: no 2"}, {each["error"] for each in parked.values()})
        self.assertEqual([2, 2], [each["attempts"] for each in parked.values()])
        fails.clear()
        self.change_parked(1, drop=False)
        self.handled(consumer, 1, 3)
        self.change_parked(2, drop=True)
        self.note("b")
        self.handled(consumer, 1, 3, 6)
        self.assertEqual({}, self.records("parked-"))
        self.assertEqual([("a", "1"), ("a", "3"), ("b", "6")], sorted(self.effects()))

    def change_parked(self, sequence: int, drop: bool) -> None:
        """As `eventstore-client consumers` does it."""
        for id_ in self.store.versions("consumer:c"):
            if id_.startswith("parked-") and id_.endswith(f"-{sequence}"):
                found = self.store.projection("consumer:c", id_)
                assert found is not None
                again = NewProjection(found.type, id_, {**found.payload, "retry": True}, found.version)
                self.store.append([], projections=[] if drop else [again], deletes=[found] if drop else [])

    def test_later_events_of_the_key_are_parked_too(self) -> None:
        fails = {1}

        def handle(event: Event, _: Handling) -> NewEvent:
            if event.sequence in fails:
                raise ValueError("no")
            return done(event)

        self.note("a", "b", "a")
        consumer = self.consuming(handle, attempts=1, on_failure="park_key")
        self.eventually(lambda: self.assertEqual([1, 3], consumer.sequences("parked")))
        self.handled(consumer, 2)
        self.assertEqual([1, 0], [each["attempts"] for each in self.records("parked-").values()])
        fails.clear()
        for sequence in (1, 3):
            self.change_parked(sequence, drop=False)
        self.handled(consumer, 1, 2, 3)
        self.assertEqual([("a", "1"), ("a", "3")], [each for each in self.effects() if each[0] == "a"])

    def test_effects_happen_once_although_answers_are_lost(self) -> None:
        relay = Relay()
        self.addCleanup(relay.close)
        through = EventStore(relay.url, retry_seconds=0.1)
        self.addCleanup(through.close)
        consumer = self.consuming(lambda event, _: done(event), through)
        self.note("first")
        self.handled(consumer, 1)
        for _ in range(3):
            relay.swallows_answers = True
            self.note(*(f"k{k}" for k in range(8)))
            time.sleep(0.1)
            relay.swallows_answers = False
            relay.break_connections()
        self.eventually(lambda: self.assertEqual(25, len(set(self.effects()))))
        self.note("last")
        self.eventually(lambda: self.assertEqual(26, len(set(self.effects()))))
        self.assertEqual(26, len(self.effects()))
        self.assertIsNone(consumer.error)

    def test_a_lost_lease_is_seen_by_the_handler_and_its_result_is_not_written(self) -> None:
        lost: list[bool] = []

        def handle(event: Event, handling: Handling) -> NewEvent | None:
            if lost:
                return None
            lost.append(False)
            self.steal(0)
            while not handling.lost():
                time.sleep(0.01)
            lost.append(True)
            return done(event)

        self.note("a")
        self.handled(self.consuming(handle, partitions=1), 1)
        self.assertEqual(([False, True], []), (lost, self.effects()))

    def test_payloads_that_are_text(self) -> None:
        store = EventStore(UNIX_URL, payload="text")
        self.addCleanup(store.close)
        store.append(NewEvent("Noted", "not JSON", {"key": "a"}))
        consumer = self.consuming(lambda event, _: NewEvent("Done", event.payload + "!"), store)
        self.handled(consumer, 1)
        self.assertEqual("not JSON!", store.read(QueryItem(["Done"])).events[0].payload)
        self.assertEqual({"partitions": 16, "by": "key"}, self.records("_consumer")["_consumer"])
        store.append(NewEvent("Noted", "not JSON", {"key": "b"}))
        self.handled(consumer, 1, 3)
        consumer.end()
        store.append(NewEvent("Noted", "not JSON", {"key": "c"}))
        as_json = self.consuming(lambda *_: None)
        as_json.join()
        self.assertRegex(str(as_json.error), "event 5 of type Noted: the payload is not JSON")

    def test_a_reset_ends_it_and_another_start_begins_anew(self) -> None:
        self.note("a", "b")
        consumer = self.consuming(lambda event, _: done(event))
        self.handled(consumer, 1, 2)
        reset()
        consumer.join()
        self.assertIsInstance(consumer.error, StoreChanged)
        self.store = EventStore(UNIX_URL)
        self.addCleanup(self.store.close)
        self.note("a")
        self.handled(self.consuming(lambda event, _: None), 1)

    def test_progress_of_another_store_is_void_as_after_a_restore(self) -> None:
        self.begins_anew(Position("other", 3), [])

    def test_progress_after_the_end_of_the_store_is_void_as_after_a_failover_that_lost_events(self) -> None:
        store_id = self.store.head().store_id
        self.begins_anew(Position(store_id, 300), [])
        reset()
        self.store = EventStore(UNIX_URL)
        self.addCleanup(self.store.close)
        self.begins_anew(Position(self.store.head().store_id, 1), [300])

    def begins_anew(self, position: Position, handled: list[int]) -> None:
        """Lets partitions have this progress, and asserts that the next start handles all events."""
        fails = {2}

        def handle(event: Event, _: Handling) -> None:
            if event.sequence in fails:
                raise ValueError("no")

        self.note("a", "b", "c")
        first = self.consuming(handle, attempts=1, partitions=2)
        self.handled(first, 1, 3)
        self.eventually(lambda: self.assertEqual([2], first.sequences("parked")))
        first.end()
        versions = self.store.versions("consumer:c")
        checkpoint = {"storeId": position.store_id, "sequence": position.sequence}
        void = [
            NewProjection("consumer:c", id_, {**record, "checkpoint": checkpoint, "done": handled}, versions[id_])
            for id_, record in self.records("partition-").items()
        ]
        self.store.append([], projections=void)
        fails.clear()
        self.handled(self.consuming(handle), 1, 2, 3)
        self.assertEqual({}, self.records("parked-"))

    def test_a_deleted_type_lets_a_running_consumer_begin_anew(self) -> None:
        self.note("a", "b")
        consumer = self.consuming(lambda event, _: None)
        self.handled(consumer, 1, 2)
        self.assertEqual(204, request("DELETE", "/projections/consumer%3Ac").status)
        self.handled(consumer, 1, 1, 2, 2)

    def test_wrong_options_are_named(self) -> None:
        def consume(**options: Any) -> None:
            self.store.consume("c", NOTED, lambda *_: None, **options)

        for options, message in (
            ({"concurrency": 0}, "concurrency must be 1 to 10000, not 0"),
            ({"partitions": 257}, "partitions must be 1 to 256, not 257"),
            ({"attempts": 1.5}, "attempts must be 1 to 1000000, not 1.5"),
            ({"lease_seconds": 0.2}, "lease_seconds must be 0.3 to 3600, not 0.2"),
            ({"on_failure": "skip"}, 'on_failure must be "park" or "park_key", not \'skip\''),
            ({"by": ""}, "by must be the name of an identifier, or a function, not ''"),
        ):
            with self.assertRaisesRegex(ProgrammingError, message):
                consume(**options)
        with self.assertRaisesRegex(ProgrammingError, "name has 1 to 200 printable characters, not ''"):
            self.store.consume("", NOTED, lambda *_: None)

        async def coroutine(*_: object) -> None: ...

        with self.assertRaisesRegex(ProgrammingError, "handle must be an ordinary function"):
            self.store.consume("c", NOTED, coroutine)  # type: ignore[arg-type]

    def test_what_the_first_start_has_fixed_cannot_change(self) -> None:
        first = self.consuming(lambda *_: None, partitions=4)
        self.eventually(lambda: self.assertEqual(4, len(self.records("partition-"))))
        first.end()
        for options, message in (
            ({"by": "other"}, 'by is "key" since its first start, not "other"'),
            ({"partitions": 5}, "it has 4 partitions since its first start, not 5"),
        ):
            consumer = self.consuming(lambda *_: None, **options)
            consumer.join()
            self.assertRegex(str(consumer.error), f'^consumer "c": {message}: to begin it anew')

    def test_an_event_with_several_values_of_by_ends_it(self) -> None:
        self.store.append(NewEvent("Noted", None, {"key": ["a", "b"]}))
        consumer = self.consuming(lambda *_: None)
        consumer.join()
        self.assertRegex(str(consumer.error), 'event 1 has several values of "key": let by be a function')
        reset()
        self.store = EventStore(UNIX_URL)
        self.addCleanup(self.store.close)
        self.store.append(NewEvent("Noted", None, {"key": ["a", "b"]}))
        self.handled(self.consuming(lambda *_: None, by=lambda event: event.identifiers["key"][0]), 1)


class TestAsyncConsume(ConsumerTestCase):
    def test_coroutines_handle_keys_in_order_and_a_lost_lease_cancels_them(self) -> None:
        cancelled = threading.Event()
        seen: dict[str, list[int]] = defaultdict(list)

        async def handle(event: Event, handling: Handling) -> NewEvent:
            if event.sequence == 1 and not cancelled.is_set():
                self.steal(partition_of("k0", 16))
                try:
                    await asyncio.sleep(30)
                except asyncio.CancelledError:
                    cancelled.set()
                    raise
            seen[str(event.identifiers["key"])].append(event.sequence)
            return done(event)

        self.note(*(f"k{n % 4}" for n in range(20)))
        consumer = self.consuming_with_tasks(handle)
        self.handled(consumer, *range(1, 21))
        self.assertTrue(cancelled.is_set())
        self.assertEqual([1, 5, 9, 13, 17], seen["k0"])
        self.assertEqual(20, len(self.effects()))
        consumer.end()
        self.assertEqual((None, {}), (consumer.error, self.records("member-")))
