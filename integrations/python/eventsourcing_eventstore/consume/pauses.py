"""Waits between attempts, and for changes."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from eventsourcing_eventstore.errors import Unavailable

_T = TypeVar("_T")

_FIRST_SECONDS = 0.02
_LONGEST_SECONDS = 2.0


def jitter(failures: int) -> float:
    """Random, and growing with each failure, so that processes that failed together do not retry together."""
    return random.random() * min(_LONGEST_SECONDS, _FIRST_SECONDS * 2.0**failures)


async def surely(call: Callable[[], Awaitable[_T]]) -> _T:
    """Repeats a call as long as the server cannot be reached, or cannot serve it."""
    failures = 0
    while True:
        try:
            return await call()
        except Unavailable:
            failures += 1
            await asyncio.sleep(jitter(failures))


class Wake:
    """Lets tasks wait until another one has changed something. Check again afterwards."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def wake(self) -> None:
        """Ends all waits."""
        event, self._event = self._event, asyncio.Event()
        event.set()

    async def wait(self, seconds: float | None = None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
