"""Processes that share a consumer, and that are killed or suspended."""

import random
import signal
import subprocess
import sys
from collections import defaultdict

from eventsourcing_eventstore.plain import Event, NewEvent

from .consuming import LEASE_SECONDS, ConsumerTestCase
from .support import UNIX_URL

KEYS, EACH, KILLS = 10, 10, 3


class TestProcesses(ConsumerTestCase):
    def start(self, seconds: float) -> "subprocess.Popen[bytes]":
        args = ["-m", "tests.consumer_process", UNIX_URL, str(LEASE_SECONDS), str(seconds)]
        process = subprocess.Popen([sys.executable, *args])

        def end() -> None:
            process.kill()
            process.wait()

        self.addCleanup(end)
        return process

    def test_kills_at_any_moment_lose_and_repeat_no_effect_and_keep_the_order_of_each_key(self) -> None:
        # With more keys than partitions, several results share a write.
        first = self.consuming(lambda *_: None, partitions=3)
        self.eventually(lambda: self.assertEqual(3, len(self.records("partition-"))))
        first.end()
        processes = [self.start(seconds=0.02) for _ in range(3)]
        self.note(*(f"k{n % KEYS}" for n in range(KEYS * EACH)))
        for kill in range(1, KILLS + 1):
            enough = kill * KEYS * EACH // (KILLS + 1)
            self.eventually(lambda: self.assertGreaterEqual(len(self.effects()), enough))  # noqa: B023
            victim = processes.pop(random.randrange(len(processes)))
            victim.send_signal(signal.SIGKILL if kill % 2 else signal.SIGTERM)
            processes.append(self.start(seconds=0.02))
        self.eventually(lambda: self.assertGreaterEqual(len(self.effects()), KEYS * EACH))
        found: dict[str, list[int]] = defaultdict(list)
        for key, of in self.effects():
            found[key].append(int(of))
        self.assertEqual({f"k{n}": list(range(n + 1, KEYS * EACH + 1, KEYS)) for n in range(KEYS)}, dict(found))
        for key in found:
            count = self.store.projection("count", key)
            self.assertEqual(EACH, count and count.payload)

    def test_a_process_that_was_suspended_can_commit_nothing(self) -> None:
        suspended = self.start(seconds=0.2)
        self.note(*(f"k{n % 20}" for n in range(60)))
        self.eventually(lambda: self.assertGreater(len(self.effects()), 0))
        suspended.send_signal(signal.SIGSTOP)

        def handle(event: Event, _: object) -> NewEvent:
            return NewEvent("Done", None, event.identifiers, {"of": str(event.sequence)})

        other = self.consuming(handle)
        self.eventually(lambda: self.assertGreaterEqual(len(self.effects()), 60))
        self.assertEqual(1, [one.kind for one in other.notifications].count("takeover"))
        other.end()
        suspended.send_signal(signal.SIGCONT)
        self.note("k0")
        self.eventually(lambda: self.assertEqual(61, len({of for _, of in self.effects()})))
        self.assertEqual(61, len(self.effects()))
