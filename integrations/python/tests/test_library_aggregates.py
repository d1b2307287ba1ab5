"""The library's own tests of recorders, factories, applications and projections, unchanged, on the real server."""

import os
from typing import Any
from unittest.mock import patch

import eventsourcing.tests.application
import eventsourcing.tests.persistence
import eventsourcing.tests.projection
from eventsourcing.persistence import Tracking
from eventsourcing.utils import Environment

from eventsourcing_eventstore import (
    EventStoreAggregateRecorder,
    EventStoreApplicationRecorder,
    EventStoreFactory,
    EventStoreProcessRecorder,
    EventStoreTrackingRecorder,
)
from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA

from .support import TCP_URL, TOKEN, StoreTestCase

suite: Any = eventsourcing.tests.persistence
applications: Any = eventsourcing.tests.application
projections: Any = eventsourcing.tests.projection

ENV = {
    "PERSISTENCE_MODULE": "eventsourcing_eventstore",
    "EVENTSTORE_URL": TCP_URL,
    "EVENTSTORE_TOKEN": TOKEN,
}


class OnTheStore(StoreTestCase):
    """Makes recorders with the factory, and closes it."""

    def factory_of(self, name: str = "") -> EventStoreFactory:
        factory = EventStoreFactory(Environment(name, ENV))
        self.addCleanup(factory.close)
        return factory


# `getattr` hides the base classes from the search for tests.
class TestAggregateRecorder(OnTheStore, getattr(suite, "AggregateRecorderTestCase")):  # type: ignore[misc]
    def create_recorder(self) -> EventStoreAggregateRecorder:
        return self.factory_of().aggregate_recorder()


class TestApplicationRecorder(OnTheStore, getattr(suite, "ApplicationRecorderTestCase")):  # type: ignore[misc]
    def create_recorder(self) -> EventStoreApplicationRecorder:
        return self.factory_of().application_recorder()

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestTrackingRecorder(OnTheStore, getattr(suite, "TrackingRecorderTestCase")):  # type: ignore[misc]
    def create_recorder(self) -> EventStoreTrackingRecorder:
        return self.factory_of().tracking_recorder()


class TestProcessRecorder(OnTheStore, getattr(suite, "ProcessRecorderTestCase")):  # type: ignore[misc]
    def create_recorder(self) -> EventStoreProcessRecorder:
        return self.factory_of().process_recorder()


NonInterleaving: Any = getattr(suite, "NonInterleavingNotificationIDsBaseCase")


class TestNonInterleaving(OnTheStore, NonInterleaving):  # type: ignore[misc]
    """Inserts 1,000 events at once: the server of the tests allows that (maxEventsPerWrite)."""

    def create_recorder(self) -> EventStoreApplicationRecorder:
        return self.factory_of().application_recorder()


class OtherApplicationRecorder(EventStoreApplicationRecorder):
    """Classes that the settings of the library name."""


class OtherTrackingRecorder(EventStoreTrackingRecorder):
    pass


class OtherProcessRecorder(EventStoreProcessRecorder):
    pass


class TestFactory(getattr(suite, "InfrastructureFactoryTestCase")):  # type: ignore[misc]
    def setUp(self) -> None:
        self.env = Environment("Test", dict(ENV))
        super().setUp()

    def expected_factory_class(self) -> type:
        return EventStoreFactory

    def expected_aggregate_recorder_class(self) -> type:
        return EventStoreAggregateRecorder

    def expected_application_recorder_class(self) -> type:
        return EventStoreApplicationRecorder

    def application_recorder_subclass(self) -> type:
        return OtherApplicationRecorder

    def expected_tracking_recorder_class(self) -> type:
        return EventStoreTrackingRecorder

    def tracking_recorder_subclass(self) -> type:
        return OtherTrackingRecorder

    def expected_process_recorder_class(self) -> type:
        return EventStoreProcessRecorder

    def process_recorder_subclass(self) -> type:
        return OtherProcessRecorder


class ByVariables(StoreTestCase):
    """Environment variables name the persistence module of every application."""

    def setUp(self) -> None:
        super().setUp()
        variables = patch.dict(os.environ, ENV)
        variables.start()
        self.addCleanup(variables.stop)


class TestExampleApplication(ByVariables, getattr(applications, "ExampleApplicationTestCase")):  # type: ignore[misc]
    expected_factory_topic = "eventsourcing_eventstore.factory:EventStoreFactory"


class TestApplication(ByVariables, getattr(applications, "ApplicationTestCase")):  # type: ignore[misc]
    """Those of caches, snapshots and applications in general."""


class Counters(EventStoreTrackingRecorder, projections.EventCountersView):  # type: ignore[misc]
    """The counters of the tests of projections, as rows in the store."""

    def wait(self, *args: Any, **kwargs: Any) -> None:
        """Waits longer than the library's second, which is short on a busy machine."""
        super().wait(*args, **{"timeout": 5.0, **kwargs})

    def get_first(self) -> int:
        return self.row("first") or 0

    def get_others(self) -> int:
        return self.row("others") or 0

    def incr_first(self, tracking: Tracking) -> None:
        self.update_rows(tracking, {"first": lambda count: (count or 0) + 1})

    def incr_others(self, tracking: Tracking) -> None:
        self.update_rows(tracking, {"others": lambda count: (count or 0) + 1})

    # Names in 9.5.
    get_created_event_counter, incr_created_event_counter = get_first, incr_first
    get_subsequent_event_counter, incr_subsequent_event_counter = get_others, incr_others
    # Names in 10.
    get_student_registered_counter, incr_student_registered_counter = get_first, incr_first
    get_student_name_changed_counter, incr_student_name_changed_counter = get_others, incr_others


class TestView(OnTheStore, getattr(projections, "EventCountersViewTestCase")):  # type: ignore[misc]
    def construct_event_counters_view(self) -> Counters:
        view = self.factory_of("counters").tracking_recorder(Counters)
        assert isinstance(view, Counters)
        return view


AggregateProjection: Any = getattr(projections, "AggregateEventCountersProjectionTestCase")


class TestAggregateProjection(StoreTestCase, AggregateProjection):  # type: ignore[misc]
    view_class = Counters
    env = ENV


DecisionProjection: Any = getattr(
    projections,
    "DecisionCountersProjectionTestCase"
    if EVENTS_HAVE_METADATA
    else "TaggedDecisionCountersProjectionTestCase",
)


class TestDecisionProjection(StoreTestCase, DecisionProjection):  # type: ignore[misc]
    """The events of decisions, and the view as well, are in the store."""

    view_class = Counters
    env = {**ENV, "MAPPER_TOPIC": "eventsourcing.dcb.msgpack:MessagePackMapper"}


class TestEventSourcedProjection(StoreTestCase, getattr(projections, "EventSourcedProjectionTestCase")):  # type: ignore[misc]
    env = ENV


del NonInterleaving, AggregateProjection, DecisionProjection
