"""Decisions as JSON: a mapper in version 9.5, a transcoder in version 10."""

import json
import unittest
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from eventsourcing_eventstore.json_decisions import decode, encode
from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA, DataError

from .support import UNIX_URL, StoreTestCase, event, request

HERE = __name__


@dataclass
class Line:
    item: str
    count: int


@dataclass
class Closed:
    pass


@dataclass
class Priced:
    price: Decimal
    at: datetime
    lines: list[Line]
    note: str | None = None


class TestDecisions(unittest.TestCase):
    def test_a_decision_comes_back_as_it_was(self) -> None:
        priced = Priced(Decimal("1.50"), datetime(2026, 1, 2, tzinfo=timezone.utc), [Line("tea", 2)])
        data = encode(priced, "Priced")
        expected = b'{"price":"1.50","at":"2026-01-02T00:00:00Z","lines":[{"item":"tea","count":2}],"note":null}'
        self.assertEqual(expected, data)
        self.assertEqual(priced, decode(data, Priced, "Priced"))

    def test_what_other_programs_write(self) -> None:
        for data, expected in (
            (b'{"item":"tea","count":2,"more":[1]}', Line("tea", 2)),
            (b"null", Closed()),
            (b'{"by":"Ada"}', Closed()),
        ):
            self.assertEqual(expected, decode(data, type(expected), "T"))
        for data in (b'{"item":"tea","count":"two"}', b'{"item":"tea"}', b"null", b"tea"):
            with self.assertRaisesRegex(DataError, "^the payload of an event is not a Line: "):
                decode(data, Line, "Line")

    def test_what_cannot_be_json(self) -> None:
        with self.assertRaisesRegex(DataError, "^Line cannot be stored as JSON"):
            encode(Line("tea", object()), "Line")  # type: ignore[arg-type]


@unittest.skipIf(EVENTS_HAVE_METADATA, "version 10 has transcoders")
class TestMapper(unittest.TestCase):
    def test_a_tagged_decision(self) -> None:
        from eventsourcing.dcb.domain import Tagged

        from eventsourcing_eventstore.json_mapper import JSONMapper

        mapper: Any = JSONMapper()
        tagged: Any = Tagged(tags=["a"], decision=Line("tea", 2))
        stored = mapper.to_dcb_event(tagged)
        self.assertEqual((f"{HERE}:Line", b'{"item":"tea","count":2}'), (stored.type, stored.data))
        read = mapper.to_domain_event(stored)
        self.assertEqual((tagged.decision, ["a"]), (read.decision, read.tags))
        with self.assertRaisesRegex(DataError, f"not a {HERE}:Line"):
            mapper.to_domain_event(event(f"{HERE}:Line", b"null"))


@unittest.skipUnless(EVENTS_HAVE_METADATA, "version 9.5 has mappers")
class TestTranscoder(StoreTestCase):
    def test_an_application_and_another_program_share_events(self) -> None:
        import eventsourcing.dcb.application
        from eventsourcing.domain import Selector, TaggedEvent  # type: ignore[attr-defined]

        from . import decisions_of_10 as decisions

        library: Any = eventsourcing.dcb.application
        env = {
            "PERSISTENCE_MODULE": "eventsourcing_eventstore",
            "EVENTSTORE_URL": UNIX_URL,
            "TRANSCODER_TOPIC": "eventsourcing_eventstore.json_transcoder:JSONTranscoder",
            "EVENTSTORE_TAG_SEPARATOR": ":",
            "EVENTSTORE_TYPE_MODULES": decisions.__name__,
        }
        foreign = [
            {"type": "Defined", "identifiers": {"course": "c1"}, "payload": '{"capacity":30}'},
            {"type": "Subscribed", "identifiers": {"course": "c1", "student": "s1"}, "payload": "null"},
        ]
        request("POST", "/write", {"events": foreign})
        with library.DcbApplication(env=env) as app:
            boundary = Selector(types=[decisions.Defined, decisions.Subscribed], tags=["course:c1"])
            known = app.events.read(boundary)
            defined, subscribed = known
            self.assertEqual(decisions.Defined(capacity=30), defined.decision)
            self.assertEqual(["course:c1", "student:s1"], subscribed.tags)
            self.assertIsInstance(subscribed.decision, decisions.Subscribed)
            mine = TaggedEvent(tags=["course:c1", "student:s2"], decision=decisions.Subscribed())
            app.events.append([mine], boundary, after=known.head)
        stored = json.loads(request("QUERY", "/events", {"query": "*"}).body.splitlines()[2])
        self.assertEqual(("Subscribed", "{}"), (stored["type"], stored["payload"]))
        self.assertEqual({"course": "c1", "student": "s2"}, stored["identifiers"])
