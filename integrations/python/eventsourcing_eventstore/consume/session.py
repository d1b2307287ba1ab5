"""The parts of a running consumer that its modules share."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from eventsourcing_eventstore.consume.handling import (
    By,
    Effects,
    Handling,
    Notification,
    OnFailure,
    OnNotification,
)
from eventsourcing_eventstore.consume.partition import Partition
from eventsourcing_eventstore.consume.pauses import Wake
from eventsourcing_eventstore.consume.records import Record, Records, Store
from eventsourcing_eventstore.library_errors import ProgrammingError
from eventsourcing_eventstore.plain_types import Event, Query

Call = Callable[[Event, Handling], Awaitable[Effects]]

_RANGES = {"concurrency": (1, 10_000), "partitions": (1, 256), "attempts": (1, 1_000_000), "lease_seconds": (0.3, 3600)}


@dataclass(frozen=True)
class Options:
    """As they were given to `consume`."""

    query: Query
    by: By
    concurrency: int
    partitions: int | None
    attempts: int
    on_failure: OnFailure
    lease_seconds: float
    on_notification: OnNotification | None

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if name == "partitions" and value is None:
                continue
            is_number = isinstance(value, int if name != "lease_seconds" else int | float)
            if not is_number or isinstance(value, bool) or not least <= value <= most:
                raise ProgrammingError(f"{name} must be {least} to {most}, not {value!r}")
        if self.on_failure not in ("park", "park_key"):
            raise ProgrammingError(f'on_failure must be "park" or "park_key", not {self.on_failure!r}')
        if self.by is not None and not callable(self.by) and not (isinstance(self.by, str) and self.by):
            raise ProgrammingError(f"by must be the name of an identifier, or a function, not {self.by!r}")

    @property
    def order(self) -> str:
        """The order, as the record of the consumer names it."""
        return "(function)" if callable(self.by) else self.by or ""


class Session:
    def __init__(self, store: Store, records: Records, options: Options, call: Call) -> None:
        self.store = store
        self.records = records
        self.options = options
        self.call = call
        self.main = Record("", {}, "")
        self.member = uuid4().hex
        self.owned: dict[int, Partition] = {}
        self.changed = Wake()
        """Wakes when handlers may start, or events may be read."""
        self.is_ending = False
        self.confirmed_at = float("-inf")
        """The time of the last heartbeat after which the partitions were still those of this process."""
        self.failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_certain(self) -> bool:
        """False after a pause of the whole process, until the partitions have been confirmed."""
        return not self.is_ending and time.monotonic() - self.confirmed_at < self.options.lease_seconds

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs work in parallel. Its error ends the consumer."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def fail(self, error: BaseException) -> None:
        if not self.failure.done():
            self.failure.set_exception(error)

    def notify(self, notification: Notification) -> None:
        """Passes it to the application, whose error ends the consumer."""
        if self.options.on_notification is None:
            return
        try:
            self.options.on_notification(notification)
        except Exception as error:
            self.fail(error)

    async def cancel(self) -> None:
        """Ends all work, and waits for the end."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(error)
