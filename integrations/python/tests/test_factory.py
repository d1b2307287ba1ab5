"""The factory that the library creates from environment variables."""

import tempfile
from typing import Any

from eventsourcing_eventstore import EventStoreFactory, EventStoreRecorder
from eventsourcing_eventstore.library import DCBInfrastructureFactory, InfrastructureFactoryError

from .support import TCP_URL, TOKEN, StoreTestCase, event


def construct(**env: str) -> Any:
    return DCBInfrastructureFactory.construct({"PERSISTENCE_MODULE": "eventsourcing_eventstore", **env})


class TestFactory(StoreTestCase):
    def test_it_is_found_and_makes_a_recorder(self) -> None:
        factory = construct(EVENTSTORE_URL=TCP_URL, EVENTSTORE_TOKEN=TOKEN)
        self.assertIsInstance(factory, EventStoreFactory)
        recorder = factory.dcb_recorder()
        self.assertIsInstance(recorder, EventStoreRecorder)
        self.assertEqual(1, recorder.append([event("t")]))
        factory.close()

    def test_a_token_from_a_file(self) -> None:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f"{TOKEN}\n")
            file.flush()
            factory = construct(EVENTSTORE_URL=TCP_URL, EVENTSTORE_TOKEN_FILE=file.name)
        self.assertEqual(None, factory.dcb_recorder().head())
        factory.close()

    def test_what_is_wrong_is_named(self) -> None:
        given = {"EVENTSTORE_URL": TCP_URL}
        for env, name in (
            ({}, "EVENTSTORE_URL"),
            ({**given, "EVENTSTORE_TOKEN_FILE": "/nowhere"}, "EVENTSTORE_TOKEN_FILE"),
            ({**given, "EVENTSTORE_TIMEOUT_SECONDS": "-1"}, "EVENTSTORE_TIMEOUT_SECONDS"),
            ({**given, "EVENTSTORE_RETRY_SECONDS": "soon"}, "EVENTSTORE_RETRY_SECONDS"),
        ):
            with self.assertRaisesRegex(InfrastructureFactoryError, name):
                construct(**env)
