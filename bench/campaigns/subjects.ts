import { parseArgs } from "node:util";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { requestBytes } from "../connection.ts";
import { databaseSettings, startDatabase } from "../postgres/database.ts";
import { type Kind, ratesInTurn } from "./in_turn.ts";
import { print } from "./report.ts";

/*
 * The cost of encrypted payloads: a server with the setting `subjects` next to the same one without it, with the same
 * events. Each event has a subject.
 *
 *   deno task campaign:subjects [--storage postgres] [--master-key]
 *
 * With `--master-key`, a server with a master key next to one without it, both with `subjects`.
 */

const WRITES = 500;
const EVENTS_PER_WRITE = 100;
const STUDENTS = 5000;
const SCANNED = 10_000;

function event(i: number): unknown {
  return {
    type: "Enrolled",
    identifiers: { student: `s${i % STUDENTS}`, course: `c${i % 1000}` },
    payload: JSON.stringify({ grade: i, text: "x".repeat(150) }),
  };
}

async function fill(server: ServerProcess): Promise<void> {
  for (let first = 0; first < WRITES * EVENTS_PER_WRITE; first += EVENTS_PER_WRITE) {
    await server.client().append(...Array.from({ length: EVENTS_PER_WRITE }, (_, i) => event(first + i)));
  }
}

const read = (body: object): Uint8Array => requestBytes("QUERY", "/events", JSON.stringify(body));

function smallRead(i: number): Uint8Array {
  const query = [{ identifiers: [{ name: "student", value: `s${i * 7 % STUDENTS}` }] }];
  return read({ query, limit: 10, backwards: true });
}

const scan = (i: number): Uint8Array => read({ query: "*", limit: SCANNED, afterSequence: i % 4 * SCANNED });

const write = (events: number) => (i: number): Uint8Array => {
  const body = { events: Array.from({ length: events }, (_, n) => event(i * events + n)) };
  return requestBytes("POST", "/write", JSON.stringify(body));
};

const { values: { storage, "master-key": wraps = false } } = parseArgs({
  args: Deno.args,
  options: { storage: { type: "string" }, "master-key": { type: "boolean" } },
});
await using leftovers = new AsyncDisposableStack();
const database = storage === "postgres" ? leftovers.use(await startDatabase(undefined)) : undefined;
const place = (schema: string): Record<string, string> =>
  database === undefined
    ? {}
    : { ...databaseSettings(database, "postgres"), SERVICE_POSTGRES_SCHEMA: schema };
const subjects = { SERVICE_SUBJECTS: "student" };
const masterKey = { SERVICE_MASTER_KEY: crypto.getRandomValues(new Uint8Array(32)).toBase64() };
const [more, less] = wraps
  ? [{ column: "master key", env: { ...subjects, ...masterKey } }, { column: "none", env: subjects }] as const
  : [{ column: "encrypted", env: subjects }, { column: "plain", env: {} }] as const;
const first = leftovers.use(await startServer({ env: { ...place("first"), ...more.env } }));
const second = leftovers.use(await startServer({ env: { ...place("second"), ...less.env } }));
await Promise.all([fill(first), fill(second)]);
const kinds: [Kind, Kind] = [
  { column: more.column, server: first },
  { column: less.column, server: second },
];
print(
  await ratesInTurn(kinds, [
    { name: "small reads, 1 client", clients: 1, request: smallRead },
    { name: "small reads, 8 clients", clients: 8, request: smallRead },
    { name: "scan, 1 client, events", clients: 1, request: scan, each: SCANNED },
    { name: "scan, 4 clients, events", clients: 4, request: scan, each: SCANNED },
    { name: "writes of 1 event, 1 client", clients: 1, request: write(1) },
    { name: "writes of 1 event, 8 clients", clients: 8, request: write(1) },
    { name: "writes of 100 events, 8 clients, events", clients: 8, request: write(100), each: 100 },
  ]),
);
