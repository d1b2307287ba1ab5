"""Events, queries and conditions of the library, as the store has them."""

import json
import unittest
from typing import Any
from uuid import UUID, uuid5

from eventsourcing_eventstore.library import (
    EVENTS_HAVE_METADATA,
    DCBAppendCondition,
    DCBQuery,
    DCBQueryItem,
    ProgrammingError,
)
from eventsourcing_eventstore.mapping import (
    condition_to_json,
    event_of_line,
    event_to_json,
    query_to_json,
)

from .support import event, of_type

STORE = "5f0a1c9e-6d57-4d3e-9c55-0b1f3a8d2e41"


def line(**fields: object) -> bytes:
    stored = {"sequence": 7, "time": "", "type": "t", "identifiers": {}, "metadata": {}, "payload": ""}
    return json.dumps({**stored, **fields}).encode()


class TestEvents(unittest.TestCase):
    def test_text_is_stored_unchanged_and_tags_are_identifiers(self) -> None:
        sent = event_to_json(event("Defined", '{"name":"Ää\0"}'.encode(), ("course-1", "student-1")))
        self.assertEqual('{"name":"Ää\0"}', sent["payload"])
        self.assertEqual({"tag": ["course-1", "student-1"]}, sent["identifiers"])

    def test_data_that_is_no_text_becomes_base64(self) -> None:
        sent = event_to_json(event("t", b"\x81\xa1a\xff"))
        self.assertEqual("gaFh/w==", sent["payload"])
        self.assertEqual("base64", sent["metadata"]["eventsourcing-encoding"])

    def test_a_repeated_tag_counts_once_and_the_order_stays(self) -> None:
        sent = event_to_json(event("t", b"", ("b", "a", "b")))
        self.assertEqual({"tag": ["b", "a"]}, sent["identifiers"])

    def test_an_event_of_another_program(self) -> None:
        stored = event_of_line(line(identifiers={"course": "c1", "tag": "x"}, payload="é"), STORE)
        self.assertEqual((7, "t"), (stored.position, stored.event.type))
        self.assertEqual(("é".encode(), ["x"]), (stored.event.data, stored.event.tags))

    @unittest.skipUnless(EVENTS_HAVE_METADATA, "events have no metadata before version 10")
    def test_uuid_and_metadata(self) -> None:
        original: Any = event("t", b"\xff", by="web")
        sent = event_to_json(original)
        own = {"eventsourcing-uuid": str(original.uuid), "eventsourcing-encoding": "base64"}
        self.assertEqual({"by": "web", **own}, sent["metadata"])
        self.assertEqual(original, event_of_line(line(**sent), STORE).event)
        for name in own:
            for data in (b"text", b"\xff"):
                with self.assertRaisesRegex(ProgrammingError, "cannot be named"):
                    event_to_json(event("t", data, (), **{name: "x"}))

    @unittest.skipUnless(EVENTS_HAVE_METADATA, "events have no metadata before version 10")
    def test_an_event_of_another_program_has_a_uuid_that_stays_and_one_value_of_each_name(self) -> None:
        stored: Any = event_of_line(line(metadata={"by": ["web", "job"]}), STORE).event
        self.assertEqual(uuid5(UUID(STORE), "7"), stored.uuid)
        self.assertEqual({"by": "web"}, stored.metadata)


class TestQueries(unittest.TestCase):
    def test_items(self) -> None:
        query = DCBQuery(items=[DCBQueryItem(types=["t", "u"], tags=["a"]), DCBQueryItem(tags=["b"])])
        self.assertEqual(
            [
                {"types": ["t", "u"], "identifiers": [{"name": "tag", "value": "a"}]},
                {"identifiers": [{"name": "tag", "value": "b"}]},
            ],
            query_to_json(query),
        )

    def test_a_string_is_no_list_of_its_letters(self) -> None:
        letters: Any = "t1"
        for item, name in ((DCBQueryItem(types=letters), "types"), (DCBQueryItem(tags=letters), "tags")):
            with self.assertRaisesRegex(ProgrammingError, f"^{name} is a list, not 't1'$"):
                query_to_json(DCBQuery(items=[item]))

    def test_what_asks_for_nothing_matches_everything(self) -> None:
        something = DCBQueryItem(types=["t"])
        for query in (None, DCBQuery(), DCBQuery(items=[something, DCBQueryItem()])):
            self.assertEqual("*", query_to_json(query))

    def test_each_condition_names_the_store(self) -> None:
        query = [{"types": ["t"]}]
        for after in (None, 0):
            self.assertEqual(
                {"failIfEventsMatch": query, "afterSequence": 0, "store": STORE},
                condition_to_json(DCBAppendCondition(of_type("t"), after=after), STORE),
            )
        self.assertEqual({"afterSequence": 2**53 - 1, "store": STORE}, condition_to_json(None, STORE))
