"""Subscriptions on the real server. They do not poll, and lose, repeat or miss no event."""

import threading
from dataclasses import replace
from typing import Any

from eventsourcing_eventstore import Client, EventStoreRecorder, EventStoreSubscription, StoreChanged
from eventsourcing_eventstore.client import Page
from eventsourcing_eventstore.following import WAIT_SECONDS
from eventsourcing_eventstore.stopping import Stopping

from .support import UNIX_URL, Relay, StoreTestCase, event, eventually, of_type, reads_waiting, reset

WRITERS = 4
WRITES = 100


class Follower(threading.Thread):
    """Takes events from a subscription until it ends or has yielded the wanted number."""

    def __init__(self, subscription: EventStoreSubscription, wanted: int | None = None) -> None:
        super().__init__()
        self.positions: list[int] = []
        self.error: Exception | None = None
        self._subscription = subscription
        self._wanted = wanted
        self.start()

    def run(self) -> None:
        try:
            for each in self._subscription:
                self.positions.append(each.position)
                if len(self.positions) == self._wanted:
                    return
        except Exception as error:
            self.error = error


class TestSubscription(StoreTestCase):
    def test_it_waits_at_the_server(self) -> None:
        recorder = self.recorder()
        recorder.append([event("t"), event("u")])
        with recorder.subscribe(of_type("t")) as subscription:
            self.assertEqual(1, next(subscription).position)
            follower = Follower(subscription, 1)
            eventually(lambda: reads_waiting() == 1)
            recorder.append([event("u"), event("t")])
            follower.join()
        self.assertEqual([4], follower.positions)

    def test_stopping_ends_the_wait_at_once(self) -> None:
        for url in (UNIX_URL, self.relay().url):
            recorder = self.recorder(url)
            subscription = recorder.subscribe()
            follower = Follower(subscription)
            eventually(lambda: reads_waiting() == 1)
            subscription.stop()
            follower.join(WAIT_SECONDS / 2)
            self.assertFalse(follower.is_alive())
            self.assertEqual(([], None), (follower.positions, follower.error))
            eventually(lambda: reads_waiting() == 0)
            self.assertRaises(StopIteration, next, subscription)
            # The recorder continues on another connection.
            self.assertEqual(None, recorder.head())

    def test_stopping_also_ends_the_tries_to_connect(self) -> None:
        relay = self.relay()
        recorder = self.recorder(relay.url, retry_seconds=3600)
        recorder.head()
        relay.close()
        subscription = recorder.subscribe()
        follower = Follower(subscription)
        subscription.stop()
        follower.join()
        self.assertEqual(None, follower.error)

    def test_it_begins_after_a_position_even_one_to_come(self) -> None:
        recorder = self.recorder()
        recorder.append([event("t") for _ in range(3)])
        with recorder.subscribe(after=2) as earlier, recorder.subscribe(after=4) as later:
            self.assertEqual(3, next(earlier).position)
            recorder.append([event("t") for _ in range(2)])
            self.assertEqual(5, next(later).position)

    def test_pages(self) -> None:
        recorder = EventStoreRecorder(self.client(), page_limit=2)
        recorder.append([event("t") for _ in range(5)])
        with recorder.subscribe() as subscription:
            self.assertEqual([1, 2, 3, 4, 5], [next(subscription).position for _ in range(5)])

    def test_with_writers_and_broken_connections_each_event_comes_once_and_in_order(self) -> None:
        relay = self.relay()
        total = WRITERS * WRITES
        follower = Follower(self.recorder(relay.url).subscribe(of_type("t")), total)
        writers = [threading.Thread(target=self._write) for _ in range(WRITERS)]
        for thread in writers:
            thread.start()
        while follower.is_alive():
            seen = len(follower.positions)
            # However slow the machine is, some events are delivered in between.
            eventually(lambda: len(follower.positions) > seen + 20 or not follower.is_alive())
            relay.break_connections()
        for thread in writers:
            thread.join()
        self.assertEqual(None, follower.error)
        self.assertEqual(list(range(1, total + 1)), follower.positions)
        self.assertGreater(relay.accepted, 2)

    def test_a_reset_ends_it_with_an_error(self) -> None:
        recorder = self.recorder()
        recorder.append([event("t")])
        follower = Follower(recorder.subscribe(after=1))
        eventually(lambda: reads_waiting() == 1)
        reset()
        follower.join()
        self.assertIsInstance(follower.error, StoreChanged)

    def test_a_failover_that_lost_events_ends_it_with_an_error(self) -> None:
        class LosesEvents(Client):
            lost = 0

            def read_page(self, request: dict[str, Any], stopping: Stopping | None = None) -> Page:
                page = super().read_page(request, stopping)
                return replace(page, head=page.head - self.lost)

        client = LosesEvents(UNIX_URL)
        self.addCleanup(client.close)
        recorder = EventStoreRecorder(client)
        recorder.append([event("t"), event("t")])
        with recorder.subscribe() as subscription:
            self.assertEqual([1, 2], [next(subscription).position for _ in range(2)])
            recorder.append([event("t")])
            client.lost = 2
            with self.assertRaisesRegex(StoreChanged, "after event 2, and the store ends at 1"):
                next(subscription)

    def relay(self) -> Relay:
        relay = Relay()
        self.addCleanup(relay.close)
        return relay

    def _write(self) -> None:
        recorder = self.recorder()
        for _ in range(WRITES):
            recorder.append([event("t")])
