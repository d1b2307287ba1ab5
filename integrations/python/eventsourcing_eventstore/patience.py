"""Decides for how long, and how often, a request is repeated."""

import random
import time

_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 1.0
_NEW_FAILURE_SECONDS = 1.0


class Patience:
    """The retries of one request. They continue for `seconds` after its first failure, with growing pauses."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._give_up_at: float | None = None
        self._pause_seconds = _FIRST_PAUSE_SECONDS
        self._begun_at = time.monotonic()

    def begin(self) -> None:
        """Begins another try."""
        self._begun_at = time.monotonic()

    def pause_after(self, error: Exception, *, was_served: bool) -> float:
        """
        Returns how long to wait before the next try. Raises the error when there are no more tries. A read may
        have waited at the server until the server stopped. Such a try `was_served`, and the time begins again.
        """
        now = time.monotonic()
        if self._give_up_at is None or (was_served and now - self._begun_at > _NEW_FAILURE_SECONDS):
            self._give_up_at = now + self._seconds
            self._pause_seconds = _FIRST_PAUSE_SECONDS
        # Random, so that clients do not retry all at once.
        pause_seconds = random.uniform(0.5, 1) * self._pause_seconds
        self._pause_seconds = min(2 * self._pause_seconds, _LONGEST_PAUSE_SECONDS)
        if now + pause_seconds > self._give_up_at:
            raise error
        return pause_seconds
