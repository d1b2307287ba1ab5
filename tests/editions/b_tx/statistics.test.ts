import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { expectStatus, TIMESTAMP } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import {
  append,
  assertMetricsAgree,
  begin,
  createProjection,
  editionB,
  event,
  startEditionB,
  statistics,
  type StatisticsDocument,
  txLines,
} from "./client.ts";

const server = serverOfFile(editionB({
  SERVICE_TX_IDLE_TIMEOUT: "1",
  SERVICE_MAX_EVENTS_PER_TX: "3",
  SERVICE_MAX_READS_PER_TX: "2",
  SERVICE_MAX_PROJECTIONS_PER_TX: "2",
}));
const client = server.client();

/** Runs `act`, and returns the increase of each counter that changed, as a flat object. */
async function counted(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await counters();
  await act();
  const after = await counters();
  return Object.fromEntries(
    Object.entries(after).flatMap(([key, count]) => {
      const more = count - (before[key] ?? 0);
      return more === 0 ? [] : [[key, more]];
    }),
  );
}

/** Reads the counters of `/stats`. Those of `/metrics` must be the same. */
async function counters(): Promise<Record<string, number>> {
  const document = await statistics(client);
  const { writes, transactions, errors } = document;
  const { conflicts, ...others } = writes;
  await assertMetricsAgree(client, document);
  return { ...others, ...conflicts, ...transactions, internal: errors.internal, written: writes.committed };
}

Deno.test("the document holds the documented tree and nothing else, all counters 0 at the start", async () => {
  await using fresh = await startEditionB();
  const reply = await fresh.client().request("GET", "/stats");
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.equal(reply.headers.has("x-service-store"), false);
  const { startedAt, lastOptimizeAt, pause, ...counts } = reply.json<StatisticsDocument>();
  for (const time of [startedAt, lastOptimizeAt, pause.since]) assert.match(time, TIMESTAMP);
  assert.ok(lastOptimizeAt >= startedAt);
  assert.deepEqual({ ...pause, since: "" }, { state: "normal", since: "", openTransactions: 0 });
  assert.deepEqual(counts, {
    writes: { committed: 0, conflicts: { condition: 0, projection: 0 }, writeQueueFull: 0 },
    transactions: {
      begun: 0,
      committed: 0,
      abandoned: 0,
      expired: 0,
      designErrors: 0,
      busy: 0,
      paused: 0,
    },
    errors: { internal: 0 },
  });
});

Deno.test("lastOptimizeAt moves with POST /optimize, which answers 204", async () => {
  const before = await statistics(client);
  const reply = await client.request("POST", "/optimize");
  assert.equal(expectStatus(reply, 204).headers.has("x-service-store"), false);
  const after = await statistics(client);
  assert.ok(after.lastOptimizeAt > before.lastOptimizeAt);
  assert.equal(after.startedAt, before.startedAt);
});

Deno.test("pause.openTransactions counts those that are open", async () => {
  const [a, b] = [await begin(client), await begin(client)];
  assert.equal((await statistics(client)).pause.openTransactions, 2);
  await a.abandon();
  await b.commit();
  assert.equal((await statistics(client)).pause.openTransactions, 0);
});

Deno.test("writes.committed counts commits that wrote and projections written outside a transaction", async () => {
  assert.deepEqual(await counted(() => append(client, event("t"))), {
    committed: 1,
    begun: 1,
    written: 1,
  });
  const nothing = async (): Promise<void> => {
    const tx = await begin(client);
    await tx.decide("all");
    expectStatus(await tx.commit(), 204);
  };
  assert.deepEqual(await counted(nothing), { committed: 1, begun: 1 }, "the transaction, not the write");
  assert.deepEqual(await counted(() => createProjection(client, "p", "1")), { written: 1 });
  assert.deepEqual(await counted(() => client.request("POST", "/projections", { json: {} })), {});
  assert.deepEqual(await counted(() => client.request("DELETE", "/projections")), {});
});

Deno.test("writes.conflicts counts by cause, of commits and of projections outside a transaction", async () => {
  const condition = async (): Promise<void> => {
    const tx = await begin(client);
    await tx.decide("all", event("t"));
    await append(client, event("t"));
    expectStatus(await tx.commit(), 409);
  };
  assert.deepEqual(await counted(condition), { condition: 1, begun: 2, committed: 1, written: 1 });
  await createProjection(client, "p", "conflict");
  const create = { create: [{ type: "p", id: "conflict", payload: "" }] };
  const projection = async (): Promise<void> => {
    const tx = await begin(client);
    expectStatus(await tx.change(create), 200);
    expectStatus(await tx.commit(), 409);
  };
  assert.deepEqual(await counted(projection), { projection: 1, begun: 1 });
  assert.deepEqual(await counted(() => client.request("POST", "/projections", { json: create })), {
    projection: 1,
  });
});

Deno.test("transactions.abandoned counts transactions that a DELETE ended, not a DELETE without a transaction", async () => {
  const tx = await begin(client);
  assert.deepEqual(await counted(() => tx.abandon()), { abandoned: 1 });
  assert.deepEqual(await counted(() => tx.abandon()), {});
});

Deno.test("transactions.expired counts those without a call for txIdleTimeout", async () => {
  await begin(client);
  const expiring = (): Promise<void> =>
    eventually(async () => assert.equal((await statistics(client)).pause.openTransactions, 0));
  assert.deepEqual(await counted(expiring), { expired: 1 });
});

Deno.test("transactions.designErrors counts broken rules and malformed bodies on an open transaction", async () => {
  const broken: readonly (readonly [string, string, string])[] = [
    ["POST", "/events", '{"events":[]}'],
    ["POST", "/projections", "{"],
    ["POST", "/projections", '{"delete":[{"type":"p","id":"unread"}]}'],
    ["QUERY", "/events", '{"query":"*"}'],
  ];
  for (const [method, rest, body] of broken) {
    const tx = await begin(client);
    assert.deepEqual(await counted(() => tx.call(method, rest, { body })), { designErrors: 1 }, body);
    assert.deepEqual(await counted(() => tx.call(method, rest, { body })), {}, "it is over now");
  }
  const reading = await begin(client);
  txLines(await reading.read("all"));
  assert.deepEqual(await counted(() => reading.commit()), { designErrors: 1 });
});

Deno.test("transactions.designErrors counts neither limits nor sizes nor an absent projection", async () => {
  const events = await begin(client);
  txLines(await events.read("none"));
  const four = Array(4).fill(event("t"));
  assert.deepEqual(await counted(async () => expectStatus(await events.write(...four), 400)), {});
  const items = Array.from({ length: 101 }, (_, i) => ({ types: [String(i)] }));
  const wide = await begin(client);
  assert.deepEqual(await counted(async () => expectStatus(await wide.read(items), 400)), {});
  const values = [{ types: items.map(({ types }) => types[0]!) }];
  const deep = await begin(client);
  assert.deepEqual(await counted(async () => expectStatus(await deep.read(values), 400)), {});
  const tagged = await begin(client);
  txLines(await tagged.read("none"));
  const tags = { identifiers: { many: Array.from({ length: 21 }, (_, i) => String(i)) } };
  assert.deepEqual(
    await counted(async () => expectStatus(await tagged.write({ type: "t", payload: "", ...tags }), 400)),
    {},
  );
  const reads = await begin(client);
  await reads.decide("none");
  await reads.decide("none");
  assert.deepEqual(await counted(async () => expectStatus(await reads.read("none"), 400)), {});
  const projections = await begin(client);
  assert.deepEqual(await counted(async () => expectStatus(await projections.get("p", "none"), 404)), {});
  const create = ["1", "2", "3"].map((id) => ({ type: "q", id, payload: "" }));
  assert.deepEqual(await counted(async () => expectStatus(await projections.change({ create }), 400)), {});
  const large = await begin(client);
  const body = "x".repeat(9_000_000);
  assert.deepEqual(
    await counted(async () => expectStatus(await large.call("POST", "/projections", { body }), 413)),
    {},
  );
});

Deno.test("transactions.busy counts calls that found another running", async () => {
  const tx = await begin(client);
  const bytes = client.bytesOf("POST", `/tx/${tx.id}/projections`, { json: {} });
  using running = await Connection.open(client.address);
  await running.send(bytes.subarray(0, -1));
  await eventually(async () => void expectStatus(await tx.get("p", "none"), 409));
  assert.deepEqual(await counted(() => tx.abandon()), { busy: 1 });
  assert.deepEqual(await counted(() => tx.commit()), { busy: 1 });
});

Deno.test("transactions.paused counts transactions rejected during a pause", async () => {
  await eventually(async () => void expectStatus(await client.request("POST", "/pause"), 200));
  assert.deepEqual(await counted(() => client.request("POST", "/tx")), { paused: 1 });
  assert.deepEqual(await counted(() => client.request("POST", "/resume")), {});
});
