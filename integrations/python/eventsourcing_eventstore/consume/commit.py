"""Writes the effects of events together with the progress of their partition."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from eventsourcing_eventstore.consume.handling import Effects
from eventsourcing_eventstore.consume.partition import Item, Partition
from eventsourcing_eventstore.consume.pauses import jitter, surely
from eventsourcing_eventstore.consume.records import Parked, PartitionRecord, Record, parked_id, partition_id
from eventsourcing_eventstore.consume.session import Session
from eventsourcing_eventstore.errors import Conflict, OutcomeUnknown, Unavailable
from eventsourcing_eventstore.library_errors import DataError, ProgrammingError
from eventsourcing_eventstore.one_or_more import list_of
from eventsourcing_eventstore.plain_types import NewEvent, NewProjection, Projection, Written


class Lost(Exception):
    """Another process owns the partition, so nothing was written."""


class Rejected(Exception):
    """The store has rejected the effects of an event: `error` says why."""

    def __init__(self, error: Conflict | DataError | ProgrammingError) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True)
class Output:
    """The result of handling an event, in the form in which it is written."""

    effects: Effects = field(default_factory=Effects)
    parked: dict[str, Any] | None = None
    """The record, if the event is parked instead."""


async def commit(session: Session, partition: Partition, item: Item, output: Output) -> None:
    """Raises `Lost` or `Rejected`."""
    async with partition.committing:
        try:
            written = await write_progress(session, partition, session.member, item, output)
        except Conflict as error:
            if not await _is_owned(session, partition):
                raise Lost from error
            raise Rejected(error) from error
        except (DataError, ProgrammingError) as error:
            raise Rejected(error) from error
        sequence = item.event.sequence
        partition.parked.pop(sequence, None)
        if output.parked is not None:
            # Without a version, the next list of the records shows that it has another one.
            version = written.versions[-1] if written else ""
            partition.parked[sequence] = Parked(output.parked, version)
        partition.open.pop(sequence, None)


async def write_progress(
    session: Session,
    partition: Partition,
    owner: str | None,
    item: Item | None = None,
    output: Output = Output(),
) -> Written | None:
    """
    Writes the progress of a partition, provided that its record has the known version. `owner` is the owner from then
    on: None releases it. Returns None if the answer was lost, and the write has happened.
    """
    if partition.is_lost:
        raise Lost
    done = {item.event.sequence} if item is not None and item.parked is None else set()
    following = next((sequence for sequence in partition.open if sequence not in done), partition.received + 1)
    up_to = following - 1
    before = partition.record
    record = PartitionRecord(
        replace(before.checkpoint, sequence=up_to),
        uuid4().hex,
        tuple(sequence for sequence in (*before.done, *done) if sequence > up_to),
        owner,
    )
    own = session.records.record(partition_id(partition.index), record.to_json(), partition.version)
    projections, deletes = _with_parked(session, partition, item, output)
    written, version = await _write_surely(
        session, record.mark, [own, *projections], deletes, output.effects
    )
    partition.record, partition.version = record, version
    return written


def _with_parked(
    session: Session, partition: Partition, item: Item | None, output: Output
) -> tuple[list[NewProjection], list[Projection]]:
    """The changes of projections, with that of the record of a parked event at the end."""
    projections, deletes = list(output.effects.projections), list(output.effects.deletes)
    if item is None:
        return projections, deletes
    id_ = parked_id(partition.index, item.event.sequence)
    before = item.parked.version if item.parked else None
    if output.parked is not None:
        projections.append(session.records.record(id_, output.parked, before))
    elif before is not None:
        deletes.append(session.records.gone(id_, before))
    return projections, deletes


async def _write_surely(
    session: Session,
    mark: str,
    projections: list[NewProjection],
    deletes: list[Projection],
    effects: Effects,
) -> tuple[Written | None, str]:
    """
    Repeats the write as long as the server cannot be reached. When an answer was lost, the mark shows if the write has
    happened. Returns the version of the first projection, too.
    """
    events: list[NewEvent] = list_of(effects.events)
    conditions = list_of(effects.conditions)
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
            found = await _read(session, projections[0].id) if is_unsure else None
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
