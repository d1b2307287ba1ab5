"""The library's own tests, as they are in its package, on the real server."""

from typing import Any

import eventsourcing.dcb.tests
from eventsourcing.persistence import Tracking
from eventsourcing.popo import POPOTrackingRecorder

from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA

from .support import TCP_URL, TOKEN, UNIX_URL, StoreTestCase, reset

recorder_suite: Any = eventsourcing.dcb.tests
RecorderTestCase: Any = (
    recorder_suite.DcbRecorderTestCase if EVENTS_HAVE_METADATA else recorder_suite.DCBRecorderTestCase
)


class TestRecorderOfLibrary(StoreTestCase, RecorderTestCase):  # type: ignore[misc]
    def test_append_read(self) -> None:
        for url in (UNIX_URL, TCP_URL):
            with self.subTest(url):
                self._test_append_read(self.recorder(url))

    def test_append_subscribe(self) -> None:
        for url in (UNIX_URL, TCP_URL):
            with self.subTest(url):
                self._test_append_subscribe(self.recorder(url))


if not EVENTS_HAVE_METADATA:
    from eventsourcing.tests import projection as projection_suite

    class CountersView(POPOTrackingRecorder, projection_suite.EventCountersView):
        """What the tests of projections count, in memory."""

        def __init__(self) -> None:
            super().__init__()
            self._created = 0
            self._subsequent = 0

        def get_created_event_counter(self) -> int:
            return self._created

        def get_subsequent_event_counter(self) -> int:
            return self._subsequent

        def incr_created_event_counter(self, tracking: Tracking) -> None:
            with self._database_lock:
                self._insert_tracking(tracking)
                self._created += 1

        def incr_subsequent_event_counter(self, tracking: Tracking) -> None:
            with self._database_lock:
                self._insert_tracking(tracking)
                self._subsequent += 1

    class TestProjectionsOfLibrary(projection_suite.TaggedDecisionCountersProjectionTestCase):
        view_class = CountersView
        env = {
            "DCBAPPLICATION_PERSISTENCE_MODULE": "eventsourcing_eventstore",
            "EVENTSTORE_URL": TCP_URL,
            "EVENTSTORE_TOKEN": TOKEN,
            "MAPPER_TOPIC": "eventsourcing.dcb.msgpack:MessagePackMapper",
        }

        def setUp(self) -> None:
            reset(TCP_URL)

    del projection_suite
