import assert from "node:assert/strict";
import type { ConsumeOptions, Consumer, ConsumerNotification, EventStore } from "../../../client/mod.ts";
import { eventually } from "../../support/eventually.ts";
import { note, type SchoolEvents } from "../support.ts";

/** A consumer that runs until the end of the scope. Then it has released everything. */
export interface Consuming extends AsyncDisposable {
  readonly running: Promise<never>;
  readonly notifications: ConsumerNotification[];
  /** The sequences of notifications of a kind. */
  sequences(kind: "handled" | "parked" | "failed"): number[];
  /** Ends it, and waits for the end. */
  end(): Promise<void>;
}

/** Runs the consumer `c`, whose leases are short. */
export function consuming(
  store: EventStore<SchoolEvents>,
  consumer: Partial<Consumer<SchoolEvents>>,
  options: ConsumeOptions = {},
): Consuming {
  const end = new AbortController();
  const notifications: ConsumerNotification[] = [];
  const running = store.consume(
    "c",
    { query: { types: ["Noted"] }, by: "key", handle() {}, ...consumer },
    { leaseSeconds: 1, onNotification: (one) => notifications.push(one), ...options, signal: end.signal },
  );
  running.catch(() => {});
  const ended = async (): Promise<void> => {
    const reason = new Error("the test ends it");
    end.abort(reason);
    await assert.rejects(running, reason);
  };
  return {
    running,
    notifications,
    sequences: (kind) => notifications.flatMap((one) => one.kind === kind ? [one.sequence] : []),
    end: ended,
    [Symbol.asyncDispose]: async () => end.signal.aborted ? undefined : await ended(),
  };
}

/** Events whose keys take turns. */
export function notes(keys: number, each: number): ReturnType<typeof note>[] {
  return Array.from({ length: keys * each }, (_, i) => note(String(i), { key: `k${i % keys}` }));
}

/** Waits until a check passes, also on a busy machine. */
export async function soon(check: () => void | Promise<void>): Promise<void> {
  await eventually(check, 30);
}

/** Waits until these events have been handled, each once. */
export async function handled(consumer: Consuming, ...sequences: number[]): Promise<void> {
  await soon(() => assert.deepEqual(consumer.sequences("handled").toSorted((a, b) => a - b), sequences));
}

/** The records of the consumer with this beginning of the ID, by their IDs. */
export async function records(
  store: EventStore<SchoolEvents>,
  beginning: string,
): Promise<Record<string, Record<string, unknown>>> {
  const found: Record<string, Record<string, unknown>> = {};
  for await (const { id } of store.projections.list({ type: "consumer:c" })) {
    if (!id.startsWith(beginning)) continue;
    const record = await store.projections.get<Record<string, unknown>>("consumer:c", id);
    if (record) found[id] = record.payload;
  }
  return found;
}
