"""The settings that let programs in other languages share events: names of tags and of types."""

import json
import unittest

from eventsourcing.utils import Environment

from eventsourcing_eventstore import EventStoreFactory
from eventsourcing_eventstore.library import (
    DCBQuery,
    DCBQueryItem,
    InfrastructureFactoryError,
    ProgrammingError,
)
from eventsourcing_eventstore.names import Names

from .support import UNIX_URL, StoreTestCase, event, request


class Opened:
    """A class that this module has, and the module `other_names` as well."""

    class Nested:
        pass


HERE = __name__
OTHER = f"{__name__.rpartition('.')[0]}.other_names"


class TestTags(unittest.TestCase):
    def test_a_tag_and_its_identifier(self) -> None:
        for separator in (":", "="):
            names = Names(separator)
            for tag, expected in (
                (f"course{separator}c1", ("course", "c1")),
                (f"course{separator}a{separator}b", ("course", f"a{separator}b")),
                (f"course{separator}", ("course", "")),
                ("course", ("tag", "course")),
                (f"{separator}c1", ("tag", f"{separator}c1")),
                (f"tag{separator}c1", ("tag", f"tag{separator}c1")),
            ):
                with self.subTest(tag):
                    self.assertEqual(expected, names.identifier_of(tag))
                    self.assertEqual([tag], names.tags_of({expected[0]: expected[1]}))

    def test_several_values_and_repeated_tags(self) -> None:
        names = Names(":")
        identifiers = names.identifiers_of(["course:c1", "vip", "course:c2", "course:c1"])
        self.assertEqual({"course": ["c1", "c2"], "tag": ["vip"]}, identifiers)
        self.assertEqual(["course:c1", "course:c2", "vip"], names.tags_of({**identifiers}))

    def test_identifiers_that_no_tag_has_are_omitted(self) -> None:
        self.assertEqual([], Names().tags_of({"course": "c1"}))
        self.assertEqual(["a:b"], Names(":").tags_of({"a": "b", "a:b": "c", "": "d", "tag": "course:c1"}))


class TestTypes(unittest.TestCase):
    def test_a_topic_and_its_type(self) -> None:
        names = Names(type_modules=(HERE,))
        for name in ("Opened", "Opened.Nested"):
            self.assertEqual(name, names.type_of(f"{HERE}:{name}"))
            self.assertEqual(f"{HERE}:{name}", names.topic_of(name))

    def test_other_topics_and_types_stay(self) -> None:
        names = Names(type_modules=(HERE,))
        for text in ("json:JSONDecoder", "Unknown", f"{HERE}.more:Opened", "a:b:c"):
            self.assertEqual((text, text), (names.type_of(text), names.topic_of(text)))
        self.assertEqual(f"{HERE}:Opened", Names().type_of(f"{HERE}:Opened"))

    def test_a_type_that_two_modules_have_is_written_by_the_first_only(self) -> None:
        names = Names(type_modules=(OTHER, HERE))
        self.assertEqual("Opened", names.type_of(f"{OTHER}:Opened"))
        with self.assertRaisesRegex(ProgrammingError, f"{HERE}:Opened and {OTHER}:Opened"):
            names.type_of(f"{HERE}:Opened")

    def test_settings_that_are_wrong_are_named(self) -> None:
        for name, value in (
            ("EVENTSTORE_TAG_SEPARATOR", "::"),
            ("EVENTSTORE_TAG_SEPARATOR", "a"),
            ("EVENTSTORE_TYPE_MODULES", "json, nowhere.to_be_found"),
        ):
            with self.assertRaisesRegex(InfrastructureFactoryError, f"^{name}.*{value[-5:]}"):
                EventStoreFactory(Environment("", {"EVENTSTORE_URL": UNIX_URL, name: value}))


class TestOnTheStore(StoreTestCase):
    def test_events_of_another_program(self) -> None:
        env = {"EVENTSTORE_TAG_SEPARATOR": "=", "EVENTSTORE_TYPE_MODULES": f"json, {HERE}"}
        factory = EventStoreFactory(Environment("", {"EVENTSTORE_URL": UNIX_URL, **env}))
        self.addCleanup(factory.close)
        recorder = factory.dcb_recorder()
        foreign = {"type": "Opened", "identifiers": {"account": "a1", "owner": ["x", "y"]}, "payload": "{}"}
        request("POST", "/write", {"events": [foreign]})
        query = DCBQuery(items=[DCBQueryItem(types=[f"{HERE}:Opened"], tags=["account=a1", "owner=y"])])
        (read,) = recorder.read(query)
        self.assertEqual(f"{HERE}:Opened", read.event.type)
        self.assertEqual(["account=a1", "owner=x", "owner=y"], read.event.tags)
        recorder.append([event(f"{HERE}:Opened.Nested", b"{}", ("account=a1",))])
        stored = json.loads(request("QUERY", "/events", {"query": "*"}).body.splitlines()[1])
        self.assertEqual(("Opened.Nested", {"account": "a1"}), (stored["type"], stored["identifiers"]))
        with recorder.subscribe(query) as subscription:
            self.assertEqual(read, next(subscription))

    def test_types_of_aggregates(self) -> None:
        env = {"EVENTSTORE_URL": UNIX_URL, "EVENTSTORE_TYPE_MODULES": HERE}
        factory = EventStoreFactory(Environment("Bank", env))
        self.addCleanup(factory.close)
        recorder = factory.application_recorder()
        foreign = {
            "type": "Opened",
            "identifiers": {"application": "Bank", "aggregate": "a1", "version": "1"},
            "payload": "{}",
        }
        request("POST", "/write", {"events": [foreign]})
        (notification,) = recorder.select_notifications(None, 10, topics=[f"{HERE}:Opened"])
        self.assertEqual((f"{HERE}:Opened", 1), (notification.topic, notification.originator_version))
