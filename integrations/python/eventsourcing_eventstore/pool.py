"""The connections of one client. Any thread can use an idle one again."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from eventsourcing_eventstore.connection import Address, Connection
from eventsourcing_eventstore.library_errors import InterfaceError


class ConnectionPool:
    """Has as many connections as concurrent requests. It lends the most recently used one first."""

    def __init__(self, address: Address, timeout_seconds: float) -> None:
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._address = address
        self._timeout_seconds = timeout_seconds
        self._is_closed = False
        self._process = os.getpid()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lends a connection, and closes it if the borrower fails. Raises `NotConnected`."""
        connection = self._take() or Connection(self._address, self._timeout_seconds)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._release(connection)

    def close(self) -> None:
        """Closes idle connections now, and each of the others when it is released."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __del__(self) -> None:
        # The library drops the factory of a view without closing it.
        self.close()

    def _take(self) -> Connection | None:
        with self._lock:
            if self._is_closed:
                raise InterfaceError("the client has been closed")
            if self._process != os.getpid():
                # After a fork the parent has the same connections: either process could receive an answer.
                self._process = os.getpid()
                while self._idle:
                    self._idle.pop().close()
            while self._idle:
                connection = self._idle.pop()
                if connection.can_be_used_again:
                    return connection
                connection.close()
        return None

    def _release(self, connection: Connection) -> None:
        with self._lock:
            if not self._is_closed and connection.can_be_used_again:
                self._idle.append(connection)
                return
        connection.close()
