"""How long a request is tried, by the test's clock."""

import unittest
from unittest.mock import patch

from eventsourcing_eventstore.patience import Patience

ERROR = OSError("broken")


class TestPatience(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 0.0
        clock = patch("time.monotonic", lambda: self.now)
        clock.start()
        self.addCleanup(clock.stop)

    def failing(self, patience: Patience, lasted_seconds: float = 0, was_served: bool = False) -> float:
        patience.begin()
        self.now += lasted_seconds
        pause_seconds = patience.pause_after(ERROR, was_served=was_served)
        self.now += pause_seconds
        return pause_seconds

    def test_pauses_grow_up_to_a_second_until_the_time_is_over(self) -> None:
        patience = Patience(5)
        pauses: list[float] = []
        with self.assertRaises(OSError) as raised:
            while True:
                pauses.append(self.failing(patience))
        self.assertIs(ERROR, raised.exception)
        self.assertTrue(0.01 <= pauses[0] <= 0.02)
        self.assertTrue(0.5 <= max(pauses) <= 1)
        self.assertTrue(4 <= sum(pauses) <= 5)

    def test_without_time_there_is_one_try(self) -> None:
        with self.assertRaises(OSError):
            self.failing(Patience(0))

    def test_a_long_read_that_breaks_begins_another_count(self) -> None:
        patience = Patience(5)
        for _ in range(3):
            self.failing(patience, lasted_seconds=20, was_served=True)

    def test_any_other_try_counts_however_long_it_took(self) -> None:
        for was_served, lasted_seconds in ((False, 20), (True, 0.9)):
            patience = Patience(0.5)
            self.failing(patience)
            with self.assertRaises(OSError):
                self.failing(patience, lasted_seconds, was_served)
