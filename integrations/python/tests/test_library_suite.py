"""The library's own tests, unchanged from its package, on the real server."""

from typing import Any

import eventsourcing.dcb.tests
import eventsourcing.tests.projection
from eventsourcing.persistence import Tracking
from eventsourcing.popo import POPOTrackingRecorder

from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA

from .support import TCP_URL, TOKEN, UNIX_URL, StoreTestCase

recorder_suite: Any = eventsourcing.dcb.tests
projection_suite: Any = eventsourcing.tests.projection

if EVENTS_HAVE_METADATA:
    RecorderTestCase = recorder_suite.DcbRecorderTestCase
    projections = "DecisionCountersProjectionTestCase"
else:
    RecorderTestCase = recorder_suite.DCBRecorderTestCase
    projections = "TaggedDecisionCountersProjectionTestCase"


class TestRecorderOfLibrary(StoreTestCase, RecorderTestCase):  # type: ignore[misc, valid-type]
    def test_append_read(self) -> None:
        for url in (UNIX_URL, TCP_URL):
            with self.subTest(url):
                self._test_append_read(self.recorder(url))

    def test_append_subscribe(self) -> None:
        for url in (UNIX_URL, TCP_URL):
            with self.subTest(url):
                self._test_append_subscribe(self.recorder(url))


class Counters(POPOTrackingRecorder, projection_suite.EventCountersView):  # type: ignore[misc]
    """The counters of the tests of projections, in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._first = 0
        self._others = 0

    def get_first(self) -> int:
        return self._first

    def get_others(self) -> int:
        return self._others

    def incr_first(self, tracking: Tracking) -> None:
        with self._database_lock:
            self.insert_tracking(tracking)
            self._first += 1

    def incr_others(self, tracking: Tracking) -> None:
        with self._database_lock:
            self.insert_tracking(tracking)
            self._others += 1

    # Names in 9.5.
    get_created_event_counter, incr_created_event_counter = get_first, incr_first
    get_subsequent_event_counter, incr_subsequent_event_counter = get_others, incr_others
    # Names in 10.
    get_student_registered_counter, incr_student_registered_counter = get_first, incr_first
    get_student_name_changed_counter, incr_student_name_changed_counter = get_others, incr_others


# `getattr` hides the base class from the search for tests.
class TestProjectionsOfLibrary(StoreTestCase, getattr(projection_suite, projections)):  # type: ignore[misc]
    view_class = Counters
    env = {
        "DCBAPPLICATION_PERSISTENCE_MODULE": "eventsourcing_eventstore",
        "EVENTSTORE_URL": TCP_URL,
        "EVENTSTORE_TOKEN": TOKEN,
        "MAPPER_TOPIC": "eventsourcing.dcb.msgpack:MessagePackMapper",
    }
