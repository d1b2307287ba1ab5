"""The recorder on the real server: cases that the library's own tests leave out."""

import json
import threading

from eventsourcing_eventstore import Client, EventStoreRecorder, StoreChanged
from eventsourcing_eventstore.library import (
    DataError,
    DCBAppendCondition,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)

from .support import TCP_URL, UNIX_URL, StoreTestCase, event, of_type, request, reset


class TestReading(StoreTestCase):
    def test_an_event_comes_back_as_it_was(self) -> None:
        recorder = self.recorder()
        sent = [event("t", b"text", ("b", "a")), event("t", b"\x00\xff"), event("t")]
        sent.append(event("t", "é\n\r".encode()))
        self.assertEqual(4, recorder.append(sent))
        self.assertEqual(sent, [each.event for each in recorder.read()])

    def test_pages_show_the_store_as_it_was_when_the_read_began(self) -> None:
        recorder = EventStoreRecorder(self.client(), page_limit=2)
        recorder.append([event("t") for _ in range(7)] + [event("u")])
        response = recorder.read(of_type("t"), after=1)
        self.assertEqual(8, response.head)
        self.assertEqual(2, next(response).position)
        recorder.append([event("t")])
        self.assertEqual([3, 4, 5, 6, 7], [each.position for each in response])
        self.assertEqual(8, response.head)
        self.assertEqual([], list(response))

    def test_a_limit_may_be_larger_than_a_page(self) -> None:
        recorder = EventStoreRecorder(self.client(), page_limit=2)
        recorder.append([event("t") for _ in range(6)])
        response = recorder.read(limit=5)
        self.assertEqual(None, response.head)
        self.assertEqual([1, 2, 3, 4, 5], [each.position for each in response])
        self.assertEqual(5, response.head)

    def test_head(self) -> None:
        recorder = self.recorder()
        self.assertEqual((None, None), (recorder.head(), recorder.read().head))
        recorder.append([event("t"), event("t")])
        self.assertEqual((2, 2), (recorder.head(), recorder.read(of_type("u")).head))

    def test_others_read_text_as_it_is(self) -> None:
        self.recorder().append([event("Defined", b'{"places":3}', ("course-1",))])
        stored = json.loads(request("QUERY", "/events", {"query": "*"}).body.splitlines()[0])
        self.assertEqual('{"places":3}', stored["payload"])
        self.assertEqual({"tag": "course-1"}, stored["identifiers"])


class TestAppending(StoreTestCase):
    def test_of_racing_threads_one_wins_each_time(self) -> None:
        recorder = self.recorder()
        rejected: list[Exception] = []

        def append_in_turns() -> None:
            while (position := recorder.read().head or 0) < 40:
                try:
                    recorder.append([event("t")], DCBAppendCondition(of_type("t"), after=position))
                except IntegrityError as error:
                    rejected.append(error)

        threads = [threading.Thread(target=append_in_turns) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(40, recorder.head())
        for error in rejected:
            self.assertRegex(str(error), r"^409 ConcurrencyException: conditions\[0\] no longer holds$")

    def test_nothing_to_append(self) -> None:
        with self.assertRaisesRegex(ProgrammingError, "at least one event"):
            self.recorder().append([])

    def test_limits_of_the_server_are_named(self) -> None:
        recorder = self.recorder()
        with self.assertRaisesRegex(DataError, r"^413 PayloadTooLarge: events\[0\] .*maxEventSize"):
            recorder.append([event("t", b"x" * 70_000)])
        with self.assertRaisesRegex(ProgrammingError, r"^400 InvalidRequest: .*maxEventsPerWrite"):
            recorder.append([event("t") for _ in range(101)])
        with self.assertRaisesRegex(ProgrammingError, r"^400 InvalidRequest: events\[0\]"):
            recorder.append([event("t", b"", tuple(f"tag{n}" for n in range(21)))])
        with self.assertRaisesRegex(ProgrammingError, r"^400 InvalidRequest: events\[0\]"):
            recorder.append([event("")])
        self.assertEqual(None, recorder.head())


class TestErrors(StoreTestCase):
    def test_a_wrong_token(self) -> None:
        with Client(TCP_URL, "wrong") as client:
            with self.assertRaisesRegex(OperationalError, "^401 Unauthorized"):
                EventStoreRecorder(client).read()

    def test_a_client_that_was_closed(self) -> None:
        recorder = self.recorder()
        recorder.client.close()
        with self.assertRaisesRegex(InterfaceError, "closed"):
            recorder.read()


class TestReset(StoreTestCase):
    def test_a_recorder_belongs_to_one_store(self) -> None:
        recorder = self.recorder()
        recorder.append([event("t")])
        recorder.read()
        reset()
        for condition in (None, DCBAppendCondition(), DCBAppendCondition(of_type("t"), after=1)):
            with self.assertRaises(StoreChanged):
                recorder.append([event("t")], condition)
        with self.assertRaises(StoreChanged):
            recorder.read()
        self.assertEqual(None, self.recorder().head())

    def test_a_reset_between_two_pages_is_noticed(self) -> None:
        recorder = EventStoreRecorder(self.client(), page_limit=1)
        recorder.append([event("t"), event("t")])
        response = recorder.read()
        self.assertEqual(1, next(response).position)
        reset()
        with self.assertRaises(StoreChanged):
            next(response)

    def test_a_store_can_be_named_beforehand(self) -> None:
        store_id = self.client().store_id
        self.assertEqual(None, self.recorder(UNIX_URL, store_id=store_id).head())
        reset()
        with self.assertRaisesRegex(StoreChanged, store_id):
            self.recorder(UNIX_URL, store_id=store_id).head()
