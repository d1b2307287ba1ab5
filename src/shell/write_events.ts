import { type Condition, Conflict, type EventStore, type NewEvent, StoreReset } from "../../client/mod.ts";
import type { Reached } from "./edition.ts";
import { Broken } from "./ends.ts";

/** The result of a write, as far as the edition's interface reports it. */
export type Written = readonly {
  readonly storeId: string;
  readonly sequence: number;
  readonly time: string;
}[];

/** Writes events, all or nothing, if the conditions hold. @throws Broken when one of them does not */
export async function writeEvents(
  reached: Reached,
  events: readonly NewEvent[],
  conditions: readonly Condition[],
): Promise<Written> {
  if (reached.edition !== "A") {
    await writeInTransaction(reached, events, conditions);
    return [];
  }
  try {
    const { events: appended, position } = await reached.store.append(events, { conditions });
    return appended.map(({ sequence, time }) => ({ storeId: position!.storeId, sequence, time }));
  } catch (error) {
    const sequence = error instanceof Conflict ? error.conflict?.sequence : undefined;
    throw sequence === undefined ? error : broken(sequence);
  }
}

/**
 * The interface of editions B and C has no conditions without a read. For each condition, the transaction reads and
 * checks that no event is new.
 */
async function writeInTransaction(
  { store }: Reached,
  events: readonly NewEvent[],
  conditions: readonly Condition[],
): Promise<void> {
  // Most violated conditions are detected here, without a transaction. A transaction would also have to read all
  // earlier events.
  for (const { query, after } of conditions) {
    const range = after === undefined ? {} : { after };
    for await (const { sequence } of store.readAll(query, range)) throw broken(sequence);
  }
  await store.transaction(async (tx) => {
    for (const { query, after } of conditions) {
      const isNew = ({ sequence = Infinity }: { sequence: number | undefined }): boolean =>
        sequence > (after?.sequence ?? 0);
      const found = (await tx.read(query)).find(isNew);
      if (found !== undefined) throw broken(found.sequence!);
    }
    await assertStore(store, conditions);
    await tx.append(events);
  });
}

/** A position of another store has no meaning here. */
async function assertStore(store: EventStore, conditions: readonly Condition[]): Promise<void> {
  const positions = conditions.flatMap(({ after }) => after ?? []);
  if (positions.length === 0) return;
  const { storeId } = await store.head();
  const other = positions.find((position) => position.storeId !== storeId);
  if (other !== undefined) throw new StoreReset(other, storeId);
}

function broken(sequence: number): Broken {
  return new Broken(`not written: event ${sequence} matches what --if-none asks for`);
}
