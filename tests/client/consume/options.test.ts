import assert from "node:assert/strict";
import { failure, sharedTestServer, storeOf } from "../support.ts";
import { consuming, handled, notes, records, soon } from "./consuming.ts";

const server = sharedTestServer();

Deno.test("wrong names, options and editions are rejected before any request", async () => {
  const store = storeOf({ address: { transport: "tcp", hostname: "127.0.0.1", port: 9 } });
  const consumer = { query: "*", handle() {} } as const;
  await assert.rejects(
    store.consume("", consumer),
    /a consumer's name has 1 to 200 printable characters, not ""/,
  );
  await assert.rejects(store.consume("a\n", consumer), /not "a\\n"/);
  await assert.rejects(store.consume("c", { ...consumer, by: "" }), /by must be the name of an identifier/);
  await assert.rejects(store.consume("c", { ...consumer, handle: 1 as never }), /handle must be a function/);
  for (
    const [option, value] of Object.entries({
      concurrency: 0,
      partitions: 257,
      attempts: 1.5,
      leaseSeconds: 0.1,
    })
  ) {
    await assert.rejects(
      store.consume("c", consumer, { [option]: value }),
      new RegExp(`${option} must be .*, not ${value}`),
    );
  }
  await assert.rejects(
    store.consume("c", consumer, { onFailure: "stop" as never }),
    /onFailure must be .*, not "stop"/,
  );
  const b = storeOf({ address: { transport: "tcp", hostname: "127.0.0.1", port: 9 } }, { edition: "B" });
  assert.equal((await failure(b.consume("c", consumer))).code, "WrongEdition");
});

Deno.test("another order or number of partitions than at the first start is an error", async () => {
  const store = storeOf(server);
  await using _ = consuming(store, {}, { partitions: 3 });
  await soon(async () => assert.equal(Object.keys(await records(store, "partition-")).length, 3));
  const query = "*";
  const other = await failure(store.consume("c", { query, by: "order", handle() {} }));
  assert.equal(other.code, "ConsumerDiffers");
  assert.match(other.message, /consumer "c": by is "key" since its first start, not "order".*"consumer:c"/);
  const more = await failure(store.consume("c", { query, by: "key", handle() {} }, { partitions: 4 }));
  assert.match(more.message, /it has 3 partitions since its first start, not 4/);
});

Deno.test("an event with several values of the identifier ends the consumer with an error that names it", async () => {
  const store = storeOf(server);
  await store.append({ type: "Noted", identifiers: { key: ["a", "b"] }, payload: { text: "" } });
  const { running } = consuming(store, {});
  await assert.rejects(running, /consumer "c": event 1 has several values of "key"/);
  const byFirst = consuming(store, { by: ({ identifiers }) => identifiers["key"]?.[0] });
  await assert.rejects(byFirst.running, /by is "key" since its first start, not "\(function\)"/);
});

Deno.test("when another process has begun it anew with other partitions, a running process follows", async () => {
  const store = storeOf(server);
  await store.append(notes(20, 1));
  const all = Array.from({ length: 20 }, (_, i) => i + 1);
  await using consumer = consuming(store, {});
  await handled(consumer, ...all);
  const type = "consumer:c";
  const fresh = { checkpoint: { ...await store.head(), sequence: 0 }, done: [], mark: "fresh" };
  const listed = new Map<string, string>();
  for await (const { id, version } of store.projections.list({ type })) listed.set(id, version);
  const partitions = [...listed].filter(([id]) => id.startsWith("partition-"));
  const begins = ({ 0: id }: readonly [string, string]): boolean => /-[012]$/.test(id);
  const main = { type, id: "_consumer", version: listed.get("_consumer")! };
  await store.projections.write({
    replace: [
      { ...main, payload: { partitions: 3, by: "key" } },
      ...partitions.filter(begins).map(([id, version]) => ({ type, id, version, payload: fresh })),
    ],
    delete: partitions.filter((one) => !begins(one)).map(([id, version]) => ({ type, id, version })),
  });
  await handled(consumer, ...all.flatMap((sequence) => [sequence, sequence]));
});
