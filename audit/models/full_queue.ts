import type { Reply } from "../../tests/support/connection.ts";
import { pause } from "../../tests/support/eventually.ts";
import { debugSnapshot, holdWriteLock } from "../../tests/support/held_write_lock.ts";
import { assertRejected } from "../../tests/support/replies.ts";
import { WAITING_MAX } from "./limits.ts";
import type { Begun, System } from "./system.ts";

/** The server waits up to 5 s for the write lock. After this shorter time no new request is sent. */
const HOLD_MILLISECONDS = 2500;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly json: unknown;
}

/**
 * Sends requests one after the other while the write lock is held. The first one becomes active, as many as the queue
 * allows wait, and one more must be rejected. When the machine is too busy for that, fewer are sent.
 * @returns the answers in the order of the turns; a request that found the queue full has none
 */
export async function fillQueue(system: System, requests: readonly Request[]): Promise<Reply[]> {
  const sent: Begun[] = [];
  {
    using _held = holdWriteLock(system.server);
    const endsAt = performance.now() + HOLD_MILLISECONDS;
    for (const { method, path, json } of requests.slice(0, WAITING_MAX + 1)) {
      sent.push(await system.begin(method, path, { json }));
      if (!await isQueued(system, sent.length - 1, endsAt)) break;
    }
    const isFull = sent.length === WAITING_MAX + 1 && performance.now() < endsAt;
    if (isFull && requests.length > sent.length) {
      const { method, path, json } = requests[sent.length]!;
      assertRejected(await system.request(method, path, { json }), 503, "WriteQueueFull");
      system.tally.fullQueues++;
    }
  }
  const replies = await Promise.all(sent.map(({ reply }) => reply));
  for (const { connection } of sent) connection.close();
  return replies.map((reply) => {
    if (reply === undefined) throw new Error("a request that waited got no answer");
    return reply;
  });
}

/** Waits until this number of requests wait behind the active one. @returns true when that was so in time */
async function isQueued(system: System, waiting: number, endsAt: number): Promise<boolean> {
  for (; performance.now() < endsAt; await pause(2)) {
    const { write } = await debugSnapshot(system.client);
    if (write.active !== null && write.queued.length === waiting) return true;
  }
  return false;
}
