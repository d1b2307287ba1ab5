import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { InProcess, type InProcessOptions, textOf } from "./tx_in_process.ts";

/*
 * The two state tables of the document, row by row, run without a server. A row names the first state, the trigger,
 * the answer, and the state after it.
 */

type TxState = "(none)" | "open" | "open, condition open" | "ended";

/** Plays one transaction. Its calls have the names of the document. */
class Play implements Disposable {
  readonly routes: InProcess;
  txId = "none";

  constructor(options: InProcessOptions = {}) {
    this.routes = new InProcess(options);
  }

  /** @returns the status, and the code of an error */
  async call(name: keyof typeof CALLS): Promise<string> {
    const [method, rest, json] = CALLS[name];
    const path = rest.startsWith("/tx/") ? rest.replace("/tx/x", `/tx/${this.txId}`) : rest;
    const reply = await this.routes.request(method, path, json);
    const text = await textOf(reply);
    if (name === "begin" && reply.status === 200) this.txId = JSON.parse(text).txId as string;
    return reply.status < 400 ? String(reply.status) : `${reply.status} ${JSON.parse(text).error}`;
  }

  /** Determines the state with a call, which may end the transaction. */
  async state(): Promise<TxState> {
    if (this.txId === "none") return "(none)";
    const answer = await this.call("read a projection");
    if (answer === "404 TransactionNotFound") return "ended";
    return answer === "400 InvalidRequest" ? "open, condition open" : "open";
  }

  async enter(state: TxState): Promise<void> {
    if (state === "(none)") return;
    assert.equal(await this.call("begin"), "200");
    if (state === "open, condition open") assert.equal(await this.call("read"), "200");
    if (state === "ended") assert.equal(await this.call("abandon"), "204");
  }

  [Symbol.dispose](): void {
    this.routes[Symbol.dispose]();
  }
}

const CALLS = {
  "begin": ["POST", "/tx", undefined],
  "read": ["QUERY", "/tx/x/events", { query: "all" }],
  "write": ["POST", "/tx/x/events", { events: [{ type: "t", payload: "" }] }],
  "read a projection": ["GET", "/tx/x/projections/p/1", undefined],
  "write a projection": ["POST", "/tx/x/projections", { create: [{ type: "p", id: "2", payload: "" }] }],
  "bad body": ["POST", "/tx/x/projections", { unknown: [] }],
  "commit": ["POST", "/tx/x/commit", undefined],
  "abandon": ["DELETE", "/tx/x", undefined],
  "pause": ["POST", "/pause", undefined],
  "resume": ["POST", "/resume", undefined],
} as const;

type Row = readonly [from: TxState, trigger: keyof typeof CALLS, answer: string, to: TxState];

const ROWS: readonly Row[] = [
  ["(none)", "begin", "200", "open"],
  ["open", "read", "200", "open, condition open"],
  ["open, condition open", "write", "200", "open"],
  ["open, condition open", "read a projection", "400 InvalidRequest", "ended"],
  ["open, condition open", "write a projection", "400 InvalidRequest", "ended"],
  ["open, condition open", "read", "400 InvalidRequest", "ended"],
  ["open, condition open", "commit", "400 InvalidRequest", "ended"],
  ["open, condition open", "abandon", "204", "ended"],
  ["open", "write", "400 InvalidRequest", "ended"],
  ["open", "write a projection", "200", "open"],
  ["open", "commit", "204", "ended"],
  ["open", "abandon", "204", "ended"],
  ["open", "bad body", "400 InvalidRequest", "ended"],
  ["open", "read a projection", "404 ProjectionNotFound", "open"],
  ["ended", "read", "404 TransactionNotFound", "ended"],
  ["ended", "write", "404 TransactionNotFound", "ended"],
  ["ended", "read a projection", "404 TransactionNotFound", "ended"],
  ["ended", "write a projection", "404 TransactionNotFound", "ended"],
  ["ended", "bad body", "404 TransactionNotFound", "ended"],
  ["ended", "commit", "404 TransactionNotFound", "ended"],
  ["ended", "abandon", "204", "ended"],
];

for (const [from, trigger, answer, to] of ROWS) {
  Deno.test(`transaction: ${from} -> ${trigger} -> ${to}, ${answer}`, async () => {
    using play = new Play();
    await play.enter(from);
    assert.equal(await play.call(trigger), answer);
    assert.equal(await play.state(), to);
  });
}

Deno.test("transaction: (none) -> begin, pause requested or in place -> (none), 503 Paused", async () => {
  using play = new Play();
  await play.enter("open");
  assert.equal(await play.call("pause"), "202");
  assert.equal(await play.call("begin"), "503 Paused");
  assert.equal(await play.call("commit"), "204");
  assert.equal(await play.call("pause"), "200");
  assert.equal(await play.call("begin"), "503 Paused");
  assert.equal(play.routes.edition.transactions.count, 0);
});

Deno.test("transaction: open -> commit, all conditions and versions hold -> ended, 204, everything written", async () => {
  using play = new Play();
  await play.enter("open");
  for (const call of ["read", "write", "write a projection"] as const) {
    assert.equal(await play.call(call), "200");
  }
  assert.equal(await play.call("commit"), "204");
  assert.equal(await play.state(), "ended");
  assert.equal(play.routes.store.events.length, 1);
  assert.equal(play.routes.store.projections.size, 1);
});

Deno.test("transaction: open -> commit, a check fails -> ended, 409, nothing written", async () => {
  using play = new Play();
  await play.enter("open");
  for (const call of ["read", "write", "write a projection"] as const) {
    assert.equal(await play.call(call), "200");
  }
  play.routes.store.put("p", "2", "outside");
  assert.equal(await play.call("commit"), "409 ConcurrencyException");
  assert.equal(await play.state(), "ended");
  assert.equal(play.routes.store.events.length, 0);
  assert.equal(new TextDecoder().decode(play.routes.store.projections.get("p/2")?.payload), "outside");
});

Deno.test("transaction: open -> txIdleTimeout without a call -> ended; open -> server stop -> ended", async () => {
  using idle = new Play({ idleSeconds: 0.05 });
  await idle.enter("open");
  await eventually(() => assert.equal(idle.routes.edition.transactions.count, 0));
  assert.equal(await idle.state(), "ended");
  using stopping = new Play();
  await stopping.enter("open");
  stopping.routes.edition.transactions.close();
  assert.equal(await stopping.state(), "ended");
});

Deno.test("transaction: open -> second call while one runs -> open, 409 TransactionBusy, DELETE too", async () => {
  using play = new Play();
  await play.enter("open");
  const reading = play.routes.request("QUERY", `/tx/${play.txId}/events`, { query: "all" });
  const seconds = (Object.keys(CALLS) as (keyof typeof CALLS)[])
    .filter((name) => CALLS[name][1].startsWith("/tx/"));
  for (const name of seconds) assert.equal(await play.call(name), "409 TransactionBusy", name);
  // The call runs until the last line of its answer is sent.
  const reply = await reading;
  assert.equal(reply.status, 200);
  assert.equal(await play.call("abandon"), "409 TransactionBusy");
  assert.equal(await textOf(reply), '{"end":true}\n');
  assert.equal(await play.call("write"), "200");
  assert.equal(await play.state(), "open");
});

Deno.test("transaction: a read whose answer is given up midway -> condition open", async () => {
  using play = new Play();
  play.routes.store.events.push({
    timeMicros: 0,
    body: '"type":"t","identifiers":{},"metadata":{},"payload":""',
  });
  await play.enter("open");
  const reply = await play.routes.request("QUERY", `/tx/${play.txId}/events`, { query: "all" });
  const lines = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).done, false);
  await lines.return?.();
  assert.equal(await play.state(), "open, condition open");
});

type PauseRow = readonly [
  from: string,
  trigger: "pause" | "resume",
  open: number,
  answer: string,
  to: string,
];

const PAUSE_ROWS: readonly PauseRow[] = [
  ["normal", "pause", 1, "202", "pauseRequested"],
  ["normal", "pause", 0, "200", "paused"],
  ["normal", "resume", 0, "204", "normal"],
  ["pauseRequested", "pause", 1, "202", "pauseRequested"],
  ["pauseRequested", "pause", 0, "200", "paused"],
  ["pauseRequested", "resume", 1, "204", "normal"],
  ["pauseRequested", "resume", 0, "204", "normal"],
  ["paused", "pause", 0, "200", "paused"],
  ["paused", "resume", 0, "204", "normal"],
];

for (const [from, trigger, open, answer, to] of PAUSE_ROWS) {
  Deno.test(`pause: ${from} -> ${trigger}, ${open} open -> ${to}, ${answer}`, async () => {
    using play = new Play();
    const { pause } = play.routes.edition;
    if (from === "pauseRequested" || open > 0) await play.enter("open");
    if (from !== "normal") await play.call("pause");
    if (open === 0 && from === "pauseRequested") await play.call("abandon");
    assert.deepEqual([pause.state, play.routes.edition.transactions.count], [from, open]);
    const since = pause.sinceMicros;
    await delay(2);
    assert.equal(await play.call(trigger), answer);
    assert.equal(pause.state, to);
    assert.equal(pause.sinceMicros === since, from === to, "since when the state holds");
    // Only a pause in place is persisted in the database.
    assert.equal(play.routes.pausedSinceMicros, to === "paused" ? pause.sinceMicros : undefined);
  });
}

Deno.test("pause: in place -> server restart -> in place, same since; requested -> restart -> normal", () => {
  using kept = new Play({ pausedSinceMicros: 1234 });
  assert.deepEqual([kept.routes.edition.pause.state, kept.routes.edition.pause.sinceMicros], [
    "paused",
    1234,
  ]);
  using fresh = new Play();
  assert.equal(fresh.routes.edition.pause.state, "normal");
});
