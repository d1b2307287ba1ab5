import { Conflict, EventStoreError, Refused } from "../errors.ts";
import type { NewEvent } from "../events.ts";
import { repeated, retriesFor } from "../retries.ts";
import { type AppendOptions, type ProjectionVersions, write } from "../writing.ts";
import { takeGroup } from "./output.ts";
import type { Item, Partition } from "./partition.ts";
import { newMark, parkedId, partitionId, type PartitionRecord, type Stored } from "./records.ts";
import type { Session } from "./session.ts";

/** Is notified of the outcome of each event. */
export interface Outcomes<Events extends object> {
  /** Its effects are durable, or it is no longer to be handled. */
  completed(item: Item<Events>): void;
  /** The store has rejected its output. */
  rejected(item: Item<Events>, error: unknown): void;
  /** All events of a write have an outcome. */
  start(): void;
}

/**
 * Writes the outputs of finished events together with the progress of the partition, as long as there are any. While
 * one write is on its way, the events that finish collect for the next one.
 * @param always true to write the progress even if no event is finished
 */
export async function commitFinished<Events extends object>(
  session: Session<Events>,
  work: Outcomes<Events>,
  partition: Partition<Events>,
  always = false,
): Promise<void> {
  if (partition.isCommitting) return;
  partition.isCommitting = true;
  try {
    for (; (always || partition.finished.length) && !partition.isLost; always = false) {
      await commitGroup(session, work, partition, takeGroup(partition.finished));
      work.start();
    }
  } finally {
    partition.isCommitting = false;
    partition.changed.wake();
  }
}

async function commitGroup<Events extends object>(
  session: Session<Events>,
  work: Outcomes<Events>,
  partition: Partition<Events>,
  group: readonly Item<Events>[],
): Promise<void> {
  try {
    const versions = await writeProgress(session, partition, group, session.member);
    noteParked(partition, group, versions);
  } catch (error) {
    if (partition.isLost) return;
    if (session.requests.signal.aborted || !group.length && !(error instanceof Conflict)) throw error;
    if (error instanceof Conflict && !await isOwned(session, partition)) return;
    if (error instanceof EventStoreError && (error.outcomeUnknown || !isRejection(error))) throw error;
    // One by one, so that the error meets the event that causes it.
    if (group.length > 1) { for (const item of group) await commitGroup(session, work, partition, [item]); }
    else if (group[0] && await isParkedAsBefore(session, group[0])) work.rejected(group[0], error);
    else if (group[0]) work.completed(group[0]);
    return;
  }
  for (const item of group) {
    const { event: { sequence }, output, failures, seconds } = item;
    work.completed(item);
    if (output!.parked) session.notify({ kind: "parked", sequence, ...output!.failure });
    else session.notify({ kind: "handled", sequence, attempt: failures + 1, seconds });
  }
}

function isRejection(error: EventStoreError): boolean {
  return error instanceof Conflict || error instanceof Refused;
}

/**
 * Writes the outputs and the progress of a partition, provided that its record has the known version.
 * @param owner the owner from then on; undefined releases the partition
 */
export async function writeProgress<Events extends object>(
  session: Session<Events>,
  partition: Partition<Events>,
  group: readonly Item<Events>[],
  owner: string | undefined,
): Promise<ProjectionVersions | undefined> {
  const { records } = session;
  const { index, stored: { value, version }, open } = partition;
  const handled = new Set(group.filter(({ parked }) => !parked).map(({ event }) => event.sequence));
  const next = [...open.keys()].find((sequence) => !handled.has(sequence));
  const upTo = next === undefined ? partition.received : next - 1;
  const record: PartitionRecord = {
    checkpoint: { ...value.checkpoint, sequence: upTo },
    done: [...value.done, ...handled].filter((sequence) => sequence > upTo),
    owner,
    mark: newMark(),
  };
  const id = partitionId(index);
  const outputs = group.map(({ output }) => output!);
  const projections = {
    replace: [
      records.replaced(id, version, record),
      ...outputs.flatMap(({ projections }) => projections.replace ?? []),
    ],
    create: outputs.flatMap(({ projections }) => projections.create ?? []),
    delete: outputs.flatMap(({ projections }) => projections.delete ?? []),
  };
  const events = outputs.flatMap(({ events }) => events);
  const conditions = outputs.flatMap(({ conditions }) => conditions);
  const { projections: versions, found } = await writeSurely(session, events, { conditions, projections }, {
    id,
    mark: record.mark,
  });
  partition.stored = found ?? { value: record, version: versions!.replace[0]!.version };
  return versions;
}

/**
 * Writes, and repeats it as long as the server cannot be reached. When an answer was lost, the mark shows if the write
 * has happened.
 */
async function writeSurely<Events extends object>(
  session: Session<Events>,
  events: readonly NewEvent<Events>[],
  options: AppendOptions<Events>,
  { id, mark }: { readonly id: string; readonly mark: string },
): Promise<{ readonly projections?: ProjectionVersions; readonly found?: Stored<PartitionRecord> }> {
  const { server, requests: { signal } } = session;
  const retries = retriesFor(server, signal, true);
  let isUnsure = false;
  for (;;) {
    try {
      return await write(server, events, { ...options, signal });
    } catch (error) {
      const { outcomeUnknown } = error as Partial<EventStoreError>;
      isUnsure ||= outcomeUnknown === true;
      if (isUnsure && !outcomeUnknown && isRejection(error as EventStoreError)) {
        const found = await readSurely<PartitionRecord>(session, id);
        if (found?.value.mark === mark) return { found };
        throw error;
      }
      await retries.after(error);
    }
  }
}

/** Reads a record, and repeats it as long as the server cannot be reached. */
async function readSurely<Value>(
  { server, records, requests: { signal } }: Pick<Session<never>, "server" | "records" | "requests">,
  id: string,
): Promise<Stored<Value> | undefined> {
  return await repeated(retriesFor(server, signal, true), () => records.read<Value>(id, signal));
}

/** True if the partition still belongs to this process. Otherwise it is lost. */
async function isOwned<Events extends object>(
  session: Session<Events>,
  partition: Partition<Events>,
): Promise<boolean> {
  const found = await readSurely<PartitionRecord>(session, partitionId(partition.index));
  if (found?.version === partition.stored.version) return true;
  partition.lose();
  session.owned.delete(partition.index);
  return false;
}

/** False if a parked event was dropped, or its record has changed, while it was handled again. */
async function isParkedAsBefore<Events extends object>(
  session: Session<Events>,
  { partition, event, parked }: Item<Events>,
): Promise<boolean> {
  if (!parked) return true;
  const found = await readSurely(session, parkedId(partition.index, event.sequence));
  return found?.version === parked.version;
}

/** Without versions, the next list of the records shows that these have others. */
function noteParked<Events extends object>(
  partition: Partition<Events>,
  group: readonly Item<Events>[],
  versions: ProjectionVersions | undefined,
): void {
  let [created, replaced] = [0, 1];
  for (const { event, parked: before, output } of group) {
    const { projections, parked } = output!;
    const list = before ? versions?.replace[replaced] : versions?.create[created];
    if (parked) partition.parked.set(event.sequence, { value: parked, version: list?.version ?? "" });
    else partition.parked.delete(event.sequence);
    created += projections.create?.length ?? 0;
    replaced += projections.replace?.length ?? 0;
  }
}
