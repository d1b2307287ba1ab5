"""Both plain clients, for tests that are the same for both."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from eventsourcing_eventstore.plain import AsyncEventStore, Event, Page, Query, QueryItem

from .support import TCP_URL, TOKEN, UNIX_URL, Relay, StoreTestCase

SEATS = QueryItem(types=["SeatTaken"], identifiers={"show": "s1"})


class Awaited:
    """An `AsyncEventStore` with the methods of an `EventStore`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self._store = AsyncEventStore(*args, **options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._store, name)
        return lambda *args, **options: self._runner.run(method(*args, **options))

    def read_all(self, query: Query, **options: Any) -> Iterator[Event]:
        async def read() -> list[Event]:
            return [event async for event in self._store.read_all(query, **options)]

        return iter(self._runner.run(read()))

    def follow(self, query: Query, **options: Any) -> Iterator[Page]:
        pages = self._store.follow(query, **options)

        async def first() -> Page:
            return await anext(pages)

        while True:
            yield self._runner.run(first())

    def close(self) -> None:
        self._runner.run(self._store.close())
        self._runner.close()


class PlainTestCase(StoreTestCase):
    """Tests that run with both clients, in two classes that extend theirs."""

    kind: Any
    """`EventStore` or `Awaited`."""

    def store(self, url: str = UNIX_URL, **options: Any) -> Any:
        options.setdefault("token", TOKEN if url == TCP_URL else None)
        store = self.kind(url, **options)
        self.addCleanup(store.close)
        return store

    def relay(self) -> Relay:
        relay = Relay()
        self.addCleanup(relay.close)
        return relay


def sequences(page: Page) -> list[int]:
    return [event.sequence for event in page.events]
