import assert from "node:assert/strict";
import type { Transport } from "../../../client/mod.ts";
import { fetchTransport } from "../../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "../faulty_transport.ts";
import { note, placeOf, sharedTestServer, storeOf, storeOver } from "../support.ts";
import { consuming, handled } from "./consuming.ts";

const server = sharedTestServer();

const real = (): Transport => fetchTransport(placeOf(server.address).url!);

const [type, id] = ["consumer:c", "partition-0"];

Deno.test("a process whose writes are lost repeats its heartbeat after pauses", async () => {
  const store = storeOf(server);
  const transport = new FaultyTransport(real());
  await using consumer = consuming(storeOver(transport), {}, { leaseSeconds: 0.3 });
  await store.append(note("1"));
  await handled(consumer, 1);
  transport.fault = ({ method }) => method === "POST" ? "request lost" : "none";
  const before = transport.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const count = transport.requests.length - before;
  transport.fault = () => "none";
  assert.ok(count < 100, `${count} requests`);
});

Deno.test("a first start whose writes are lost repeats them after pauses", async () => {
  const store = storeOf(server);
  const transport = new FaultyTransport(real());
  transport.fault = ({ method }) => method === "POST" ? "request lost" : "none";
  await using consumer = consuming(storeOver(transport), {});
  await new Promise((resolve) => setTimeout(resolve, 1500));
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
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const { length } = transport.requests;
  const { version } = (await store.projections.get(type, id))!;
  await store.projections.write({ delete: [{ type, id, version }] });
  await handled(consumer, 1);
  assert.ok(length < 100, `${length} requests`);
});
