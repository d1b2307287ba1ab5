import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../support/server_process.ts";
import { type Counts, type Kind, KINDS, REPORT } from "./counts.ts";

export const COUNTING = new URL("./counting.ts", import.meta.url);

type Report = Counts & { readonly report: number };

/** What EVENTSTORE_COSTS asks for: "print" the costs, or also "trace" what they consist of. */
export function wanted(): string | undefined {
  return Deno.env.get("EVENTSTORE_COSTS");
}

/** Starts the real program with everything counted that `counting.ts` counts. */
export function startCountedServer(options: ServerOptions): Promise<ServerProcess> {
  return startServer({ ...options, preload: wanted() === "trace" ? new URL("?trace", COUNTING) : COUNTING });
}

/** What a counted server has counted since it was started. */
async function countsOf(server: ServerProcess): Promise<Counts> {
  const next = (lastReport(server)?.report ?? 0) + 1;
  server.signal("SIGUSR2");
  await eventually(() => assert.equal(lastReport(server)?.report, next, "the counts have not come"));
  return lastReport(server)!;
}

/** The smallest cost of several tries: whatever else the server does now and then only adds to one. */
const TRIES = 3;

/** Nothing is promoted by one request: how much it is shows after so many times what `send` sends. */
const SENT_FOR_PROMOTED = 20;

/** What each request costs that `send` sends; it returns how many. */
export async function costOf(server: ServerProcess, send: () => Promise<number>): Promise<Counts> {
  // Workers start, statements are prepared, caches fill.
  await send();
  const least: Record<string, number> = {};
  for (let tried = 0; tried < TRIES; tried++) {
    const cost = await costOfEach(server, send);
    for (const kind of KINDS) least[kind] = Math.min(least[kind] ?? Infinity, cost[kind]);
  }
  const { promotedBytes } = await costOfEach(server, async () => {
    let requests = 0;
    for (let sent = 0; sent < SENT_FOR_PROMOTED; sent++) requests += await send();
    return requests;
  });
  return { ...least as Counts, promotedBytes };
}

async function costOfEach(server: ServerProcess, send: () => Promise<number>): Promise<Counts> {
  const before = await countsOf(server);
  const requests = await send();
  const after = await countsOf(server);
  const costs = KINDS.map((kind) => [kind, (after[kind] - before[kind]) / requests]);
  return Object.fromEntries(costs) as Record<Kind, number>;
}

function lastReport({ stdout }: ServerProcess): Report | undefined {
  const lines = stdout.split("\n").slice(0, -1).filter((line) => line.startsWith(REPORT));
  return lines.length === 0 ? undefined : JSON.parse(lines.at(-1)!.slice(REPORT.length));
}
