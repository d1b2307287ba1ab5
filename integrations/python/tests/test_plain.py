"""The plain client on the real server: events, pages, projections, and what follows them."""

import asyncio
import threading
from datetime import datetime, timezone

from eventsourcing_eventstore.plain import (
    AsyncEventStore,
    Condition,
    Conflict,
    EventStore,
    NewEvent,
    NewProjection,
    Page,
    Position,
    Projection,
    ProjectionConflict,
    QueryItem,
)

from .plain_support import Awaited, PlainTestCase, sequences
from .support import TCP_URL, UNIX_URL, eventually, reads_waiting


class OfBothKinds:
    """Hides the tests from the search: two classes run them."""

    class Tests(PlainTestCase):
        def test_an_event_comes_back_as_it_was(self) -> None:
            for url in (UNIX_URL, TCP_URL):
                store = self.store(url)
                payload = {"by": "Ädä", "seats": [1, 2.5, None, True]}
                tags = {"show": "s1", "row": ["a", "b"]}
                before = datetime.now(timezone.utc)
                written = store.append(NewEvent("SeatTaken", payload, tags, {"by": "web"}))
                self.assertEqual(([1], store.head()), (written.sequences, written.position))
                (event,) = store.read("*").events
                self.assertEqual((1, "SeatTaken", payload), (event.sequence, event.type, event.payload))
                self.assertEqual((tags, {"by": "web"}), (event.identifiers, event.metadata))
                self.assertLess(abs((event.time - before).total_seconds()), 60)

        def test_pages_and_their_positions(self) -> None:
            store = self.store()
            store.append([NewEvent("A", n) for n in range(5)] + [NewEvent("B")])
            page = store.read(QueryItem(types=["A"]), limit=3)
            self.assertEqual(([1, 2, 3], True, 3), (sequences(page), page.has_more, page.position.sequence))
            page = store.read(QueryItem(types=["A"]), after=page.position)
            self.assertEqual(([4, 5], False, 6), (sequences(page), page.has_more, page.position.sequence))
            page = store.read("*", before=Position(page.head.store_id, 4))
            self.assertEqual(([1, 2, 3], 3), (sequences(page), page.position.sequence))
            page = store.read("*", backwards=True, limit=2)
            self.assertEqual(([6, 5], True, None), (sequences(page), page.has_more, page.position))
            self.assertEqual([], store.read([QueryItem(types=["C"]), QueryItem(metadata={"by": "web"})]).events)

        def test_every_event_in_pages(self) -> None:
            store = self.store()
            for _ in range(11):
                store.append([NewEvent("A") for _ in range(100)])
            self.assertEqual(list(range(1, 1101)), [each.sequence for each in store.read_all("*")])
            after = Position(store.head().store_id, 1098)
            self.assertEqual([1099, 1100], [each.sequence for each in store.read_all("*", after=after)])

        def test_a_condition(self) -> None:
            store = self.store()
            start = store.head()
            store.append([NewEvent("A"), NewEvent("B")], Condition(QueryItem(types=["B"])))
            for condition in (Condition(QueryItem(types=["B"])), Condition("*", start)):
                with self.assertRaisesRegex(Conflict, "no longer holds") as conflict:
                    store.append(NewEvent("C"), [condition])
            self.assertEqual(1, conflict.exception.sequence)
            store.append(NewEvent("C"), Condition("*", store.head()))

        def test_projections(self) -> None:
            store = self.store()
            self.assertEqual(None, store.projection("show", "s/1 é"))
            written = store.append([], projections=[NewProjection("show", "s/1 é", {"free": 2})])
            found = store.projection("show", "s/1 é")
            self.assertEqual(({"free": 2}, written.versions), (found.payload, [found.version]))
            new = [NewProjection("show", "s2", 1), NewProjection("show", "s/1 é", 3, found.version)]
            versions = store.append(NewEvent("A"), projections=new).versions
            self.assertEqual(versions, [store.projection("show", id_).version for id_ in ("s2", "s/1 é")])
            with self.assertRaisesRegex(ProjectionConflict, "no longer has the given version"):
                store.append(NewEvent("A"), deletes=[found])
            store.append([], deletes=[store.projection("show", "s2")])
            self.assertEqual((None, 1), (store.projection("show", "s2"), store.head().sequence))

        def test_a_conflict_names_what_does_not_hold(self) -> None:
            store = self.store()
            store.append(NewEvent("A"), projections=[NewProjection("show", id_, 1) for id_ in ("s1", "s2")])
            with self.assertRaises(Conflict) as broken:
                store.append(NewEvent("B"), [Condition(QueryItem(["B"])), Condition(QueryItem(["A"]))])
            self.assertEqual((1, 1), (broken.exception.condition, broken.exception.sequence))
            first, second = (store.projection("show", id_) for id_ in ("s1", "s2"))
            fits, old = (NewProjection("show", id_, 3, first.version) for id_ in ("s1", "s2"))
            new, exists = (NewProjection("show", id_, 3) for id_ in ("s3", "s1"))
            gone = Projection("show", "s4", None, second.version)
            for projections, deletes, wrong in (
                ([new, fits, old], [], old),
                ([new, exists, NewProjection("show", "s2", 3, second.version)], [], exists),
                ([new, fits], [second, gone], gone),
            ):
                with self.assertRaises(ProjectionConflict) as raised:
                    store.append([], projections=projections, deletes=deletes)
                self.assertEqual((wrong, None), (raised.exception.projection, raised.exception.condition))

        def test_following(self) -> None:
            store, other = self.store(), self.store(TCP_URL)
            self.assertEqual(0, other.head().sequence)
            store.append([NewEvent("A"), NewEvent("B")])
            pages = store.follow(QueryItem(types=["B", "C"]))
            self.assertEqual([2], sequences(next(pages)))
            late = threading.Timer(0.2, lambda: EventStore(UNIX_URL).append([NewEvent("A"), NewEvent("C")]))
            late.start()
            page = next(pages)
            self.assertEqual(([4], store.head()), (sequences(page), page.position))


class TestEventStore(OfBothKinds.Tests):
    kind = EventStore

    def test_stopping_ends_the_wait_at_once(self) -> None:
        with self.store().follow("*") as following:
            thread = threading.Thread(target=lambda: list(following))
            thread.start()
            eventually(lambda: reads_waiting() == 1)
            following.stop()
            thread.join(10)
            self.assertFalse(thread.is_alive())
        eventually(lambda: reads_waiting() == 0)


class TestAsyncEventStore(OfBothKinds.Tests):
    kind = Awaited

    def test_cancelling_ends_the_wait_at_once(self) -> None:
        async def follow() -> None:
            async with AsyncEventStore(UNIX_URL) as store:
                await store.append(NewEvent("A"))
                pages: list[Page] = []

                async def collect() -> None:
                    async for page in store.follow("*"):
                        pages.append(page)

                task = asyncio.create_task(collect())
                while await asyncio.to_thread(reads_waiting) != 1:
                    await asyncio.sleep(0.01)
                await store.append(NewEvent("B"))
                while len(pages) < 2:
                    await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertEqual([[1], [2]], [sequences(page) for page in pages])

        asyncio.run(asyncio.wait_for(follow(), 30))
        eventually(lambda: reads_waiting() == 0)

    def test_connections_are_used_again(self) -> None:
        relay = self.relay()
        store = self.store(relay.url)
        for _ in range(5):
            store.append(NewEvent("A"))
            store.read("*")
        self.assertEqual(1, relay.accepted)
        relay.break_connections()
        eventually(lambda: store.read("*").events != [])
        self.assertEqual(2, relay.accepted)
