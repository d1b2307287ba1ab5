"""Persons who are forgotten, with both plain clients on the real server."""

from eventsourcing_eventstore.plain import EventStore, NewEvent, QueryItem, SubjectNotFound

from .plain_support import Awaited, PlainTestCase

FORGOTTEN = NewEvent("PersonForgotten", None, {"person": "p1"})


class OfBothKinds:
    """Hides the tests from the search: two classes run them."""

    class Tests(PlainTestCase):
        def test_a_person_is_forgotten(self) -> None:
            store = self.store()
            for person in ("p1", "p2"):
                store.append(NewEvent("Registered", {"name": f"Ada {person}"}, {"person": person}))
            done = store.forget("person", "p1")
            self.assertEqual(("now", []), (done.forgotten, done.sequences))
            first, second = store.read_all("*")
            self.assertEqual((None, ("person",)), (first.payload, first.forgotten))
            self.assertEqual(({"name": "Ada p2"}, ()), (second.payload, second.forgotten))
            done = store.forget("person", "p1", FORGOTTEN)
            self.assertEqual(("before", [3]), (done.forgotten, done.sequences))
            texts = [(each.payload, each.forgotten) for each in self.store(payload="text").read("*").events]
            self.assertEqual([("", ("person",)), ('{"name":"Ada p2"}', ()), ("null", ())], texts)

        def test_an_unknown_person_is_told_apart_and_nothing_is_written(self) -> None:
            store = self.store()
            store.append(NewEvent("Registered", None, {"person": "p1"}))
            with self.assertRaisesRegex(SubjectNotFound, "404 SubjectNotFound"):
                store.forget("person", "p2", [FORGOTTEN])
            self.assertEqual(1, store.head().sequence)

        def test_a_decision_meets_a_forgotten_event(self) -> None:
            store = self.store()
            store.append(NewEvent("Registered", {"name": "Ada"}, {"person": "p1"}))
            store.forget("person", "p1")
            seen = []
            store.decide(QueryItem(types=["Registered"]), lambda events: seen.extend(events))
            self.assertEqual([(None, ("person",))], [(each.payload, each.forgotten) for each in seen])


class TestForgetting(OfBothKinds.Tests):
    kind = EventStore


class TestForgettingAsync(OfBothKinds.Tests):
    kind = Awaited
