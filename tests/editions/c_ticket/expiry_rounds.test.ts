import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { pause } from "../../support/eventually.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { begin, ends, event, startEditionC, type Transaction, WaitingBegin } from "./client.ts";

const SERVERS = 5;
const ROUNDS = 50;
const TIMEOUT_SECONDS = 1;
const DURATION_SECONDS = 2;

/** A timer of the runtime counts whole milliseconds. */
const EARLY_MILLISECONDS_MAX = 2;

/**
 * A timer, a rollback and a reply lie between a deadline and the next ticket. They took 2 ms (median), and 101 ms at
 * most in 50 rounds.
 */
const LATE_MILLISECONDS_MAX = 500;

/** The length of a deadline, and the moments between which it began to run, by the clock of the client. */
interface Deadline {
  readonly seconds: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

type Call = Pick<Deadline, "sentAt" | "answeredAt">;

/** The calls that a holder makes with its ticket before it is stuck. @returns the deadline that must end it */
type Hold = (server: ServerProcess, holder: Transaction, begun: Call) => Promise<Deadline>;

/**
 * Makes a call before any of the deadlines. @returns the next transactionTimeout; or the deadline that has passed,
 * when the machine was too busy to call in time
 */
async function callBefore(holder: Transaction, ...deadlines: Deadline[]): Promise<Deadline> {
  const sentAt = performance.now();
  const reply = await holder.append([event("t", "lost")]);
  const answeredAt = performance.now();
  const end = (deadline: Deadline): number => deadline.sentAt + deadline.seconds * 1000;
  const [passed] = deadlines.toSorted((a, b) => end(a) - end(b));
  if (reply.status === 410 && answeredAt > end(passed!)) return passed!;
  expectStatus(reply, 200);
  return { seconds: TIMEOUT_SECONDS, sentAt, answeredAt };
}

/** The ways in which a holder is stuck. */
const HOLDS: readonly Hold[] = [
  function silent(_server, _holder, begun) {
    return Promise.resolve({ seconds: TIMEOUT_SECONDS, ...begun });
  },
  async function silentAfterACall(_server, holder, begun) {
    await pause(600);
    return await callBefore(holder, { seconds: TIMEOUT_SECONDS, ...begun });
  },
  async function neverSilent(_server, holder, begun) {
    const whole = { seconds: DURATION_SECONDS, ...begun };
    let silence = { seconds: TIMEOUT_SECONDS, ...begun };
    for (let i = 0; i < 3; i++) {
      await pause(500);
      const next = await callBefore(holder, silence, whole);
      if (next === silence || next === whole) return next;
      silence = next;
    }
    return whole;
  },
  async function halfwayThroughABody(server, holder, begun) {
    const bytes = holder.bytesOf("POST", "/events", { json: { events: [event("t", "lost")] } });
    const connection = await Connection.open(server.address);
    await connection.send(bytes.subarray(0, -5));
    // This is not awaited, because the answer comes when the transaction is over.
    connection.readReply("POST").then((reply) => {
      assertRejected(reply, 410, "TicketNotActive");
      connection.close();
    });
    return { seconds: DURATION_SECONDS, ...begun };
  },
];

/** @returns the milliseconds by which the next ticket may have come too early, and too late */
async function round(server: ServerProcess, hold: Hold): Promise<{ early: number; late: number }> {
  const client = server.client();
  const sentAt = performance.now();
  const holder = await begin(client);
  const begun = { sentAt, answeredAt: performance.now() };
  using waiting = await WaitingBegin.send(client);
  const served = waiting.ticket().then((next) => ({ next, servedAt: performance.now() }));
  const deadline = await hold(server, holder, begun);
  const { next, servedAt } = await served;
  assertRejected(await holder.commit(), 410, "TicketNotActive");
  expectStatus(await next.append([event("t", "kept")]), 200);
  expectStatus(await next.commit(), 204);
  return {
    early: deadline.sentAt + deadline.seconds * 1000 - servedAt,
    late: servedAt - deadline.answeredAt - deadline.seconds * 1000,
  };
}

async function roundsOn(server: ServerProcess, first: number): Promise<void> {
  let expired = 0;
  for (let i = first; i < ROUNDS; i += SERVERS) {
    const hold = HOLDS[i % HOLDS.length]!;
    const { early, late } = await round(server, hold);
    assert.ok(early <= EARLY_MILLISECONDS_MAX, `${hold.name}: ${early} ms too early`);
    assert.ok(late <= LATE_MILLISECONDS_MAX, `${hold.name}: ${late} ms too late`);
    expired++;
  }
  const client = server.client();
  assert.deepEqual(await ends(client), {
    ...await ends(client),
    expired,
    committed: expired,
    error: 0,
    client: 0,
  });
  const kept = (await client.allEvents()).map(({ payload }) => payload);
  assert.deepEqual(kept, Array(expired).fill("kept"), "nothing is left of what was expired");
  const warnings = server.stdout.split("\n").filter((line) => line.includes("[WARNING]"));
  assert.equal(warnings.length, expired, "one line for each");
}

// `ticket_states.test.ts` shows the same once.
const ignore = Deno.env.get("EVENTSTORE_LONG_TESTS") !== "1";

Deno.test(
  `a stuck holder is expired on time and the next one served, ${ROUNDS} rounds`,
  { ignore },
  async () => {
    await using servers = new AsyncDisposableStack();
    const starting = Array.from({ length: SERVERS }, () =>
      startEditionC({
        SERVICE_TRANSACTION_TIMEOUT: String(TIMEOUT_SECONDS),
        SERVICE_MAX_TRANSACTION_DURATION: String(DURATION_SECONDS),
      }));
    await Promise.all(starting.map(async (server, first) => roundsOn(servers.use(await server), first)));
  },
);
