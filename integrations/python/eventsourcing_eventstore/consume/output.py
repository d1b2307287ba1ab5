"""What is written for an event, and what of that one write may have together."""

from collections.abc import Sequence
from datetime import datetime, timezone

from eventsourcing_eventstore.consume.handling import Effects
from eventsourcing_eventstore.consume.partition import Finished, Item, Output, Partition
from eventsourcing_eventstore.consume.records import Records, parked_id
from eventsourcing_eventstore.one_or_more import list_of

_ERROR_MAX = 1000
"""The most characters of an error in the record of a parked event."""

_EVENTS_MAX = 100
_PROJECTIONS_MAX = 400
"""The most items of each kind in one write. The limits of the server are 100 and 500 by default."""


def output_of(records: Records, partition: Partition, item: Item, effects: Effects) -> Output:
    """The output for the effects of an event. A parked event is no longer parked."""
    deletes = list(effects.deletes)
    if item.parked is not None:
        deletes.append(records.gone(parked_id(partition.index, item.event.sequence), item.parked.version))
    return Output(list_of(effects.events), list_of(effects.conditions), list(effects.projections), deletes)


def parked_output(records: Records, partition: Partition, item: Item, error: Exception | None) -> Output:
    """The output that parks an event: without an error because an earlier one of its key is parked."""
    before = item.parked.value if item.parked else {}
    text = before.get("error", "an earlier event of the key is parked") if error is None else text_of(error)
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    record = {
        "sequence": item.event.sequence,
        "type": item.event.type,
        "key": item.key,
        "error": text,
        "attempts": before.get("attempts", 0) + item.failures,
        "time": now.replace("+00:00", "Z"),
    }
    id_ = parked_id(partition.index, item.event.sequence)
    version = item.parked.version if item.parked else None
    return Output(projections=[records.record(id_, record, version)], parked=record)


def text_of(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:_ERROR_MAX]


def take_group(finished: list[Finished]) -> list[Finished]:
    """Takes the first outputs that one write may have together, at least one."""
    group: list[Finished] = []
    names: set[tuple[str, str]] = set()
    events = 0
    for each in finished:
        events += len(each.output.events)
        # A condition does not see the other events of its write, so it has a write of its own.
        fits = (
            not each.output.conditions
            and events <= _EVENTS_MAX
            and len(names) + len(each.changed) <= _PROJECTIONS_MAX
            and names.isdisjoint(each.changed)
        )
        if fits or not group:
            group.append(each)
            names |= each.changed
        if not fits:
            break
    del finished[: len(group)]
    return group
