import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../support/server_process.ts";
import { type Counts, type Kind, KINDS, REPORT } from "./counts.ts";

export const COUNTING = new URL("./counting.ts", import.meta.url);

type Report = Counts & { readonly report: number };

/** The value of EVENTSTORE_COSTS: "print" prints the costs, "trace" also prints what they consist of. */
export function wanted(): string | undefined {
  return Deno.env.get("EVENTSTORE_COSTS");
}

/** Starts the real program with the counting of `counting.ts`. */
export function startCountedServer(options: ServerOptions): Promise<ServerProcess> {
  return startServer({ ...options, preload: wanted() === "trace" ? new URL("?trace", COUNTING) : COUNTING });
}

/** The counts of a counted server since its start. */
async function countsOf(server: ServerProcess): Promise<Counts> {
  const next = (lastReport(server)?.report ?? 0) + 1;
  server.signal("SIGUSR2");
  await eventually(() => assert.equal(lastReport(server)?.report, next, "the counts have not come"));
  return lastReport(server)!;
}

/** The smallest cost of several tries counts: other work that the server does now and then only adds to a try. */
const TRIES = 3;

/** The tries while a count is over its bound: on a busy machine, fewer requests share their work. */
const TRIES_MAX = 12;

/** One request alone promotes nothing. The promoted bytes are measured over this many calls of `send`. */
const SENT_FOR_PROMOTED = 20;

/** The costs per request of the requests that `send` sends. `send` returns their number. */
export async function costOf(
  server: ServerProcess,
  send: () => Promise<number>,
  bounds?: Counts,
): Promise<Counts> {
  // Workers start, statements are prepared, caches fill.
  await send();
  const least: Record<Kind, number> = await costOfEach(server, send);
  const isOver = () =>
    KINDS.some((kind) => kind !== "promotedBytes" && least[kind] > (bounds?.[kind] ?? Infinity));
  for (let tries = 1; tries < (isOver() ? TRIES_MAX : TRIES); tries++) {
    const cost = await costOfEach(server, send);
    for (const kind of KINDS) least[kind] = Math.min(least[kind], cost[kind]);
  }
  const { promotedBytes } = await costOfEach(server, async () => {
    let requests = 0;
    for (let sent = 0; sent < SENT_FOR_PROMOTED; sent++) requests += await send();
    return requests;
  });
  return { ...least, promotedBytes };
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
