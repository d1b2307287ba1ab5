"""What the asyncio client makes of answers that are unusual, or none."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import TypeVar

from eventsourcing_eventstore.plain import AsyncEventStore, NewEvent, OperationalError, OutcomeUnknown, Page

from .support import ScriptedServer, StoreTestCase
from .test_client import EMPTY_PAGE, STORE, answer, rejection

_T = TypeVar("_T")

FIELDS = f"X-Service-Store: {STORE}\r\nX-Service-Head: 3\r\n".encode()
EVENT = b'{"sequence":3,"time":"2026-11-20T19:07:36.048101Z","type":"A","identifiers":{},"metadata":{},"payload":"1"}\n'


async def read(store: AsyncEventStore) -> Page:
    return await store.read("*")


async def write(store: AsyncEventStore) -> object:
    return await store.append(NewEvent("A"))


class TestAnswers(StoreTestCase):
    def ask(
        self,
        call: Callable[[AsyncEventStore], Awaitable[_T]],
        *answers: bytes,
        retry_seconds: float = 5.0,
    ) -> tuple[_T, int]:
        """The result of a call, and the number of requests."""
        server = ScriptedServer(*answers)
        self.addCleanup(server.close)

        async def run() -> _T:
            async with AsyncEventStore(server.url, retry_seconds=retry_seconds) as store:
                return await call(store)

        return asyncio.run(run()), len(server.requests)

    def test_bodies_in_chunks_and_without_a_length(self) -> None:
        body = EVENT + EMPTY_PAGE
        half = len(body) // 2
        chunks = b"%x;ext=1\r\n%b\r\n%X\r\n%b\r\n0\r\nX-More: 1\r\n\r\n" % (
            half,
            body[:half],
            len(body) - half,
            body[half:],
        )
        for sent in (
            b"HTTP/1.1 200 OK\r\n" + FIELDS + b"transfer-encoding: chunked\r\n\r\n" + chunks,
            b"HTTP/1.1 200\r\nConnection: close\r\n" + FIELDS + b"\r\n" + body,
            b"HTTP/1.1 100 Continue\r\n\r\n" + answer("200 OK", body, head=3),
        ):
            with self.subTest(sent):
                page, requests = self.ask(read, sent)
                self.assertEqual(([3], 1), ([event.sequence for event in page.events], requests))

    def test_a_read_that_broke_or_was_rejected_is_repeated(self) -> None:
        for first in (
            b"",
            rejection("Unavailable"),
            b"tea\r\n\r\n",
            b"HTTP/1.1 tea\r\n\r\n",
            answer("200 OK", EVENT, length=999),
            answer("200 OK", EVENT),
            b"HTTP/1.1 200 OK\r\n" + FIELDS + b"Transfer-Encoding: chunked\r\n\r\ntea\r\n",
            b"HTTP/1.1 200 OK\r\n" + FIELDS + b"X-Large: " + 70_000 * b"x" + b"\r\n\r\n",
        ):
            with self.subTest(first[:200]):
                page, requests = self.ask(read, first, answer("200 OK", EVENT + EMPTY_PAGE, head=3))
                self.assertEqual((3, 2), (page.head.sequence, requests))

    def test_a_write_is_repeated_if_it_was_certainly_not_carried_out(self) -> None:
        written = answer("200 OK", b'{"events":[{"sequence":4}]}')
        self.assertEqual(2, self.ask(write, rejection("WriteQueueFull"), written)[1])
        for broken in (b"", b"tea\r\n\r\n", answer("200 OK", b"{", length=9), answer("502 Bad Gateway", b"")):
            with self.subTest(broken), self.assertRaises(OutcomeUnknown):
                self.ask(write, broken, written)

    def test_no_answer_in_time(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"

            async def call(which: Callable[[AsyncEventStore], Awaitable[object]]) -> None:
                async with AsyncEventStore(url, timeout_seconds=0.1) as store:
                    await which(store)

            with self.assertRaisesRegex(OperationalError, "Timeout"):
                asyncio.run(call(read))
            with self.assertRaisesRegex(OutcomeUnknown, "Timeout"):
                asyncio.run(call(write))

    def test_in_the_end_it_gives_up(self) -> None:
        with self.assertRaisesRegex(OperationalError, "^503 Unavailable"):
            self.ask(read, rejection("Unavailable"), retry_seconds=0)
