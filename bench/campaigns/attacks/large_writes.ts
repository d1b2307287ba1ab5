import type { Reply } from "../../../tests/support/connection.ts";
import type { Client } from "../../../tests/support/client.ts";
import type { Arena, Attack, Found } from "./attack.ts";

/*
 * Legal requests of the largest size, sent at once or held open. The server limits waiting requests by number, but
 * they take bytes.
 */

const EVENT_PAYLOAD_BYTES = 65_000;
const EVENTS_PER_WRITE = 100;
const PROJECTIONS_PER_CALL = 120;
const CALLS_PER_TRANSACTION = 4;

function counted(replies: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reply of replies) counts.set(reply, (counts.get(reply) ?? 0) + 1);
  return [...counts].map(([reply, count]) => `${count} x ${reply}`).join(", ");
}

/** The status, and the code of an error. */
function answer({ status, text }: Reply): string {
  const code = /^\{"error":"(\w+)"/.exec(text)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

const BIG_EVENTS = JSON.stringify({
  events: Array(EVENTS_PER_WRITE).fill({
    type: "big",
    identifiers: { tenant: "attacker" },
    payload: "x".repeat(EVENT_PAYLOAD_BYTES),
  }),
});

async function writesAtOnce(arena: Arena, full: number): Promise<Found> {
  const tries = arena.count(full);
  const client = arena.server.client();
  const replies = await Promise.all(Array.from({ length: tries }, async () => {
    try {
      const reply = await client.request("POST", "/write", { body: BIG_EVENTS });
      if (reply.status === 200) arena.wrote(EVENTS_PER_WRITE);
      return answer(reply);
    } catch {
      arena.wrote(0, EVENTS_PER_WRITE);
      return "no answer";
    }
  }));
  const wrong = replies.filter((reply) => !/^(200|503 (WriteQueueFull|Unavailable))$/.test(reply));
  return { tries, outcome: counted(replies), faults: wrong };
}

/** Fills a transaction up to its limits. @returns the first rejection, or "200" */
async function fillTransaction(client: Client, number: number): Promise<string> {
  const begun = await client.request("POST", "/tx");
  if (begun.status !== 200) return answer(begun);
  const path = `/tx/${begun.json<{ txId: string }>().txId}`;
  const steps: (readonly [method: string, path: string, body: string])[] = [
    ["QUERY", "/events", '{"query":"none"}'],
    ["POST", "/events", BIG_EVENTS],
  ];
  for (let call = 0; call < CALLS_PER_TRANSACTION; call++) {
    const create = Array.from({ length: PROJECTIONS_PER_CALL }, (_, i) => ({
      type: "big",
      id: `${number} ${call} ${i}`,
      payload: "x".repeat(EVENT_PAYLOAD_BYTES),
    }));
    steps.push(["POST", "/projections", JSON.stringify({ create })]);
  }
  for (const [method, rest, body] of steps) {
    const reply = await client.request(method, path + rest, { body });
    if (reply.status !== 200) return answer(reply);
  }
  return "200";
}

async function openTransactions(arena: Arena, full: number): Promise<Found> {
  const tries = arena.count(full);
  const replies: string[] = [];
  for (let i = 0; i < tries; i++) replies.push(await fillTransaction(arena.server.client(), i));
  const surplus = "503 TooManyTransactions";
  const wrong = replies.filter((reply) => reply !== "200" && reply !== surplus);
  if (tries === full && !replies.includes(surplus)) wrong.push("none was rejected");
  return { tries, outcome: counted(replies), faults: wrong };
}

export const largeWrites: readonly Attack[] = [
  {
    name: "A 101 writes of 6.5 MB at once",
    edition: "A",
    transport: "tcp",
    honest: ["health", "read", "write"],
    bounds: { p99: 100 },
    run: (arena) => writesAtOnce(arena, 101),
  },
  {
    name: "B 40 open transactions of 38 MB",
    edition: "B",
    transport: "tcp",
    honest: ["health", "read", "write"],
    bounds: { p99: 100 },
    run: (arena) => openTransactions(arena, 40),
  },
];
