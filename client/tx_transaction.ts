import type { Call } from "./exchange.ts";
import { getProjection, pathOf } from "./projections.ts";
import type { Server, TextAnswer } from "./server.ts";
import { confirmed, type OpenTransaction } from "./transaction.ts";
import { pageOf } from "./page_inside.ts";
import { wireEvents, wireQuery } from "./wire.ts";
import { wireProjections } from "./writing.ts";

/**
 * A transaction of edition B. The protocol expects exactly one write of events after each read. If the caller makes
 * only one of the two, the client adds the other one, which is empty. One call runs at a time.
 */
export async function txTransaction<Events extends object>(
  server: Server,
  signal: AbortSignal | undefined,
): Promise<OpenTransaction<Events>> {
  const { body, json } = await server.once({ method: "POST", path: "/tx", signal });
  const path = `/tx/${json<{ txId: string }>(body).txId}`;
  let isRead = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  // Before the commit, no call changes the store.
  const send = (method: Call["method"], rest: string, body?: unknown, success?: 204): Promise<TextAnswer> =>
    server.once({ method, path: path + rest, body, success, changes: !!success, signal });
  const read = async (query: unknown): Promise<TextAnswer> => {
    if (isRead) await append([]);
    const answer = await send("QUERY", "/events", { query });
    isRead = true;
    return answer;
  };
  const append = async (events: readonly unknown[]): Promise<void> => {
    if (!isRead && events.length > 0) await read("none");
    if (isRead) confirmed(await send("POST", "/events", { events }));
    isRead = false;
  };
  /** Sends the write that belongs to the last read first. */
  const afterWrite = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      await append([]);
      return await work();
    });
  return {
    read: (query) =>
      inTurn(async () => (await pageOf<Events>(await read(wireQuery(query, "B")), server)).events),
    append: (events) => inTurn(async () => append(await wireEvents(server, events))),
    getProjection: (type, id) =>
      afterWrite(() => getProjection(server, path + pathOf(type, id), { signal }, false)),
    writeProjections: (changes) =>
      afterWrite(() => send("POST", "/projections", wireProjections(server, changes)).then(confirmed)),
    commit: () => afterWrite(async () => void await send("POST", "/commit", undefined, 204)),
    abandon: () => inTurn(async () => void await server.once({ method: "DELETE", path, success: 204 })),
  };
}
