"""Connections that break, servers that reject, and requests that are repeated."""

import os
import socket
import threading
import time
from unittest.mock import patch

from eventsourcing_eventstore import Client, EventStoreRecorder, OutcomeUnknown
from eventsourcing_eventstore.connection import Address
from eventsourcing_eventstore.library import (
    DataError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)

from .support import Relay, ScriptedServer, StoreTestCase, event, eventually, request

STORE = "5f0a1c9e-6d57-4d3e-9c55-0b1f3a8d2e41"
EMPTY_PAGE = b'{"hasMore":false}\n'


def answer(
    status: str, body: bytes, head: int = 0, length: int | None = None, error: str | None = None
) -> bytes:
    given = len(body) if length is None else length
    fields = f"X-Service-Store: {STORE}\r\nX-Service-Head: {head}\r\nContent-Length: {given}\r\n"
    if error is not None:
        fields += f"X-Service-Error: {error}\r\n"
    return f"HTTP/1.1 {status}\r\n{fields}\r\n".encode() + body


def rejection(code: str) -> bytes:
    return answer("503 Service Unavailable", f'{{"error":"{code}"}}'.encode(), error=code)


class TestConnections(StoreTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.relay = Relay()
        self.addCleanup(self.relay.close)

    def test_they_are_used_again(self) -> None:
        recorder = self.recorder(self.relay.url)
        for _ in range(5):
            recorder.append([event("t")])
            list(recorder.read())
        self.assertEqual(1, self.relay.accepted)

    def test_threads_that_end_leave_theirs_to_others(self) -> None:
        recorder = self.recorder(self.relay.url)
        for _ in range(5):
            thread = threading.Thread(target=recorder.head)
            thread.start()
            thread.join()
        self.assertEqual(1, self.relay.accepted)

    def test_one_that_broke_while_idle_fails_no_write(self) -> None:
        recorder = self.recorder(self.relay.url)
        recorder.head()
        (idle,) = recorder.client._pool._idle
        self.relay.break_connections()
        eventually(lambda: not idle.can_be_used_again)
        self.assertEqual(1, recorder.append([event("t")]))
        self.assertEqual(2, self.relay.accepted)

    def test_one_that_was_idle_for_long_is_not_used(self) -> None:
        recorder = self.recorder(self.relay.url)
        recorder.head()
        now = time.monotonic()
        with patch("time.monotonic", lambda: now + 60):
            recorder.head()
        self.assertEqual(2, self.relay.accepted)

    def test_a_child_process_does_not_use_those_of_its_parent(self) -> None:
        recorder = self.recorder(self.relay.url)
        recorder.head()
        child = os.fork()
        if child == 0:
            os._exit(0 if recorder.head() is None else 1)
        self.assertEqual(0, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        self.assertEqual(None, recorder.head())
        self.assertEqual(2, self.relay.accepted)

    def test_a_write_without_an_answer_is_not_sent_again(self) -> None:
        recorder = self.recorder(self.relay.url)
        recorder.head()
        self.relay.swallows_answers = True
        with self.assertRaises(OutcomeUnknown):
            recorder.append([event("t")])
        eventually(lambda: b'"sequence":1' in request("QUERY", "/events", {"query": "*"}).body)
        self.assertEqual(1, self.recorder().head())


class TestSendingAgain(StoreTestCase):
    def server(self, *answers: bytes) -> ScriptedServer:
        server = ScriptedServer(*answers)
        self.addCleanup(server.close)
        return server

    def test_a_read_that_broke_or_was_rejected_is_repeated(self) -> None:
        page = answer("200 OK", EMPTY_PAGE, head=3)
        for first in (
            b"",
            rejection("Unavailable"),
            answer("200 OK", b'{"seq', length=90),
            answer("200 OK", b'{"sequence":1}\n'),
        ):
            with self.subTest(first):
                server = self.server(first, page)
                self.assertEqual(3, self.client(server.url).head())
                self.assertEqual(2, len(server.requests))

    def test_a_write_is_repeated_if_it_was_certainly_not_carried_out(self) -> None:
        for code in ("WriteQueueFull", "ShuttingDown"):
            written = answer("200 OK", b'{"events":[{"sequence":1,"time":""}]}')
            server = self.server(rejection(code), written)
            recorder = EventStoreRecorder(self.client(server.url, store_id=STORE))
            self.assertEqual(1, recorder.append([event("t")]))
            self.assertEqual(server.requests[0], server.requests[1])

    def test_other_writes_are_not(self) -> None:
        server = self.server(rejection("Unavailable"))
        with self.assertRaisesRegex(OperationalError, "^503 Unavailable"):
            self.client(server.url).write({})
        server = self.server(answer("507 Insufficient Storage", b'{"error":"DiskFull"}', error="DiskFull"))
        with self.assertRaisesRegex(OperationalError, "^507 DiskFull") as full:
            self.client(server.url).write({})
        self.assertNotIsInstance(full.exception, OutcomeUnknown)
        for broken in (b"", answer("200 OK", b"{", length=9)):
            server = self.server(broken)
            with self.assertRaises(OutcomeUnknown):
                self.client(server.url).write({})
            self.assertEqual(1, len(server.requests))

    def test_what_a_proxy_says_leaves_the_outcome_of_a_write_unknown(self) -> None:
        conflict = b'{"error":"ConcurrencyException","conflict":{"condition":0}}'
        for foreign in (
            answer("503 Service Unavailable", b'{"error":"WriteQueueFull"}'),
            answer("503 Service Unavailable", b'{"error":"New"}', error="New"),
            answer("409 Conflict", conflict),
            answer("413 Content Too Large", b""),
            answer("502 Bad Gateway", b"<html>"),
            b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        ):
            with self.subTest(foreign):
                server = self.server(foreign)
                with self.assertRaises(OutcomeUnknown):
                    self.client(server.url).write({})
                self.assertEqual(1, len(server.requests))
                with self.assertRaises((OperationalError, InterfaceError, IntegrityError, DataError)) as read:
                    self.client(self.server(foreign).url, retry_seconds=0).head()
                self.assertNotIsInstance(read.exception, OutcomeUnknown)

    def test_another_server_is_said_to_be_one(self) -> None:
        page = b"HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n" + EMPTY_PAGE
        for other in (answer("404 Not Found", b"not found"), page):
            with self.assertRaisesRegex(InterfaceError, "server"):
                self.client(self.server(other).url).head()

    def test_in_the_end_it_gives_up(self) -> None:
        nobody = self.server()
        nobody.close()
        for url, reason in ((nobody.url, "Connection refused"), ("unix:/nowhere.sock", "No such file")):
            with self.assertRaisesRegex(OperationalError, rf"^cannot reach {url} \({reason}"):
                self.client(url, retry_seconds=0.1).head()

    def test_no_answer_in_time(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = self.client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_seconds=0.1)
            with self.assertRaisesRegex(OperationalError, "timed out"):
                client.head()
            with self.assertRaisesRegex(OutcomeUnknown, "timed out"):
                client.write({})


class TestOptions(StoreTestCase):
    def test_times_that_mean_nothing(self) -> None:
        for timeout_seconds, retry_seconds in ((0, 5), (30, -1)):
            with self.assertRaises(ProgrammingError):
                self.client(timeout_seconds=timeout_seconds, retry_seconds=retry_seconds)

    def test_addresses_that_mean_something(self) -> None:
        self.assertEqual(Address("http", "127.0.0.1", 8085, ""), Address.parse("http://127.0.0.1:8085/"))
        self.assertEqual(Address("https", "::1", 443, ""), Address.parse("https://[::1]"))
        self.assertEqual(Address("unix", "localhost", 0, "/run/a.sock"), Address.parse("unix:/run/a.sock"))

    def test_addresses_that_mean_nothing(self) -> None:
        urls = ["", "localhost:1", "ftp://a", "http://", "http://a/b", "http://u@a", "http://a:x", "http://["]
        for url in [*urls, "unix:", "unix://a"]:
            with self.assertRaises(ProgrammingError, msg=url):
                Client(url)
