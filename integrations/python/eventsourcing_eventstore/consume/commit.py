"""Writes the effects of events together with the progress of their partition."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from eventsourcing_eventstore.consume.output import take_group
from eventsourcing_eventstore.consume.partition import Finished, Item, Output, Partition
from eventsourcing_eventstore.consume.pauses import jitter, surely
from eventsourcing_eventstore.consume.records import Parked, PartitionRecord, Record, parked_id, partition_id
from eventsourcing_eventstore.consume.session import Session
from eventsourcing_eventstore.errors import Conflict, OutcomeUnknown, Unavailable
from eventsourcing_eventstore.library_errors import DataError, ProgrammingError
from eventsourcing_eventstore.plain_types import NewProjection, Written


class Lost(Exception):
    """Another process owns the partition, so nothing was written."""


class Rejected(Exception):
    """The store has rejected the effects of an event: `error` says why."""

    def __init__(self, error: Conflict | DataError | ProgrammingError) -> None:
        super().__init__(str(error))
        self.error = error


async def commit(session: Session, partition: Partition, item: Item, output: Output) -> None:
    """
    Writes the output together with those of other events that have finished. Raises `Lost`, `Rejected`, or an error
    that ends the consumer.
    """
    finished = Finished(item, output, asyncio.get_running_loop().create_future())
    partition.finished.append(finished)
    if len(partition.finished) == 1:
        session.start(_commit_finished(session, partition))
    error = await finished.outcome
    if error is not None:
        raise error


async def _commit_finished(session: Session, partition: Partition) -> None:
    """While one write is on its way, the events that finish collect for the next one."""
    async with partition.committing:
        while partition.finished:
            group = take_group(partition.finished)
            try:
                await _commit_group(session, partition, group)
            except Exception as error:
                for each in group:
                    each.end(error)


async def _commit_group(session: Session, partition: Partition, group: Sequence[Finished]) -> None:
    """Raises `Lost`, or an error that ends the consumer."""
    try:
        written = await write_progress(session, partition, session.member, group)
    except (Conflict, DataError, ProgrammingError) as error:
        if isinstance(error, Conflict) and not await _is_owned(session, partition):
            raise Lost from error
        if len(group) == 1:
            group[0].end(Rejected(error))
            return
        # One by one, so that the error meets the event that causes it.
        for each in group:
            await _commit_group(session, partition, [each])
        return
    _note_parked(partition, group, written)
    for each in group:
        partition.open.pop(each.item.event.sequence, None)
        each.end(None)


def _note_parked(partition: Partition, group: Sequence[Finished], written: Written | None) -> None:
    """Without versions, the next list of the records shows that these have others."""
    versions = iter(written.versions[1:] if written else ())
    for each in group:
        own = [next(versions, "") for _ in each.output.projections]
        if each.output.parked is not None:
            partition.parked[each.item.event.sequence] = Parked(each.output.parked, own[-1])
        else:
            partition.parked.pop(each.item.event.sequence, None)


async def write_progress(
    session: Session, partition: Partition, owner: str | None, group: Sequence[Finished] = ()
) -> Written | None:
    """
    Writes outputs and the progress of a partition, provided that its record has the known version. `owner` is the owner
    from then on: None releases it. Returns None if the answer was lost, and the write has happened.
    """
    if partition.is_lost:
        raise Lost
    done = [each.item.event.sequence for each in group if each.item.parked is None]
    handled = set(done)
    remaining = (sequence for sequence in partition.open if sequence not in handled)
    up_to = next(remaining, partition.received + 1) - 1
    before = partition.record
    record = PartitionRecord(
        replace(before.checkpoint, sequence=up_to),
        uuid4().hex,
        tuple(sequence for sequence in (*before.done, *done) if sequence > up_to),
        owner,
    )
    own = session.records.record(partition_id(partition.index), record.to_json(), partition.version)
    written, version = await _write_surely(session, record.mark, own, [each.output for each in group])
    partition.record, partition.version = record, version
    return written


async def _write_surely(
    session: Session, mark: str, own: NewProjection, outputs: Sequence[Output]
) -> tuple[Written | None, str]:
    """
    Repeats the write as long as the server cannot be reached. When an answer was lost, the mark shows if the write has
    happened. Returns the version of `own`, the record of the partition, too.
    """
    events = [event for output in outputs for event in output.events]
    conditions = [condition for output in outputs for condition in output.conditions]
    projections = [own, *(projection for output in outputs for projection in output.projections)]
    deletes = [projection for output in outputs for projection in output.deletes]
    is_unsure = False
    failures = 0
    while True:
        try:
            written = await session.store.append(events, conditions, projections=projections, deletes=deletes)
            return written, written.versions[0]
        except (OutcomeUnknown, Unavailable) as error:
            is_unsure = is_unsure or isinstance(error, OutcomeUnknown)
            failures += 1
        except (Conflict, DataError, ProgrammingError):
            found = await _read(session, own.id) if is_unsure else None
            if found is None or found.value.get("mark") != mark:
                raise
            return None, found.version
        await asyncio.sleep(jitter(failures))


async def _is_owned(session: Session, partition: Partition) -> bool:
    """True if the partition still belongs to this process. Otherwise it is lost."""
    found = await _read(session, partition_id(partition.index))
    if found is not None and found.version == partition.version:
        return True
    partition.lose()
    if session.owned.get(partition.index) is partition:
        del session.owned[partition.index]
    return False


async def is_parked_as_before(session: Session, partition: Partition, item: Item) -> bool:
    """False if a parked event was dropped, or its record has changed, while it was handled again."""
    if item.parked is None:
        return True
    found = await _read(session, parked_id(partition.index, item.event.sequence))
    return found is not None and found.version == item.parked.version


async def _read(session: Session, id_: str) -> Record | None:
    return await surely(lambda: session.records.read(id_))
