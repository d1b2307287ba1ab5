import assert from "node:assert/strict";
import type { Transport } from "../../../client/mod.ts";
import { fetchTransport } from "../../../client/transport/fetch_transport.ts";
import { pause } from "../../support/eventually.ts";
import { type Fault, FaultyTransport } from "../faulty_transport.ts";
import { note, placeOf, sharedTestServer, storeOf, storeOver } from "../support.ts";
import { consuming, handled, soon } from "./consuming.ts";

const server = sharedTestServer();

const real = (): Transport => fetchTransport(placeOf(server.address).url!);

const [type, id] = ["consumer:c", "partition-0"];
const oneByOne = { partitions: 1, attempts: 1 } as const;
const failing = {
  handle() {
    throw new Error("fails");
  },
};

/** The server, with lists of one projection in each page. */
function inShortPages(real: Transport): Transport {
  return {
    address: real.address!,
    send: ({ path, ...rest }) =>
      real.send({ ...rest, path: path.startsWith("/projections?") ? `${path}&limit=1` : path }),
  };
}

Deno.test("an event that is parked between two pages of the list of records keeps the later ones of its key back", async () => {
  const store = storeOf(server);
  await store.append(Array.from({ length: 9 }, () => note("", { key: "other" })));
  const first = consuming(store, failing, oneByOne);
  await soon(() => assert.equal(first.sequences("parked").length, 9));
  await first.end();
  await store.append(note("10", { key: "k" }));
  const transport = new FaultyTransport(inShortPages(real()));
  let isParked = false;
  transport.fault = async ({ path }): Promise<Fault> => {
    if (isParked || !path.includes("after=parked-0-9")) return "none";
    isParked = true;
    // Its ID is before the page that comes next, and the partition after it: as an owner does that ends just now.
    const { version, payload } = (await store.projections.get<Record<string, object>>(type, id))!;
    const checkpoint = { ...payload["checkpoint"], sequence: 10 };
    const parked = { sequence: 10, type: "Noted", key: "k", error: "", attempts: 1, time: "" };
    await store.projections.write({
      create: [{ type, id: "parked-0-10", payload: parked }],
      replace: [{ type, id, version, payload: { ...payload, checkpoint } }],
    });
    await store.append(note("11", { key: "k" }));
    return "none";
  };
  await using second = consuming(storeOver(transport), {}, { ...oneByOne, onFailure: "parkKey" });
  await soon(() => assert.equal(second.sequences("parked").length + second.sequences("handled").length, 1));
  assert.deepEqual(second.sequences("parked"), [11]);
});

Deno.test("a process whose writes are lost repeats its heartbeat after pauses", async () => {
  const store = storeOf(server);
  const transport = new FaultyTransport(real());
  await using consumer = consuming(storeOver(transport), {}, { leaseSeconds: 0.3 });
  await store.append(note("1"));
  await handled(consumer, 1);
  transport.fault = ({ method }) => method === "POST" ? "request lost" : "none";
  const before = transport.requests.length;
  await pause(1500);
  const count = transport.requests.length - before;
  transport.fault = () => "none";
  assert.ok(count < 100, `${count} requests`);
});

Deno.test("a first start whose writes are lost repeats them after pauses", async () => {
  const store = storeOf(server);
  const transport = new FaultyTransport(real());
  transport.fault = ({ method }) => method === "POST" ? "request lost" : "none";
  await using consumer = consuming(storeOver(transport), {});
  await pause(1500);
  const { length } = transport.requests;
  transport.fault = () => "none";
  await store.append(note("1"));
  await handled(consumer, 1);
  assert.ok(length < 100, `${length} requests`);
});

Deno.test("a start waits with pauses until the rest of a deleted consumer is gone", async () => {
  const store = storeOf(server);
  await store.append(note("1"));
  await store.projections.write({ create: [{ type, id, payload: {} }] });
  const transport = new FaultyTransport(real());
  await using consumer = consuming(storeOver(transport), {});
  await pause(1500);
  const { length } = transport.requests;
  const { version } = (await store.projections.get(type, id))!;
  await store.projections.write({ delete: [{ type, id, version }] });
  await handled(consumer, 1);
  assert.ok(length < 100, `${length} requests`);
});
