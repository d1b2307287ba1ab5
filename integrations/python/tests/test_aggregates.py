"""Recorders of aggregates and applications on the real server: cases that the library's own tests leave out."""

import json
import threading
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid4

from eventsourcing.utils import Environment

from eventsourcing_eventstore import EventStoreApplicationRecorder, EventStoreFactory
from eventsourcing_eventstore.client import Page
from eventsourcing_eventstore.following import WAIT_SECONDS
from eventsourcing_eventstore.library import (
    EVENTS_HAVE_METADATA,
    InfrastructureFactoryError,
    IntegrityError,
    InterfaceError,
    ProgrammingError,
    StoredEvent,
)
from eventsourcing_eventstore.plain import Condition, EventStore, NewEvent, QueryItem
from eventsourcing_eventstore.stored_events import EventStream

from .support import UNIX_URL, StoreTestCase, eventually, reads_waiting, request


def stored(id_: Any, *versions: int, topic: str = "t", state: bytes = b"{}") -> list[StoredEvent]:
    return [
        StoredEvent(originator_id=id_, originator_version=version, topic=topic, state=state)
        for version in versions
    ]


def versions_of(events: Sequence[StoredEvent]) -> list[int]:
    return [event.originator_version for event in events]


class AggregateTestCase(StoreTestCase):
    def factory(self, name: str = "Shop", **env: str) -> EventStoreFactory:
        factory = EventStoreFactory(Environment(name, {"EVENTSTORE_URL": UNIX_URL, **env}))
        self.addCleanup(factory.close)
        return factory

    def application_recorder(self, name: str = "Shop", **options: Any) -> EventStoreApplicationRecorder:
        return EventStoreApplicationRecorder(self.client(), EventStream(name), **options)


class TestAggregates(AggregateTestCase):
    def test_others_see_the_aggregate_and_its_version(self) -> None:
        self.application_recorder().insert_events(stored("order-1", 1, topic="OrderPlaced", state=b'{"by":"Ada"}'))
        line = json.loads(request("QUERY", "/events", {"query": "*"}).body.splitlines()[0])
        self.assertEqual({"application": "Shop", "aggregate": "order-1", "version": "1"}, line["identifiers"])
        self.assertEqual(("OrderPlaced", '{"by":"Ada"}'), (line["type"], line["payload"]))

    def test_another_program_adds_an_event(self) -> None:
        recorder = self.application_recorder()
        recorder.insert_events(stored("order-1", 1))
        with EventStore(UNIX_URL) as store:

            def add(version: int) -> None:
                identifiers = {"application": "Shop", "aggregate": "order-1", "version": str(version)}
                store.append(NewEvent("t", {}, identifiers), Condition(QueryItem(identifiers=identifiers)))

            add(2)
            for version in (1, 2):
                with self.assertRaises(IntegrityError):
                    add(version)
        with self.assertRaises(IntegrityError):
            recorder.insert_events(stored("order-1", 2))
        recorder.insert_events(stored("order-1", 3))
        self.assertEqual([1, 2, 3], versions_of(recorder.select_events("order-1")))

    def test_every_selection_of_a_long_aggregate(self) -> None:
        recorder = self.application_recorder(page_limit=7)
        for first in (1, 26):
            recorder.insert_events(stored("a", *range(first, first + 25)) + stored("b", *range(first, first + 25)))
        whole = list(range(1, 51))
        for gt in (None, 0, 3, 19, 20, 33, 50, 60):
            for lte in (None, 2, 33, 34, 50, 99):
                expected = [each for each in whole if (gt or 0) < each <= (99 if lte is None else lte)]
                for limit in (None, 0, 1, 8):
                    with self.subTest(gt=gt, lte=lte, limit=limit):
                        ascending = recorder.select_events("a", gt=gt, lte=lte, limit=limit)
                        self.assertEqual(expected[:limit], versions_of(ascending))
                        descending = recorder.select_events("a", gt=gt, lte=lte, limit=limit, desc=True)
                        self.assertEqual(expected[::-1][:limit], versions_of(descending))

    def test_the_middle_of_an_aggregate_is_not_read_from_its_start(self) -> None:
        recorder = self.application_recorder()
        recorder.insert_events(stored("a", *range(1, 91)))
        pages: list[int] = []
        read_page = recorder.client.read_page

        def counting(request: dict[str, Any]) -> Page:
            page = read_page(request)
            pages.append(len(page.lines))
            return page

        with patch.object(recorder.client, "read_page", counting):
            self.assertEqual([89, 90], versions_of(recorder.select_events("a", gt=88)))
            self.assertEqual([90], versions_of(recorder.select_events("a", desc=True, limit=1)))
        self.assertEqual([1, 2, 1], pages)

    def test_of_racing_writers_one_gets_each_version(self) -> None:
        recorder = self.application_recorder()
        won: list[int] = []

        def write() -> None:
            for version in range(1, 21):
                try:
                    recorder.insert_events(stored("a", version))
                    won.append(version)
                except IntegrityError:
                    pass

        threads = [threading.Thread(target=write) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(list(range(1, 21)), sorted(won))
        self.assertEqual(list(range(1, 21)), versions_of(recorder.select_events("a")))

    def test_a_version_that_exists_is_found_wherever_it_is_in_the_call(self) -> None:
        recorder = self.application_recorder()
        recorder.insert_events(stored("a", 80))
        with self.assertRaisesRegex(IntegrityError, "no longer holds"):
            recorder.insert_events(stored("a", *range(1, 101)))
        with self.assertRaisesRegex(IntegrityError, "^aggregate b: version 7 occurs twice"):
            recorder.insert_events(stored("b", 7, 7))
        self.assertEqual(1, recorder.max_notification_id())

    def test_more_events_than_the_server_takes(self) -> None:
        with self.assertRaisesRegex(ProgrammingError, "maxEventsPerWrite"):
            self.application_recorder().insert_events(stored("a", *range(1, 102)))

    def test_snapshots_are_apart_and_may_be_taken_later_of_an_earlier_version(self) -> None:
        factory = self.factory()
        application, snapshots = factory.application_recorder(), factory.aggregate_recorder("snapshots")
        application.insert_events(stored("a", 1, 2, 3))
        for version in (3, 1):
            snapshots.insert_events(stored("a", version, topic="snapshot"))
        self.assertEqual([1, 3], versions_of(snapshots.select_events("a")))
        self.assertEqual([1], versions_of(snapshots.select_events("a", lte=2, desc=True, limit=1)))
        self.assertEqual(3, application.max_notification_id())
        self.assertEqual(3, len(application.select_notifications(None, 10)))

    def test_ids_are_uuids_or_text(self) -> None:
        for id_type, expected in (("uuid", UUID), ("text", str)):
            recorder = self.factory(id_type, ORIGINATOR_ID_TYPE=id_type).application_recorder()
            recorder.insert_events(stored(uuid4(), 1) + stored("order-1", 1))
            ids = [type(each.originator_id) for each in recorder.select_notifications(None, 10)]
            self.assertEqual([expected, str], ids)
        recorder = self.factory("default").application_recorder()
        recorder.insert_events(stored(uuid4(), 1))
        (notification,) = recorder.select_notifications(None, 10)
        self.assertIsInstance(notification.originator_id, str if EVENTS_HAVE_METADATA else UUID)

    def test_settings_that_are_wrong_are_named(self) -> None:
        topic = "eventsourcing_eventstore:EventStoreAggregateRecorder"
        for name, value in (("ORIGINATOR_ID_TYPE", "number"), ("APPLICATION_RECORDER_TOPIC", topic)):
            with self.assertRaisesRegex(InfrastructureFactoryError, name):
                self.factory(**{name: value}).application_recorder()


class TestApplications(AggregateTestCase):
    def test_each_sees_its_own_events(self) -> None:
        shop, depot = self.application_recorder("Shop"), self.application_recorder("Depot")
        self.assertEqual([1, 2], shop.insert_events(stored("a", 1, 2)))
        self.assertEqual([3], depot.insert_events(stored("a", 1)))
        self.assertEqual([4], shop.insert_events(stored("b", 1)))
        self.assertEqual([1, 2, 4], [each.id for each in shop.select_notifications(None, 10)])
        self.assertEqual([1], versions_of(depot.select_events("a")))
        self.assertEqual((4, 3), (shop.max_notification_id(), depot.max_notification_id()))

    def test_notifications_in_pages(self) -> None:
        recorder = self.application_recorder(page_limit=3)
        recorder.insert_events(stored("a", *range(1, 12)))
        ids = list(range(1, 12))
        for start in (None, 0, 1, 4, 11, 12):
            for limit in (0, 1, 3, 7, 99):
                for stop in (None, 0, 3, 4, 20):
                    for inclusive in (True, False):
                        first = (start or 1) + (0 if inclusive or not start else 1)
                        expected = [each for each in ids if first <= each <= (99 if stop is None else stop)]
                        with self.subTest(start=start, limit=limit, stop=stop, inclusive=inclusive):
                            found = recorder.select_notifications(
                                start, limit, stop, inclusive_of_start=inclusive
                            )
                            self.assertEqual(expected[:limit], [each.id for each in found])

    def test_a_subscription_waits_at_the_server_and_stops_at_once(self) -> None:
        recorder = self.application_recorder()
        recorder.insert_events(stored("a", 1) + stored("a", 2, topic="u"))
        with recorder.subscribe(topics=["u"]) as subscription:
            self.assertEqual(2, next(subscription).id)
            ids: list[int] = []
            thread = threading.Thread(target=lambda: ids.extend(each.id for each in subscription))
            thread.start()
            eventually(lambda: reads_waiting() == 1)
            recorder.insert_events(stored("a", 3) + stored("a", 4, topic="u"))
            eventually(lambda: ids == [4])
            eventually(lambda: reads_waiting() == 1)
            subscription.stop()
            thread.join(WAIT_SECONDS / 2)
            self.assertFalse(thread.is_alive())
        eventually(lambda: reads_waiting() == 0)

    def test_an_event_of_another_program_that_is_no_aggregates_is_named(self) -> None:
        event = {"type": "t", "identifiers": {"application": "Shop", "aggregate": "a"}, "payload": "{}"}
        self.assertEqual(200, request("POST", "/write", {"events": [event]}).status)
        with self.assertRaisesRegex(InterfaceError, "^event 1 of application 'Shop' .* version"):
            self.application_recorder().select_notifications(None, 10)
