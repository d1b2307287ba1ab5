"""A consumer of the plain client for threads."""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial

from eventsourcing_eventstore.consume.handling import AsyncHandle, Handle, Handled, Handling
from eventsourcing_eventstore.library_errors import ProgrammingError
from eventsourcing_eventstore.plain_types import Event


class Consuming:
    """A consumer that `run` runs. Any thread may stop it."""

    def __init__(
        self, consume: Callable[[AsyncHandle], Awaitable[None]], handle: Handle, concurrency: int
    ) -> None:
        if not callable(handle) or inspect.iscoroutinefunction(handle):
            raise ProgrammingError("handle must be an ordinary function; AsyncEventStore takes coroutine functions")
        self._consume = consume
        self._handle = handle
        self._concurrency = concurrency
        # A signal handler may stop it while its own thread has the lock.
        self._lock = threading.RLock()
        self._is_stopped = False
        self._cancel: Callable[[], object] | None = None

    def run(self) -> None:
        """
        Handles events, each in one of `concurrency` threads. Returns after `stop`, when the handlers that run have
        ended, at most after twice `lease_seconds`. Raises the error that ended it otherwise.
        """
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            raise ProgrammingError("run blocks, and an event loop runs in this thread: use AsyncEventStore")
        try:
            asyncio.run(self._run())
        except asyncio.CancelledError:
            if not self._is_stopped:
                raise

    def stop(self) -> None:
        """Ends `run`, also one that has not begun."""
        with self._lock:
            cancel, self._cancel = self._cancel, None
            self._is_stopped = True
            if cancel is not None:
                cancel()

    async def _run(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        with self._lock:
            if self._is_stopped:
                return
            self._cancel = partial(loop.call_soon_threadsafe, task.cancel)
        executor = ThreadPoolExecutor(self._concurrency, "consumer")

        async def call(event: Event, handling: Handling) -> Handled:
            # With the values of the context, such as the current span.
            handle = partial(copy_context().run, self._handle, event, handling)
            return await loop.run_in_executor(executor, handle)

        try:
            await self._consume(call)
        finally:
            with self._lock:
                self._cancel = None
            executor.shutdown(wait=False, cancel_futures=True)
