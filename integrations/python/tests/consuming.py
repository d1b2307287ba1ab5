"""Consumers that run in threads of a test."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from eventsourcing_eventstore.plain import (
    AsyncEventStore,
    EventStore,
    NewEvent,
    NewProjection,
    Notification,
    QueryItem,
)

from .support import UNIX_URL, StoreTestCase, eventually

NOTED = QueryItem(types=["Noted"])
LEASE_SECONDS = 0.6


class Running:
    """The consumer `c`, until `end`. Then it has released everything."""

    def __init__(self, run: Callable[[], object], stop: Callable[[], object]) -> None:
        self.notifications: list[Notification] = []
        self.error: Exception | None = None
        self._run = run
        self._stop = stop
        self._thread = threading.Thread(target=self._catch)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._stop()
        self.join()

    def join(self) -> None:
        self._thread.join(30)
        assert not self._thread.is_alive()

    def sequences(self, kind: str) -> list[int]:
        return [one.sequence for one in self.notifications if one.kind == kind and one.sequence is not None]

    def _catch(self) -> None:
        try:
            self._run()
        except Exception as error:
            self.error = error


class ConsumerTestCase(StoreTestCase):
    provider: Any = None
    """The tracer provider of the clients."""

    def setUp(self) -> None:
        super().setUp()
        self.store = EventStore(UNIX_URL, tracer_provider=self.provider)
        self.addCleanup(self.store.close)

    def consuming(self, handle: Any, store: EventStore | None = None, **options: Any) -> Running:
        """Runs it with threads."""
        running = Running(lambda: consumer.run(), lambda: consumer.stop())
        given = {"by": "key", "lease_seconds": LEASE_SECONDS, **options}
        consumer = (store or self.store).consume(
            "c", NOTED, handle, **given, on_notification=running.notifications.append
        )
        running.start()
        self.addCleanup(running.end)
        return running

    def consuming_with_tasks(
        self, handle: Any, store_class: type[AsyncEventStore] = AsyncEventStore, **options: Any
    ) -> Running:
        cancels: list[Callable[[], object]] = []

        async def consume() -> None:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
            assert task is not None
            cancels.append(lambda: loop.call_soon_threadsafe(task.cancel))
            async with store_class(UNIX_URL, tracer_provider=self.provider) as store:
                given = {"by": "key", "lease_seconds": LEASE_SECONDS, **options}
                await store.consume("c", NOTED, handle, **given, on_notification=running.notifications.append)

        def run() -> None:
            try:
                asyncio.run(consume())
            except asyncio.CancelledError:
                pass

        def stop() -> None:
            if cancels:
                cancels.pop()()

        running = Running(run, stop)
        running.start()
        self.addCleanup(running.end)
        return running

    def note(self, *keys: str) -> None:
        self.store.append([NewEvent("Noted", None, {"key": key}) for key in keys])

    def records(self, beginning: str) -> dict[str, Any]:
        """The records of the consumer with this beginning of the ID."""
        ids = [id_ for id_ in self.store.versions("consumer:c") if id_.startswith(beginning)]
        found = [self.store.projection("consumer:c", id_) for id_ in ids]
        return {each.id: each.payload for each in found if each is not None}

    def steal(self, index: int) -> None:
        """Gives the record of a partition another version."""
        found = self.store.projection("consumer:c", f"partition-{index}")
        assert found is not None
        self.store.append([], projections=[NewProjection(found.type, found.id, found.payload, found.version)])

    def effects(self) -> list[tuple[str, str]]:
        """The keys and the metadata `of` of the events that were written."""
        events = self.store.read_all(QueryItem(types=["Done"]))
        return [(str(each.identifiers["key"]), str(each.metadata["of"])) for each in events]

    def handled(self, running: Running, *sequences: int) -> None:
        """Waits until these events have been handled, each once."""
        self.eventually(lambda: self.assertEqual(list(sequences), sorted(running.sequences("handled"))))

    def eventually(self, check: Callable[[], None]) -> None:
        def holds() -> bool:
            try:
                check()
            except AssertionError:
                return False
            return True

        try:
            eventually(holds)
        except AssertionError:
            check()


def done(event: Any) -> NewEvent:
    return NewEvent("Done", None, event.identifiers, {"of": str(event.sequence)})
