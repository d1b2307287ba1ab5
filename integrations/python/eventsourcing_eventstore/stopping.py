"""Ends reads that wait in another thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from eventsourcing_eventstore.connection import Connection


class Stopped(Exception):
    """`Stopping.stop` has ended the read."""


class Stopping:
    """Lets another thread end a read, while it waits for the server or for the next try."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._connection: Connection | None = None

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        with self._lock:
            self._stopped.set()
            if self._connection is not None:
                self._connection.abort()

    @contextmanager
    def watching(self, connection: Connection) -> Iterator[None]:
        """Until it exits, a stop ends the exchange on the connection. Raises `Stopped`."""
        with self._lock:
            self.raise_if_stopped()
            self._connection = connection
        try:
            yield
        except Exception:
            self.raise_if_stopped()
            raise
        finally:
            with self._lock:
                self._connection = None

    def pause(self, seconds: float) -> None:
        """Sleeps. Raises `Stopped`."""
        self._stopped.wait(seconds)
        self.raise_if_stopped()

    def raise_if_stopped(self) -> None:
        if self.is_stopped:
            raise Stopped
