"""
Measures how fast one thread appends an event on a condition and reads the ten events of a tag, with a recorder
of 9.5:

    python bench/speed.py http://127.0.0.1:8085   # with EVENTSTORE_TOKEN, if it requires one
    python bench/speed.py memory
    python bench/speed.py postgres                # with the library's variables: POSTGRES_DBNAME and so on

The last figure is the CPU time of this process for each call.
"""

import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from eventsourcing.dcb.api import DCBAppendCondition, DCBEvent, DCBQuery, DCBQueryItem
from eventsourcing.dcb.persistence import DCBInfrastructureFactory

SECONDS = 3
READS_OF = 10
DATA = json.dumps({"text": "x" * 240}).encode()


def recorder_of(where: str) -> Any:
    module = {"memory": "eventsourcing.dcb.popo", "postgres": "eventsourcing.dcb.postgres_tt"}
    env = {"PERSISTENCE_MODULE": module.get(where, "eventsourcing_eventstore"), "EVENTSTORE_URL": where}
    return DCBInfrastructureFactory.construct({**os.environ, **env}).dcb_recorder()


def measure(what: str, once: Callable[[], object]) -> None:
    times: list[float] = []
    begun, cpu_begun = time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < SECONDS:
        before = time.perf_counter()
        once()
        times.append(time.perf_counter() - before)
    rate = len(times) / (time.perf_counter() - begun)
    cpu = (time.process_time() - cpu_begun) / len(times)
    median, p99 = statistics.median(times), statistics.quantiles(times, n=100)[98]
    print(f"{what}: {rate:,.0f}/s, median {1e3 * median:.2f} ms, p99 {1e3 * p99:.2f} ms, {1e6 * cpu:.0f} us")


def main() -> None:
    recorder = recorder_of(sys.argv[1])
    run = uuid4()
    tags = [f"{run}-{n}" for n in range(1000)]
    positions: list[int | None] = [None] * len(tags)
    numbers = itertools.cycle(range(len(tags)))

    def query_of(n: int) -> DCBQuery:
        return DCBQuery(items=[DCBQueryItem(types=["Happened"], tags=[tags[n]])])

    def append() -> None:
        n = next(numbers)
        event = DCBEvent(type="Happened", data=DATA, tags=[tags[n], str(run)])
        positions[n] = recorder.append([event], DCBAppendCondition(query_of(n), after=positions[n]))

    def read() -> None:
        list(recorder.read(DCBQuery(items=[DCBQueryItem(tags=[f"{run}-ten"])])))

    recorder.append([DCBEvent(type="Other", data=DATA, tags=[f"{run}-ten"]) for _ in range(READS_OF)])
    measure("append 1 event on a condition", append)
    measure(f"read {READS_OF} events of a tag", read)


if __name__ == "__main__":
    main()
