"""For how long, and how often, a request is sent again."""

import random
import time

_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 1.0
_NEW_FAILURE_SECONDS = 1.0


class Patience:
    """One request that may be tried for `seconds` after its first failure, with growing pauses in between."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._give_up_at: float | None = None
        self._pause_seconds = _FIRST_PAUSE_SECONDS
        self._begun_at = time.monotonic()

    def begin(self) -> None:
        """Another try begins."""
        self._begun_at = time.monotonic()

    def pause_after(self, error: Exception, *, was_served: bool) -> float:
        """
        How long to wait before the next try. When there is to be none, raises the error. A try that
        `was_served` for a while, such as a read that waited until the server stopped, failed anew: it begins
        another count.
        """
        now = time.monotonic()
        if self._give_up_at is None or (was_served and now - self._begun_at > _NEW_FAILURE_SECONDS):
            self._give_up_at = now + self._seconds
            self._pause_seconds = _FIRST_PAUSE_SECONDS
        # Not all clients at once.
        pause_seconds = random.uniform(0.5, 1) * self._pause_seconds
        self._pause_seconds = min(2 * self._pause_seconds, _LONGEST_PAUSE_SECONDS)
        if now + pause_seconds > self._give_up_at:
            raise error
        return pause_seconds
