"""The plain client on the real server: decisions, and what can go wrong."""

import asyncio
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eventsourcing_eventstore.plain import (
    AsyncEventStore,
    Conflict,
    DataError,
    Event,
    EventStore,
    NewEvent,
    OperationalError,
    OutcomeUnknown,
    Position,
    ProgrammingError,
    QueryItem,
    StoreChanged,
)

from .plain_support import SEATS, Awaited, PlainTestCase
from .support import TCP_URL, UNIX_URL, eventually, request, reset


class OfBothKinds:
    """Hides the tests from the search: two classes run them."""

    class Tests(PlainTestCase):
        def test_a_decision_is_repeated_until_nothing_came_in_between(self) -> None:
            store, other = self.store(), EventStore(UNIX_URL)
            self.addCleanup(other.close)
            seen: list[int] = []

            def take(events: Sequence[Event]) -> NewEvent:
                seen.append(len(events))
                if len(seen) < 4:
                    other.append(NewEvent("SeatTaken", None, {"show": "s1"}))
                other.append(NewEvent("SeatTaken", None, {"show": "s2"}))
                return NewEvent("SeatTaken", len(events), {"show": "s1"})

            written = store.decide(SEATS, take)
            self.assertEqual([0, 1, 2, 3], seen)
            self.assertEqual(3, store.read("*", after=_before(written)).events[0].payload)
            with self.assertRaises(Conflict):
                seen.clear()
                store.decide("*", take, attempts=2)
            self.assertEqual(2, len(seen))

        def test_a_decision_of_nothing_writes_nothing(self) -> None:
            store = self.store()
            self.assertEqual(None, store.decide(SEATS, lambda _: None))
            self.assertEqual(None, store.decide(SEATS, lambda _: []))
            with self.assertRaises(LookupError):
                store.decide(SEATS, _sold_out)
            self.assertEqual(0, store.head().sequence)

        def test_a_decision_whose_answer_is_lost_is_written_once(self) -> None:
            relay = self.relay()
            store = self.store(relay.url)
            store.head()

            def take(events: Sequence[Event]) -> NewEvent:
                relay.swallows_answers = True
                threading.Thread(target=restore).start()
                return NewEvent("SeatTaken", None, {"show": "s1"})

            def restore() -> None:
                eventually(lambda: b'"sequence":1' in request("QUERY", "/events", {"query": "*"}).body)
                relay.swallows_answers = False

            self.assertEqual([1], store.decide(SEATS, take).sequences)
            self.assertEqual(1, store.head().sequence)

        def test_a_write_without_an_answer_is_not_sent_again(self) -> None:
            relay = self.relay()
            store = self.store(relay.url)
            store.head()
            relay.swallows_answers = True
            with self.assertRaises(OutcomeUnknown):
                store.append(NewEvent("A"))
            eventually(lambda: self.store().head().sequence == 1)

        def test_another_store(self) -> None:
            store = self.store()
            old = store.append(NewEvent("A")).position
            reset()
            for call in (store.head, lambda: store.append(NewEvent("A")), lambda: store.projection("a", "b")):
                with self.assertRaises(StoreChanged):
                    call()
            with self.assertRaisesRegex(StoreChanged, f"the position is one of store {old.store_id}"):
                new = self.store()
                new.head()
                new.read("*", after=old)
            with self.assertRaises(StoreChanged):
                self.store().read("*", after=old)

        def test_a_position_after_the_end_is_one_of_events_that_were_lost(self) -> None:
            store = self.store()
            end = store.append([NewEvent("A"), NewEvent("B")]).position
            self.assertEqual([], store.read("*", after=end).events)
            with self.assertRaisesRegex(StoreChanged, "after event 3, and the store ends at 2"):
                store.read("*", after=Position(end.store_id, 3))

        def test_payloads_that_are_not_json(self) -> None:
            store, text = self.store(), self.store(payload="text")
            text.append(NewEvent("A", "{tea}"))
            with self.assertRaisesRegex(DataError, '^event 1 of type A: the payload is not JSON .* payload="text"'):
                store.read("*")
            self.assertEqual("{tea}", text.read("*").events[0].payload)
            for client, payload in ((store, {1, 2}), (store, float("nan")), (text, {"a": 1})):
                with self.assertRaisesRegex(DataError, "^the payload of B "):
                    client.append(NewEvent("B", payload))

        def test_a_certificate_that_is_not_trusted_ends_a_request_at_once_and_names_the_remedy(self) -> None:
            with tls_server() as port, self.assertRaises(OperationalError) as raised:
                self.store(f"https://127.0.0.1:{port}", retry_seconds=300).head()
            self.assertRegex(
                str(raised.exception),
                rf"^cannot reach https://127.0.0.1:{port} \(.*certificate.*\): SSL_CERT_FILE names",
            )

        def test_what_is_wrong_is_named(self) -> None:
            with self.assertRaisesRegex(OperationalError, "^401 Unauthorized"):
                self.store(TCP_URL, token="wrong").head()
            with self.assertRaisesRegex(OperationalError, r"^cannot reach unix:/nowhere.sock \(No such file"):
                self.store("unix:/nowhere.sock", retry_seconds=0.1).head()
            with self.assertRaisesRegex(ProgrammingError, "^types is a list, not 'SeatTaken'$"):
                QueryItem(types="SeatTaken")
            for token in ("secret\n", "s\u00e9cret"):
                with self.assertRaisesRegex(ProgrammingError, "^the token must be printable ASCII characters$"):
                    self.store(TCP_URL, token=token)
            with self.assertRaisesRegex(ProgrammingError, "a query is"):
                self.store().read("SeatTaken")
            with self.assertRaisesRegex(ProgrammingError, r"^400 InvalidRequest: events\[1\]"):
                self.store().append([NewEvent("A"), NewEvent("")])
            for options in ({"timeout_seconds": 0}, {"retry_seconds": -1}):
                with self.assertRaises(ProgrammingError):
                    self.kind(UNIX_URL, **options)


@contextmanager
def tls_server() -> Iterator[int]:
    """The port of a server on this machine with a certificate that it has signed itself."""
    with tempfile.TemporaryDirectory() as directory:
        key, certificate = f"{directory}/key.pem", f"{directory}/certificate.pem"
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
        subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def serve() -> None:
                while True:
                    try:
                        context.wrap_socket(listener.accept()[0], server_side=True).close()
                    except ssl.SSLError:
                        continue
                    except OSError:
                        return

            threading.Thread(target=serve, daemon=True).start()
            yield listener.getsockname()[1]
            listener.shutdown(socket.SHUT_RDWR)


def _sold_out(_: Sequence[Event]) -> NewEvent:
    raise LookupError("sold out")


def _before(written: Any) -> Position:
    return Position(written.position.store_id, written.position.sequence - 1)


class TestEventStore(OfBothKinds.Tests):
    kind = EventStore

    def test_of_racing_threads_each_gets_another_seat(self) -> None:
        store = self.store()

        def take() -> None:
            store.decide(SEATS, lambda events: NewEvent("SeatTaken", len(events), {"show": "s1"}), attempts=99)

        threads = [threading.Thread(target=take) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(list(range(12)), [event.payload for event in store.read_all(SEATS)])

    def test_the_library_is_not_needed(self) -> None:
        package = Path(__file__).resolve().parent.parent
        program = (
            "from eventsourcing_eventstore.plain import EventStore, NewEvent, IntegrityError\n"
            f"store = EventStore({UNIX_URL!r})\n"
            "print(store.append(NewEvent('A')).sequences, IntegrityError.__module__)"
        )
        # -S leaves out all installed packages.
        printed = subprocess.run(
            [sys.executable, "-S", "-W", "ignore", "-c", program],
            env={**os.environ, "PYTHONPATH": str(package)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.assertEqual("[1] eventsourcing_eventstore.library_errors\n", printed)


class TestAsyncEventStore(OfBothKinds.Tests):
    kind = Awaited

    def test_of_racing_tasks_each_gets_another_seat(self) -> None:
        async def race() -> None:
            async with AsyncEventStore(UNIX_URL) as store:

                async def take() -> None:
                    await store.decide(
                        SEATS, lambda events: NewEvent("SeatTaken", len(events), {"show": "s1"}), attempts=99
                    )

                await asyncio.gather(*(take() for _ in range(12)))

        asyncio.run(race())
        self.assertEqual(list(range(12)), [event.payload for event in self.store().read_all(SEATS)])
