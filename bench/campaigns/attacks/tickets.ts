import { begin, type Transaction } from "../../../tests/editions/c_ticket/client.ts";
import { pause } from "../../../tests/support/eventually.ts";
import { requestBytes } from "../../connection.ts";
import type { Arena, Attack, Found } from "./attack.ts";
import { repeated, sendOnce, TICKET_BODY_BYTES } from "./bodies.ts";

/* Transactions of edition C whose client is correct and calls in time, while the server process is busy or stopped. */

const CALL_EVERY_MILLISECONDS = 500;
const BODIES_SECONDS = 10;
const BODY = requestBytes(
  "POST",
  "/projections",
  repeated('{"\\u0065vents":[', "{}", "]}", TICKET_BODY_BYTES),
);

/** Calls every 0.5 s while bodies keep the process busy, then commits. */
async function duringBodies(arena: Arena, full: number): Promise<Found> {
  const tries = arena.count(full);
  const client = arena.server.client();
  const faults: string[] = [];
  let over = false;
  let sent = 0;
  const sending = (async () => {
    while (!over) {
      await sendOnce(arena, BODY);
      sent++;
    }
  })().catch((error) => faults.push((error as Error).message));
  for (let i = 0; i < tries; i++) {
    const transaction = await begin(client);
    const until = performance.now() + arena.seconds(BODIES_SECONDS) * 1000;
    let status = 200;
    while (status === 200 && performance.now() < until) {
      status = (await transaction.read("*", { limit: 1 })).reply.status;
      await pause(CALL_EVERY_MILLISECONDS);
    }
    if (status === 200) status = (await transaction.commit()).status;
    if (status !== 204) faults.push(`a call in time was answered ${status}`);
  }
  over = true;
  await sending;
  return { tries, outcome: `${sent} bodies beside ${tries} transactions`, faults };
}

const IDLE_SECONDS = 1;
const CALL_AFTER_MILLISECONDS = 300;
const STOPPED_MILLISECONDS = 2500;

/**
 * The process is stopped until after the idle deadline. The server receives a call before the deadline, on a new
 * connection.
 */
async function whileStopped(arena: Arena, full: number): Promise<Found> {
  const tries = arena.count(full);
  const client = arena.server.client();
  const faults: string[] = [];
  for (let i = 0; i < tries; i++) {
    const called = await stopped(arena, await begin(client), (transaction) => transaction.commit());
    if (called !== 204) faults.push(`a call that arrived in time was answered ${called}`);
    const late = await begin(client);
    await stopped(arena, late, undefined);
    const { status } = await late.commit();
    if (status !== 410) faults.push(`a call after the deadline was answered ${status}`);
  }
  return { tries, outcome: faults.length === 0 ? "204 in time, 410 when late" : "wrong", faults };
}

/** @returns the status of the call during the stop */
async function stopped(
  { server }: Arena,
  transaction: Transaction,
  call: ((transaction: Transaction) => Promise<{ readonly status: number }>) | undefined,
): Promise<number | undefined> {
  server.signal("SIGSTOP");
  try {
    await pause(CALL_AFTER_MILLISECONDS);
    const reply = call?.(transaction);
    await pause(STOPPED_MILLISECONDS - CALL_AFTER_MILLISECONDS);
    server.signal("SIGCONT");
    const status = (await reply)?.status;
    // Timers of a stopped process run when it continues, not before.
    if (reply === undefined) await pause(CALL_AFTER_MILLISECONDS);
    return status;
  } finally {
    server.signal("SIGCONT");
  }
}

export const tickets: readonly Attack[] = [
  {
    name: "C a transaction called every 0.5 s beside bodies of 41 MB",
    edition: "C",
    transport: "tcp",
    honest: ["health", "read"],
    bounds: { p99: 100 },
    run: (arena) => duringBodies(arena, 3),
  },
  {
    name: "C the process stands still, a call arrives in time",
    edition: "C",
    transport: "tcp",
    env: { SERVICE_TRANSACTION_TIMEOUT: String(IDLE_SECONDS) },
    honest: [],
    bounds: {},
    run: (arena) => whileStopped(arena, 3),
  },
];
