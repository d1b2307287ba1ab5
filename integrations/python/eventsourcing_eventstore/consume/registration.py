"""The records that the first start of a consumer creates."""

import asyncio
import json
from collections.abc import Mapping, Sequence
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
from eventsourcing_eventstore.errors import Conflict, OutcomeUnknown
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
    After a restore, lets all partitions begin at 0, unless another process has done so. Parked events are of the
    void history, too.
    """
    head = await surely(store.head)
    listed = await surely(records.versions)
    partitions = {id_: version for id_, version in listed.items() if id_.startswith("partition-")}
    if not await _is_void(records, partitions, head.store_id):
        return
    parked = [records.gone(id_, version) for id_, version in listed.items() if parked_of(id_)]
    for start in range(0, len(parked), _CHANGES_MAX):
        # While one of them is left, the partitions stay void, so that this is done again.
        if not await _unless_conflict(store, [], parked[start : start + _CHANGES_MAX]):
            return
    fresh = PartitionRecord(replace(head, sequence=0), uuid4().hex).to_json()
    renewed = [records.record(id_, fresh, version) for id_, version in partitions.items()]
    await _unless_conflict(store, renewed)


async def _is_void(records: Records, partitions: Mapping[str, str], store_id: str) -> bool:
    for id_ in partitions:
        found = await surely(partial(records.read, id_))
        if found is not None and PartitionRecord.of_json(found.value).checkpoint.store_id != store_id:
            return True
    return False


async def _unless_conflict(
    store: Store, projections: list[NewProjection], deletes: Sequence[Projection] = ()
) -> bool:
    """Writes projections. False after a conflict or a lost answer, which do no harm: the caller reads again."""
    try:
        await surely(lambda: store.append([], projections=projections, deletes=list(deletes)))
        return True
    except (Conflict, OutcomeUnknown):
        return False
