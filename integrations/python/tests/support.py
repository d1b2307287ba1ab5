"""
The real servers of the tests, and proxies between them and the adapter. Start two servers in development mode
before the tests: at EVENTSTORE_TEST_UNIX, and at EVENTSTORE_TEST_TCP. The latter requires
EVENTSTORE_TEST_TOKEN. In this repository, tests/system/integrations/ does that.
"""

import json
import os
import socket
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from eventsourcing_eventstore import Client, EventStoreRecorder
from eventsourcing_eventstore.connection import Address, Answer, Connection
from eventsourcing_eventstore.library import EVENTS_HAVE_METADATA, DCBEvent, DCBQuery, DCBQueryItem

UNIX_URL = os.environ["EVENTSTORE_TEST_UNIX"]
TCP_URL = os.environ["EVENTSTORE_TEST_TCP"]
TOKEN = os.environ["EVENTSTORE_TEST_TOKEN"]


class StoreTestCase(unittest.TestCase):
    """Each test begins with empty stores."""

    def setUp(self) -> None:
        # Of the library's test case, in a class that extends both.
        super().setUp()
        for url in (UNIX_URL, TCP_URL):
            reset(url)

    def client(self, url: str = UNIX_URL, **options: Any) -> Client:
        client = Client(url, TOKEN if url == TCP_URL else None, **options)
        self.addCleanup(client.close)
        return client

    def recorder(self, url: str = UNIX_URL, **options: Any) -> EventStoreRecorder:
        return EventStoreRecorder(self.client(url, **options))


def request(method: str, path: str, json_body: object = None, url: str = UNIX_URL) -> Answer:
    """Sends a request without the client."""
    connection = Connection(Address.parse(url), timeout_seconds=10)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = connection.exchange(method, path, json.dumps(json_body).encode(), headers)
    connection.close()
    return answer


def reset(url: str = UNIX_URL) -> None:
    """Empties the store, which gets another ID."""
    assert request("POST", "/reset", url=url).status == 204


def eventually(check: Callable[[], bool]) -> None:
    """Waits until the condition holds."""
    for _ in range(1000):
        if check():
            return
        time.sleep(0.01)
    raise AssertionError("it does not hold")


def reads_waiting() -> int:
    """The number of reads that wait at the server."""
    waiting: int = json.loads(request("GET", "/debug").body)["read"]["waiting"]
    return waiting


def event(type_: str, data: bytes = b"", tags: tuple[str, ...] = (), **metadata: str) -> DCBEvent:
    """An event of the installed version of the library."""
    more: dict[str, Any] = {"uuid": uuid4(), "metadata": metadata} if EVENTS_HAVE_METADATA else {}
    return DCBEvent(type=type_, data=data, tags=list(tags), **more)


def of_type(*types: str) -> DCBQuery:
    return DCBQuery(items=[DCBQueryItem(types=list(types))])


class Relay:
    """Forwards TCP connections to the unix socket of the server. The test can break them."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._sockets = [self._listener]
        self._threads: list[threading.Thread] = []
        self.accepted = 0
        self.swallows_answers = False
        self._start(self._accept)

    def break_connections(self) -> None:
        for each in self._sockets[1:]:
            _shut(each)

    def close(self) -> None:
        _shut(self._listener)
        self._threads[0].join()
        self.break_connections()
        for thread in self._threads:
            thread.join()
        for each in self._sockets:
            each.close()

    def _start(self, run: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=run, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            server = socket.socket(socket.AF_UNIX)
            server.connect(urlsplit(UNIX_URL).path)
            self._sockets += [client, server]
            self._start(self._pass_on, client, server, False)
            self._start(self._pass_on, server, client, True)

    def _pass_on(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        try:
            while data := source.recv(65536):
                if is_answer and self.swallows_answers:
                    break
                target.sendall(data)
        except OSError:
            pass
        _shut(source)
        _shut(target)


class ScriptedServer:
    """Answers each request with the next of the given answers, unchanged. Each has its own connection."""

    def __init__(self, *answers: bytes) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests: list[bytes] = []
        """Their bodies."""
        self.heads: list[bytes] = []
        threading.Thread(target=self._serve, args=(answers,), daemon=True).start()

    def close(self) -> None:
        _shut(self._listener)
        self._listener.close()

    def _serve(self, answers: tuple[bytes, ...]) -> None:
        for answer in answers:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                head, body = _read_request(client)
                self.heads.append(head)
                self.requests.append(body)
                client.sendall(answer)


def _read_request(client: socket.socket) -> tuple[bytes, bytes]:
    request = b""
    while b"\r\n\r\n" not in request:
        request += client.recv(65536)
    head, body = request.split(b"\r\n\r\n", 1)
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while len(body) < int(lengths[0].split(b":")[1]):
        body += client.recv(65536)
    return head, body


def _shut(each: socket.socket) -> None:
    try:
        each.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
