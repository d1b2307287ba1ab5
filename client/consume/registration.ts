import { Conflict, ConnectionLost, EventStoreError } from "../errors.ts";
import type { Position } from "../events.ts";
import { jitter } from "../retries.ts";
import { write } from "../writing.ts";
import {
  MAIN,
  type MainRecord,
  NAMES,
  newMark,
  parkedOf,
  partitionId,
  type PartitionRecord,
  type Records,
  type Stored,
} from "./records.ts";

const PARTITIONS = 16;

/** The most projections that the client changes in one write, below `maxProjectionsPerWrite`. */
const CHANGES_MAX = 300;

/** Creates the records of a consumer at its first start. @returns the record of the first start */
export async function register(
  records: Records,
  { by, partitions: wanted }: { readonly by: string; readonly partitions: number | undefined },
  signal: AbortSignal,
): Promise<Stored<MainRecord>> {
  const main: MainRecord = { partitions: wanted ?? PARTITIONS, by };
  for (let failures = 0;; failures++) {
    const found = await records.read<MainRecord>(MAIN, signal);
    if (found) {
      mustFit(records, found.value, main, wanted);
      return found;
    }
    const { storeId } = await records.head(signal);
    const fresh: PartitionRecord = { checkpoint: { storeId, sequence: 0 }, done: [], mark: newMark() };
    const partitions = Array.from(
      { length: main.partitions },
      (_, i) => records.created(partitionId(i), fresh),
    );
    await unlessConflict(
      records,
      { create: [{ ...records.created(records.name, {}), type: NAMES }] },
      signal,
    );
    // After a lost answer or a conflict, the record that is there now counts.
    const create = [records.created(MAIN, main), ...partitions];
    if (!await unlessConflict(records, { create }, signal)) await jitter(failures, signal);
  }
}

/** @throws EventStoreError when the first start has fixed something else */
function mustFit(
  { name, type }: Records,
  found: MainRecord,
  main: MainRecord,
  wanted: number | undefined,
): void {
  const fault = found.by !== main.by
    ? `by is ${JSON.stringify(found.by)} since its first start, not ${JSON.stringify(main.by)}`
    : wanted !== undefined && found.partitions !== wanted
    ? `it has ${found.partitions} partitions since its first start, not ${wanted}`
    : undefined;
  if (fault === undefined) return;
  const message = `consumer "${name}": ${fault}: to begin it anew, delete the projections of type "${type}"`;
  throw new EventStoreError({ code: "ConsumerDiffers", message });
}

/**
 * After a reset, lets all partitions begin at 0, unless another process has done so. Parked events are of the void
 * history, too.
 */
export async function renew(records: Records, signal: AbortSignal): Promise<void> {
  const head = await records.head(signal);
  const listed = await records.list(signal);
  const partitions = [...listed].filter(([id]) => id.startsWith("partition-"));
  let isVoid = false;
  for (const [id] of partitions) {
    const found = await records.read<PartitionRecord>(id, signal);
    isVoid ||= found !== undefined && !isIn(found.value, head);
  }
  if (!isVoid) return;
  const fresh: PartitionRecord = {
    checkpoint: { ...head, sequence: 0 },
    done: [],
    mark: newMark(),
  };
  const parked = [...listed].filter(([id]) => parkedOf(id));
  for (let i = 0; i < parked.length; i += CHANGES_MAX) {
    const part = parked.slice(i, i + CHANGES_MAX);
    const gone = part.map(([id, version]) => ({ type: records.type, id, version }));
    // While one of them is left, the partitions stay void, so that this is done again.
    if (!await unlessConflict(records, { delete: gone }, signal)) return;
  }
  const replace = partitions.map(([id, version]) => records.replaced(id, version, fresh));
  await unlessConflict(records, { replace }, signal);
}

function isIn({ checkpoint, done }: PartitionRecord, head: Position): boolean {
  return checkpoint.storeId === head.storeId && Math.max(checkpoint.sequence, ...done) <= head.sequence;
}

/**
 * Writes projections. The caller reads again, so a conflict and a lost answer do no harm.
 * @returns false after these
 */
async function unlessConflict(
  { server }: Records,
  projections: Parameters<typeof write>[2]["projections"],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await write(server, [], { projections: projections!, signal });
    return true;
  } catch (error) {
    if (error instanceof Conflict || error instanceof ConnectionLost) return false;
    throw error;
  }
}
