"""The records that the first start of a consumer creates."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from uuid import uuid4

from eventsourcing_eventstore.consume.pauses import jitter, surely
from eventsourcing_eventstore.consume.records import (
    MAIN,
    PartitionRecord,
    Record,
    Records,
    Store,
    parked_of,
    partition_id,
)
from eventsourcing_eventstore.consume.session import Options
from eventsourcing_eventstore.errors import Conflict, OutcomeUnknown, StoreChanged
from eventsourcing_eventstore.library_errors import ProgrammingError
from eventsourcing_eventstore.plain_types import NewProjection, Projection

_PARTITIONS = 16

_CHANGES_MAX = 300
"""The most projections that are changed in one write, below `maxProjectionsPerWrite`."""


async def register(store: Store, records: Records, options: Options) -> Record:
    """Returns the record of the first start, which this may be."""
    count = options.partitions or _PARTITIONS
    failures = 0
    while True:
        found = await surely(lambda: records.read(MAIN))
        if found is not None:
            _must_fit(records, found, options)
            return found
        head = await surely(store.head)
        fresh = PartitionRecord(replace(head, sequence=0), uuid4().hex).to_json()
        await _unless_conflict(store, [records.named()])
        main = records.record(MAIN, {"partitions": count, "by": options.order})
        # After a lost answer or a conflict, the record that is there now counts.
        if not await _unless_conflict(store, [main, *(records.record(partition_id(i), fresh) for i in range(count))]):
            await asyncio.sleep(jitter(failures))
            failures += 1


def _must_fit(records: Records, found: Record, options: Options) -> None:
    by, count = found.value["by"], found.value["partitions"]
    if by != options.order:
        fault = f"by is {json.dumps(by)} since its first start, not {json.dumps(options.order)}"
    elif options.partitions not in (None, count):
        fault = f"it has {count} partitions since its first start, not {options.partitions}"
    else:
        return
    remedy = f'to begin it anew, delete the projections of type "{records.type}"'
    raise ProgrammingError(f'consumer "{records.name}": {fault}: {remedy}')


async def renew(store: Store, records: Records) -> None:
    """
    After a restore or a failover that lost events, lets all partitions begin at 0, unless another process has done
    so. Parked events are of the void history, too.
    """
    listed = await surely(records.versions)
    partitions = {id_: version for id_, version in listed.items() if id_.startswith("partition-")}
    found = [await surely(partial(records.read, id_)) for id_ in partitions]
    if not await is_void(store, [PartitionRecord.of_json(each.value) for each in found if each is not None]):
        return
    parked = [records.gone(id_, version) for id_, version in listed.items() if parked_of(id_)]
    for start in range(0, len(parked), _CHANGES_MAX):
        # While one of them is left, the partitions stay void, so that this is done again.
        if not await _unless_conflict(store, [], parked[start : start + _CHANGES_MAX]):
            return
    head = await surely(store.head)
    fresh = PartitionRecord(replace(head, sequence=0), uuid4().hex).to_json()
    renewed = [records.record(id_, fresh, version) for id_, version in partitions.items()]
    await _unless_conflict(store, renewed)


async def is_void(store: Store, records: Sequence[PartitionRecord]) -> bool:
    """True if any is the progress in another store, or after the end of this one, which has lost events then."""
    head = await surely(store.head)
    if any(each.checkpoint.store_id != head.store_id for each in records):
        return True
    last = max((each.last_done for each in records), default=0)
    if last <= head.sequence:
        return False
    try:
        # The head may be that of a replica that lags. Such a replica does not answer for a position after its end.
        await surely(lambda: store.read("*", after=replace(head, sequence=last), limit=1))
        return False
    except StoreChanged:
        return True


async def _unless_conflict(
    store: Store, projections: list[NewProjection], deletes: Sequence[Projection] = ()
) -> bool:
    """Writes projections. False after a conflict or a lost answer, which do no harm: the caller reads again."""
    try:
        await surely(lambda: store.append([], projections=projections, deletes=list(deletes)))
        return True
    except (Conflict, OutcomeUnknown):
        return False
