"""
Runs the consumer `c` until SIGTERM. For each `Noted` it writes a `Done` with the sequence as metadata `of`, and counts
the events of the key in a projection. The command line gives the URL, lease_seconds, and the seconds that a handler
takes at most.
"""

import random
import signal
import sys
import time

from eventsourcing_eventstore.plain import (
    Effects,
    Event,
    EventStore,
    Handling,
    NewEvent,
    NewProjection,
    QueryItem,
)

url, lease_seconds, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])


def handle(event: Event, _: Handling) -> Effects:
    key = str(event.identifiers["key"])
    found = store.projection("count", key)
    time.sleep(seconds * random.random())
    count = NewProjection("count", key, (found.payload if found else 0) + 1, found.version if found else None)
    done = NewEvent("Done", None, event.identifiers, {"of": str(event.sequence), "by": "python"})
    return Effects(done, projections=[count])


with EventStore(url) as store:
    consumer = store.consume("c", QueryItem(["Noted"]), handle, by="key", lease_seconds=lease_seconds)
    signal.signal(signal.SIGTERM, lambda *_: consumer.stop())
    consumer.run()
