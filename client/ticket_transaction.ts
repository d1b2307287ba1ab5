import type { StoredEvent } from "./events.ts";
import type { Call } from "./exchange.ts";
import { getProjection, pathOf } from "./projections.ts";
import type { Server, TextAnswer } from "./server.ts";
import { confirmed, type OpenTransaction } from "./transaction.ts";
import { pageOf } from "./page_inside.ts";
import { wireEvents, wireQuery } from "./wire.ts";
import { wireProjections } from "./writing.ts";

/** The server does not limit how long a client waits for its turn; this is a day. */
const TURN_SECONDS = 86_400;

/** A transaction of edition C. It waits for its turn, and no other client writes until it ends. */
export async function ticketTransaction<Events extends object>(
  server: Server,
  signal: AbortSignal | undefined,
): Promise<OpenTransaction<Events>> {
  const { body, json } = await server.once({
    method: "POST",
    path: "/begin",
    waitSeconds: TURN_SECONDS,
    signal,
  });
  const headers = { "x-service-ticket": json<{ ticket: string }>(body).ticket };
  // Before the commit, no call changes the store.
  const send = (method: Call["method"], path: string, body?: unknown, success?: 204): Promise<TextAnswer> =>
    server.once({ method, path, body, headers, success, changes: !!success, signal });
  return {
    async read(query) {
      const events: StoredEvent<Events>[] = [];
      for (let hasMore = true; hasMore;) {
        const afterSequence = events.at(-1)?.sequence ?? 0;
        const answer = await send("QUERY", "/events", { query: wireQuery(query), afterSequence });
        const page = await pageOf<Events>(answer, server);
        ({ hasMore } = page);
        events.push(...page.events);
      }
      return events;
    },
    async append(events) {
      const list = await wireEvents(server, events);
      if (list.length > 0) confirmed(await send("POST", "/events", { events: list }));
    },
    getProjection: (type, id) => getProjection(server, pathOf(type, id), { headers, signal }),
    async writeProjections(changes) {
      confirmed(await send("POST", "/projections", wireProjections(server, changes)));
    },
    async commit() {
      await send("POST", "/commit", undefined, 204);
    },
    async abandon() {
      await server.once({ method: "POST", path: "/rollback", headers, success: 204 });
    },
  };
}
