"""The connections of one client: an idle one is used again, whichever thread wants it."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from eventsourcing_eventstore.connection import Address, Connection
from eventsourcing_eventstore.library import InterfaceError


class ConnectionPool:
    """As many connections as there are requests at once. The one used last is taken first."""

    def __init__(self, address: Address, timeout_seconds: float) -> None:
        self._address = address
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._is_closed = False
        self._process = os.getpid()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lends a connection. It is closed if its borrower fails. Raises `NotConnected`."""
        connection = self._take() or Connection(self._address, self._timeout_seconds)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)

    def close(self) -> None:
        """Closes those that are idle, and each of the others when it is given back."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> Connection | None:
        with self._lock:
            if self._is_closed:
                raise InterfaceError("the client has been closed")
            if self._process != os.getpid():
                # After a fork the connections are the parent's: answers would go to either of both.
                self._process = os.getpid()
                while self._idle:
                    self._idle.pop().close()
            while self._idle:
                connection = self._idle.pop()
                if connection.can_be_used_again:
                    return connection
                connection.close()
        return None

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            if not self._is_closed and connection.can_be_used_again:
                self._idle.append(connection)
                return
        connection.close()
