"""Positions of followers, and rows of views, on the real server."""

import threading
from typing import Any
from unittest.mock import patch

from eventsourcing_eventstore import EventStoreProcessRecorder, EventStoreTrackingRecorder, OutcomeUnknown
from eventsourcing_eventstore.library import (
    EVENTS_HAVE_METADATA,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    StoredEvent,
    Tracking,
)
from eventsourcing_eventstore.stored_events import EventStream

from .support import Relay, StoreTestCase, eventually, request


def stored(aggregate: str, version: int) -> StoredEvent:
    return StoredEvent(originator_id=aggregate, originator_version=version, topic="t", state=b"")


def upstream(position: int) -> Tracking:
    return Tracking("Orders", position)


class TestTracking(StoreTestCase):
    def view(self, name: str = "seats") -> EventStoreTrackingRecorder:
        return EventStoreTrackingRecorder(self.client(), name)

    def processor(self, url: str | None = None) -> EventStoreProcessRecorder:
        client = self.client() if url is None else self.client(url)
        return EventStoreProcessRecorder(client, EventStream("Billing"))

    def test_followers_do_not_share_positions(self) -> None:
        self.view("seats").insert_tracking(upstream(5))
        self.assertEqual(5, self.view("seats").max_tracking_id("Orders"))
        self.assertEqual(None, self.view("prices").max_tracking_id("Orders"))
        found = request("GET", "/projections/seats/_tracking%2FOrders")
        self.assertEqual(b"5", found.body)

    def test_a_position_that_another_process_has_moved(self) -> None:
        first, second = self.view(), self.view()
        first.insert_tracking(upstream(1))
        second.insert_tracking(upstream(4))
        with self.assertRaisesRegex(IntegrityError, "^'seats' is at position 4 of 'Orders': 3 is not ahead"):
            first.insert_tracking(upstream(3))
        second.insert_tracking(upstream(5))
        first.insert_tracking(upstream(6))
        self.assertEqual(6, second.max_tracking_id("Orders"))

    def test_its_own_position_is_not_asked_for_again(self) -> None:
        view = self.view()
        with patch.object(view.client, "projection", wraps=view.client.projection) as asked:
            for position in range(1, 6):
                view.insert_tracking(upstream(position))
        self.assertEqual(1, asked.call_count)

    def test_of_racing_processors_one_records_what_follows_from_each_event(self) -> None:
        recorded: list[int] = []

        def process(number: int) -> None:
            recorder = self.processor()
            for position in range(1, 21):
                event = stored(f"{number}", position)
                try:
                    recorder.insert_events([event], tracking=upstream(position))
                    recorded.append(position)
                except IntegrityError:
                    pass

        threads = [threading.Thread(target=process, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(set(recorded)), sorted(recorded))
        self.assertEqual(20, max(recorded))
        self.assertEqual(len(recorded), len(self.processor().select_notifications(None, 100)))

    def test_a_version_that_exists_moves_no_position(self) -> None:
        recorder = self.processor()
        event = stored("a", 1)
        recorder.insert_events([event], tracking=upstream(1))
        with self.assertRaises(IntegrityError):
            recorder.insert_events([event], tracking=upstream(2))
        self.assertEqual(1, recorder.max_tracking_id("Orders"))
        recorder.insert_events([], tracking=upstream(2))
        self.assertEqual(2, recorder.max_tracking_id("Orders"))

    def test_after_a_restore_no_event_is_recorded_a_second_time(self) -> None:
        recorder = self.processor()
        recorder.insert_events([stored("a", 1), stored("b", 1)], tracking=upstream(7))
        recorder.insert_events([stored("c", 1)], tracking=Tracking("Other", 9))
        recorder.insert_events([stored("d", 1)])
        # As a restore does, which brings back the events.
        self.assertEqual(204, request("DELETE", "/projections").status)
        restored = self.processor()
        self.assertEqual((7, 9), (restored.max_tracking_id("Orders"), restored.max_tracking_id("Other")))
        self.assertEqual(None, restored.max_tracking_id("Depot"))
        for each in (recorder, restored):
            with self.assertRaisesRegex(IntegrityError, "is at position 7 of 'Orders'"):
                each.insert_events([stored("e", 1)], tracking=upstream(7))
        recorder.insert_events([stored("e", 1)], tracking=upstream(8))
        self.assertEqual(8, restored.max_tracking_id("Orders"))
        self.assertEqual(5, len(restored.select_notifications(None, 10)))
        if EVENTS_HAVE_METADATA:
            for notification in restored.select_notifications(None, 10):
                self.assertEqual({}, notification.metadata)  # type: ignore[attr-defined]

    def test_a_lost_answer_is_not_processed_twice(self) -> None:
        relay = Relay()
        self.addCleanup(relay.close)
        recorder = self.processor(relay.url)
        recorder.insert_events([stored("a", 1)], tracking=upstream(1))
        relay.swallows_answers = True
        with self.assertRaises(OutcomeUnknown):
            recorder.insert_events([stored("a", 2)], tracking=upstream(2))
        relay.swallows_answers = False
        eventually(lambda: self.processor().max_tracking_id("Orders") == 2)
        with self.assertRaisesRegex(IntegrityError, "is at position 2"):
            recorder.insert_events([stored("a", 3)], tracking=upstream(2))


class TestRows(StoreTestCase):
    def view(self) -> EventStoreTrackingRecorder:
        return EventStoreTrackingRecorder(self.client(), "seats")

    def test_rows_change_with_the_position_or_not_at_all(self) -> None:
        view = self.view()
        view.update_rows(upstream(1), {"c1": lambda _: {"free": 3}, "c/2 é": lambda _: [1]})
        self.assertEqual(({"free": 3}, [1], None), (view.row("c1"), view.row("c/2 é"), view.row("c3")))
        view.update_rows(upstream(2), {"c1": lambda row: {"free": row["free"] - 1}, "c/2 é": lambda _: None})
        self.assertEqual(({"free": 2}, None), (view.row("c1"), view.row("c/2 é")))
        with self.assertRaises(IntegrityError):
            view.update_rows(upstream(2), {"c1": lambda _: None})
        self.assertEqual({"free": 2}, view.row("c1"))
        self.assertEqual(b'{"free":2}', request("GET", "/projections/seats/c1").body)

    def test_who_deletes_the_type_begins_the_view_anew(self) -> None:
        view = self.view()
        view.update_rows(upstream(3), {"c1": lambda _: 1})
        self.assertEqual(204, request("DELETE", "/projections/seats").status)
        with self.assertRaisesRegex(OperationalError, "^the position of 'seats' in 'Orders' was deleted"):
            view.update_rows(upstream(4), {"c1": lambda row: (row or 0) + 1})
        view = self.view()
        self.assertEqual((None, None), (view.max_tracking_id("Orders"), view.row("c1")))
        view.update_rows(upstream(1), {"c1": lambda row: row or 5})
        self.assertEqual((1, 5), (view.max_tracking_id("Orders"), view.row("c1")))
        with self.assertRaisesRegex(ProgrammingError, "the key of a row cannot begin with _tracking/"):
            view.update_rows(upstream(2), {"_tracking/Orders": lambda _: 1})

    def test_no_change_of_another_follower_is_lost(self) -> None:
        def count(application: str) -> None:
            view = self.view()
            for position in range(1, 26):
                view.update_rows(Tracking(application, position), {"all": lambda n: (n or 0) + 1})

        threads = [threading.Thread(target=count, args=(f"app{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(100, self.view().row("all"))

    def test_an_error_of_a_change_changes_nothing(self) -> None:
        def fail(_: Any) -> Any:
            raise KeyError("seat")

        view = self.view()
        with self.assertRaises(KeyError):
            view.update_rows(upstream(1), {"c1": lambda _: 1, "c2": fail})
        self.assertEqual((None, None), (view.max_tracking_id("Orders"), view.row("c1")))
