import assert from "node:assert/strict";
import { z } from "zod";
import { EventStore, StoreReset } from "../../client/mod.ts";
import { checkPayloads, versions } from "../../client/schemas/mod.ts";
import { placeOf, sharedTestServer } from "./support.ts";

const server = sharedTestServer("tcp", { SERVICE_SUBJECTS: "customer" });

const first = versions(z.object({ cents: z.number() }));
const second = first.next(z.object({ cents: z.number(), currency: z.string() }), (old) => ({
  ...old,
  currency: "EUR",
}));
const type = "OrderPlaced" as const;

Deno.test("a report counts each version of a store, and names the events that do not fit", async () => {
  const place = placeOf(server.address);
  const plain = new EventStore(place);
  const texts = new EventStore({ ...place, payload: "text" });
  await plain.append({ type, identifiers: { customer: "c1" }, payload: { cents: 0 } });
  await plain.forget({ name: "customer", value: "c1" });
  await plain.append([{ type, payload: { cents: 1 } }, { type: "Other", payload: "any" }]);
  await new EventStore({ ...place, schemas: { OrderPlaced: second } }).append({
    type,
    payload: { cents: 2, currency: "USD" },
  });
  await plain.append({ type, metadata: { schemaVersion: "3" }, payload: {} });
  await plain.append({ type, payload: { cents: "4" } });
  await texts.append([{ type, payload: "no JSON" }, { type: "Other", payload: "no JSON" }]);

  const report = await checkPayloads(plain, { OrderPlaced: second });
  const { storeId } = await plain.head();
  const none = { failed: 0, forgotten: 0 };
  assert.deepEqual(report, {
    events: 8,
    failed: 3,
    failures: [
      {
        sequence: 5,
        type,
        version: "3",
        message: "event 5 (type OrderPlaced, version 3): this program knows the versions 1 to 2",
      },
      { sequence: 6, type, version: "1", message: report.failures[1]!.message },
      { sequence: 7, type, version: "1", message: "the payload of event 7 is not JSON" },
    ],
    versions: [
      { type, version: "1", hasSchema: true, events: 4, failed: 2, forgotten: 1 },
      { type: "Other", version: "1", hasSchema: false, events: 2, ...none },
      { type, version: "2", hasSchema: true, events: 1, ...none },
      { type, version: "3", hasSchema: true, events: 1, failed: 1, forgotten: 0 },
    ],
    position: { storeId, sequence: 8 },
  });
  assert.match(report.failures[1]!.message, /^event 6 \(type OrderPlaced, version 1\): payload\.cents: /);

  // The schemas of the store itself do not count, and a range and a query do.
  const own = new EventStore({ ...place, schemas: { OrderPlaced: first } });
  const range = { after: { storeId, sequence: 2 }, before: 6, query: { types: [type] } };
  const part = await checkPayloads(own, { OrderPlaced: second }, range);
  assert.deepEqual([part.events, part.failed], [2, 1]);
  const other = { storeId: "another", sequence: 1 };
  await assert.rejects(checkPayloads(own, { OrderPlaced: second }, { after: other }), StoreReset);
});

Deno.test("a report of many failures names the first hundred, also when a schema itself throws", async () => {
  const plain = new EventStore(placeOf(server.address));
  await plain.append(Array.from({ length: 100 }, () => ({ type, payload: 1 })));
  await plain.append({ type, payload: 1 });
  const thrown = z.unknown().transform(() => {
    throw new RangeError("a mistake in the schema");
  });
  const { failed, failures } = await checkPayloads(plain, { OrderPlaced: thrown });
  assert.deepEqual([failed, failures.length, failures[99]!.sequence], [101, 100, 100]);
  assert.equal(failures[0]!.message, "a mistake in the schema");
});
