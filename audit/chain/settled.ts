import { isGone } from "../../tests/server/acknowledged_writes.ts";
import type { Client } from "../../tests/support/client.ts";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Settled } from "./evidence.ts";
import type { Observations } from "./observations.ts";
import type { SeenEvent } from "./observed.ts";
import type { ChainServer } from "./servers.ts";

const READ_SECONDS = 30;

/** Reads the whole store from each server that serves it, without the proxy. All servers must agree. */
export async function readSettled(
  servers: readonly ChainServer[],
  edition: EditionName,
  observations: Observations,
): Promise<Settled> {
  const endsAt = performance.now() + READ_SECONDS * 1000;
  for (;;) {
    const clients = servers.flatMap(({ running }) => running === undefined ? [] : [running.client()]);
    const found = await Promise.all(clients.map((client) => readAll(client, edition, observations)));
    const served = found.filter((one) => one !== undefined);
    if (served.length === (edition === "A" ? servers.length : 1)) return agreed(served);
    if (performance.now() > endsAt) {
      throw new AuditFailure(`reads after ${READ_SECONDS} s of quiet`, [
        `${served.length} of ${servers.length} servers serve`,
      ]);
    }
    await pause(50);
  }
}

function agreed([first, ...others]: readonly Settled[]): Settled {
  for (const other of others) {
    if (other.storeId === first!.storeId && other.events.length === first!.events.length) continue;
    const texts = [first!, other].map(({ storeId, events }) => `${events.length} events of store ${storeId}`);
    throw new AuditFailure("two servers in quiet", [texts.join(" and ")]);
  }
  return first!;
}

/** Returns undefined when the server does not serve, or switches to another store during the read. */
async function readAll(
  client: Client,
  edition: EditionName,
  { seen, histories }: Observations,
): Promise<Settled | undefined> {
  const events: SeenEvent[] = [];
  let storeId: string | undefined;
  try {
    for (;;) {
      const json = {
        query: edition === "B" ? "all" : "*",
        afterSequence: events.at(-1)?.sequence ?? 0,
        limit: 10_000,
      };
      const reply = await client.request("QUERY", "/events", { json });
      const store = reply.headers.get("x-service-store");
      const lines = reply.text.split("\n");
      const trailer = /^\{"hasMore":(true|false)\}$/.exec(lines.at(-2) ?? "");
      if (reply.status !== 200 || trailer === null || store === undefined) return undefined;
      if (storeId !== undefined && store !== storeId) return undefined;
      storeId = store;
      events.push(...lines.slice(0, -2).map((line) => seen.of(line)));
      if (trailer[1] === "false") break;
    }
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  for (const event of events) histories.see(storeId, event);
  return { storeId, events };
}
