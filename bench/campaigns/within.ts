import { bearer, startWithTokens, tokenToml } from "../../tests/support/tokens.ts";
import { RIGHTS } from "../../src/model/access.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import { Connection, requestBytes } from "../connection.ts";
import { median, print, table } from "./report.ts";

/*
 * The cost of a token with `within`: its small reads and its writes on a condition, next to those of a token that sees
 * all and names the tag in its query. Both take turns on one server.
 *
 *   deno task campaign:within
 */

const WRITES = 500;
const EVENTS_PER_WRITE = 100;
const TENANTS = 10;
const COURSES = 1000;
const ROUNDS = 9;
const MILLISECONDS = 1500;

const TENANT = { name: "tenant", value: "t1" };

interface Kind {
  readonly token: string;
  /** The identifiers that each query names besides the course. */
  readonly tags: readonly (typeof TENANT)[];
}

const KINDS: readonly Kind[] = [{ token: "within", tags: [] }, { token: "all", tags: [TENANT] }];

const ROWS = [["a small read, 1 client", 1, smallRead], ["a small read, 8 clients", 8, smallRead], [
  "a write on a condition, 8 clients",
  8,
  write,
]] as const;

function course(i: number, { tags }: Kind): unknown[] {
  return [{ name: "course", value: `c${i % COURSES}` }, ...tags];
}

/** The last ten events of a course. */
function smallRead(i: number, kind: Kind): Uint8Array {
  const body = { query: [{ identifiers: course(i, kind) }], limit: 10, backwards: true };
  return requestBytes("QUERY", "/events", JSON.stringify(body), fieldOf(kind));
}

function write(i: number, kind: Kind): Uint8Array {
  const failIfEventsMatch = [{ types: ["CourseClosed"], identifiers: course(i, kind) }];
  const event = { type: "Enrolled", identifiers: { tenant: "t1", course: `c${i % COURSES}` }, payload: "" };
  const body = { conditions: [{ failIfEventsMatch }], events: [event] };
  return requestBytes("POST", "/write", JSON.stringify(body), fieldOf(kind));
}

function fieldOf({ token }: Kind): string {
  return `Authorization: ${bearer(token).authorization}`;
}

async function fill(server: ServerProcess): Promise<void> {
  const client = server.client(bearer("all"));
  for (let first = 0; first < WRITES * EVENTS_PER_WRITE; first += EVENTS_PER_WRITE) {
    await client.append(...Array.from({ length: EVENTS_PER_WRITE }, (_, i) => ({
      type: "Enrolled",
      identifiers: { tenant: `t${(first + i) % TENANTS}`, course: `c${(first + i) % COURSES}` },
      payload: "x".repeat(200),
    })));
  }
}

/** Requests per second. */
async function rate(
  server: ServerProcess,
  clients: number,
  request: (i: number) => Uint8Array,
): Promise<number> {
  let count = 0;
  const until = performance.now() + MILLISECONDS;
  await Promise.all(Array.from({ length: clients }, async () => {
    using connection = await Connection.open(server.address);
    while (performance.now() < until) {
      // Each tenth course is one of the tenant.
      const { status } = await connection.request(request(1 + TENANTS * count++));
      if (status !== 200) throw new Error(`answered ${status}`);
    }
  }));
  return 1000 * count / MILLISECONDS;
}

const tokens = tokenToml("within", "within", ["read", "write"], 'within = { tenant = "t1" }\n') +
  tokenToml("all", "all", RIGHTS);
await using server = await startWithTokens("A", tokens);
await fill(server);
const rows: string[][] = [];
for (const [name, clients, request] of ROWS) {
  const rates = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
      rates.get(kind)!.push(await rate(server, clients, (i) => request(i, kind)));
    }
  }
  const [within, all] = KINDS.map((kind) => median(rates.get(kind)!));
  rows.push([name, within!.toFixed(0), all!.toFixed(0), (within! / all!).toFixed(2)]);
}
print(table(["", "with within, 1/s", "named by hand, 1/s", "ratio"], rows));
