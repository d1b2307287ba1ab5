import { isGone } from "../../tests/server/acknowledged_writes.ts";
import type { Client } from "../../tests/support/client.ts";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import type { StoreContent } from "../history/store_content.ts";
import { type ProjectionName, readOverHttp, StoreUnavailable } from "../history/read_over_http.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { within } from "./going_on.ts";

/** The time limit until reads are answered again. */
const SERVING_SECONDS = 60;

/**
 * Reads the whole content of a store, through one of its servers. When the first reads are answered, PostgreSQL may
 * still recover, or the other server may take over. A read that this cuts short starts again.
 */
export async function readThrough(
  edition: EditionName,
  clients: readonly Client[],
  names: readonly ProjectionName[],
): Promise<StoreContent> {
  const distinct = new Map(names.map(({ type, id }) => [JSON.stringify([type, id]), { type, id }]));
  const endsAt = performance.now() + SERVING_SECONDS * 1000;
  for (;;) {
    try {
      return await readOverHttp(await serving(edition, clients), everyIn(edition), [...distinct.values()]);
    } catch (error) {
      if (performance.now() > endsAt || !(error instanceof StoreUnavailable || isGone(error))) throw error;
    }
    await pause(20);
  }
}

/** Returns a server that answers reads. In edition A all servers do, in the others one. */
export async function serving(edition: EditionName, clients: readonly Client[]): Promise<Client> {
  const endsAt = performance.now() + SERVING_SECONDS * 1000;
  for (;;) {
    const statuses = await Promise.all(clients.map((client) => within(statusOf(edition, client), "a read")));
    const answering = clients.filter((_, i) => statuses[i] === 200);
    if (answering.length === (edition === "A" ? clients.length : 1)) return answering.at(-1)!;
    if (performance.now() > endsAt) throw new AuditFailure("the reads of the servers", [statuses.join()]);
    await pause(20);
  }
}

async function statusOf(edition: EditionName, client: Client): Promise<number | undefined> {
  try {
    return (await client.queryEvents(everyIn(edition), { limit: 1 })).reply.status;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The query of all events. */
function everyIn(edition: EditionName): "all" | "*" {
  return edition === "B" ? "all" : "*";
}
