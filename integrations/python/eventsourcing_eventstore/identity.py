"""The store that a client belongs to."""

import threading

from eventsourcing_eventstore.errors import StoreChanged


class StoreIdentity:
    """Remembers the ID of the first store, unless it is given. Any number of threads may use it."""

    def __init__(self, store_id: str | None = None) -> None:
        self._store_id = store_id
        self._lock = threading.Lock()

    @property
    def known(self) -> str | None:
        return self._store_id

    def check(self, store_id: str) -> None:
        """Raises `StoreChanged` if this is another store."""
        with self._lock:
            if self._store_id is None:
                self._store_id = store_id
            if self._store_id != store_id:
                raise StoreChanged(f"the store was {self._store_id} and is now {store_id}")


def check_reached(position: int, head: int) -> None:
    """
    Raises `StoreChanged` if a page was read after a position that the store does not reach. A replica that lags does
    not answer for such a position. So the store itself has lost events.
    """
    if position > head:
        raise StoreChanged(f"the position is after event {position}, and the store ends at {head}")
