import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { assertNoContent, assertRejected } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import {
  begin,
  debugDocument,
  ends,
  event,
  sequencesOf,
  startEditionC,
  type Transaction,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

/** The allowed delay of a deadline on a loaded machine. It is below the distance between the deadlines. */
const LATE_SECONDS_MAX = 0.9;

/** Timers count whole milliseconds. */
const EARLY_SECONDS_MAX = 0.002;

/** Runs a test on a server with these deadlines in seconds. */
export async function onServer(
  [timeout, ceiling]: readonly [timeout: number, ceiling: number],
  run: (client: Client, server: ServerProcess) => Promise<void>,
): Promise<void> {
  const env = {
    SERVICE_TRANSACTION_TIMEOUT: String(timeout),
    SERVICE_MAX_TRANSACTION_DURATION: String(ceiling),
  };
  await using server = await startEditionC(env);
  await run(server.client(), server);
}

/** The bounds of a moment by the clock of the test, in milliseconds. */
export type Moment = readonly [notBefore: number, notAfter: number];

export async function timed<T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly at: Moment }> {
  const notBefore = performance.now();
  const result = await act();
  return { result, at: [notBefore, performance.now()] };
}

/** A transaction with one event, and a client that waits for its end. */
export interface Held {
  readonly transaction: Transaction;
  /** The moment when its ticket was issued. */
  readonly ticketAt: Moment;
  /** The moment when its only call so far ended. */
  readonly callAt: Moment;
  readonly next: Promise<{ readonly transaction: Transaction; readonly at: number }>;
}

export async function hold(client: Client): Promise<Held> {
  const { result: transaction, at: ticketAt } = await timed(() => begin(client));
  const waiting = await WaitingBegin.send(client);
  const next = waiting.ticket()
    .then((transaction) => ({ transaction, at: performance.now() }))
    .finally(() => waiting.connection.close());
  next.catch(() => {});
  const { result, at: callAt } = await timed(() => transaction.append([event("undone")]));
  sequencesOf(result);
  await waitForWaiting(client, 1);
  return { transaction, ticketAt, callAt, next };
}

/** Asserts the moment of the end, that the transaction wrote nothing, and that the log has one line about it. */
export async function assertExpired(
  held: Held,
  [seconds, [notBefore, notAfter]]: readonly [seconds: number, after: Moment],
  server: ServerProcess,
  why: "transactionTimeout" | "maxTransactionDuration",
): Promise<void> {
  const { transaction: next, at } = await held.next;
  const [atMost, atLeast] = [(at - notBefore) / 1000, (at - notAfter) / 1000];
  assert.ok(atMost >= seconds - EARLY_SECONDS_MAX, `after ${atMost} s, before ${seconds} s`);
  assert.ok(atLeast <= seconds + LATE_SECONDS_MAX, `after ${atLeast} s, late for ${seconds} s`);
  assertRejected(await held.transaction.commit(), 410, "TicketNotActive");
  assert.deepEqual((await next.read([{ types: ["undone"] }])).events, []);
  assertNoContent(await next.rollback());
  assert.equal((await ends(server.client()))["expired"], 1);
  await server.waitForOutput((text) => text.includes("[WARNING]"));
  const warnings = server.stdout.split("\n").filter((line) => /\[(WARNING|ERROR)\]/.test(line));
  assert.equal(warnings.length, 1, server.stdout);
  assert.match(warnings[0]!, new RegExp(`: \\[WARNING\\] a transaction was rolled back: .*\\(${why}\\)$`));
  assert.equal(server.stdout.includes(held.transaction.ticket), false);
  assert.equal(server.stderr, "");
}

/** Waits until the active transaction has begun this number of calls. */
export async function callsBegun(client: Client, count: number): Promise<void> {
  await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, count));
}
