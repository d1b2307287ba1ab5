import { bearer, startWithTokens, tokenToml } from "../../tests/support/tokens.ts";
import { RIGHTS } from "../../src/model/access.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import { requestBytes } from "../connection.ts";
import { type Kind as InTurn, ratesInTurn } from "./in_turn.ts";
import { print } from "./report.ts";

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

const TENANT = { name: "tenant", value: "t1" };

interface Kind {
  readonly column: string;
  readonly token: string;
  /** The identifiers that each query names besides the course. */
  readonly tags: readonly (typeof TENANT)[];
}

type ServedKind = Kind & InTurn;

const KINDS: readonly Kind[] = [
  { column: "with within", token: "within", tags: [] },
  { column: "named by hand", token: "all", tags: [TENANT] },
];

const ROWS = [
  { name: "a small read, 1 client", clients: 1, request: smallRead },
  { name: "a small read, 8 clients", clients: 8, request: smallRead },
  { name: "a write on a condition, 8 clients", clients: 8, request: write },
];

/** The course of a request, each tenth of which is one of the tenant. */
function courseOf(i: number): string {
  return `c${(1 + TENANTS * i) % COURSES}`;
}

function course(i: number, { tags }: Kind): unknown[] {
  return [{ name: "course", value: courseOf(i) }, ...tags];
}

/** The last ten events of a course. */
function smallRead(i: number, kind: Kind): Uint8Array {
  const body = { query: [{ identifiers: course(i, kind) }], limit: 10, backwards: true };
  return requestBytes("QUERY", "/events", JSON.stringify(body), fieldOf(kind));
}

function write(i: number, kind: Kind): Uint8Array {
  const failIfEventsMatch = [{ types: ["CourseClosed"], identifiers: course(i, kind) }];
  const event = { type: "Enrolled", identifiers: { tenant: "t1", course: courseOf(i) }, payload: "" };
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

const tokens = tokenToml("within", "within", ["read", "write"], 'within = { tenant = "t1" }\n') +
  tokenToml("all", "all", RIGHTS);
await using server = await startWithTokens("A", tokens);
await fill(server);
const kinds = KINDS.map((kind) => ({ ...kind, server })) as [ServedKind, ServedKind];
print(await ratesInTurn(kinds, ROWS));
