import assert from "node:assert/strict";
import { Admission } from "../../src/write_queue/admission.ts";
import { WriteQueue } from "../../src/write_queue/write_queue.ts";
import { ClientDisconnected } from "../../src/model/errors.ts";
import { kindOf } from "../store/outcomes.ts";
import { FakeWriter, settled, storeOf, writeNamed } from "./fake_writer.ts";

function makeQueue(waitingMax = 100): { queue: WriteQueue; writer: FakeWriter } {
  const writer = new FakeWriter();
  return {
    queue: new WriteQueue({ store: storeOf(writer), waitingMax, fullCode: "WriteQueueFull" }),
    writer,
  };
}

Deno.test("a client that disconnects while it waits is taken out at once and nothing is written", async () => {
  const { queue, writer } = makeQueue();
  const client = new AbortController();
  queue.write(new Admission("write"), writeNamed("active"));
  const left = queue.write(new Admission("write", client.signal), writeNamed("left"));
  queue.write(new Admission("write"), writeNamed("stays"));
  client.abort();
  await assert.rejects(left, ClientDisconnected);
  assert.equal(queue.queuedCount, 1);
  await writer.end();
  await writer.end();
  assert.deepEqual(writer.groups, [["active"], ["stays"]]);
});

Deno.test("a client that disconnects while it waits to run alone is taken out, and the writes around it become one group", async () => {
  const { queue, writer } = makeQueue();
  const client = new AbortController();
  let ran = false;
  queue.write(new Admission("write"), writeNamed("active"));
  queue.write(new Admission("write"), writeNamed("before"));
  const reset = queue.alone(new Admission("reset", client.signal), () => Promise.resolve(ran = true));
  queue.write(new Admission("write"), writeNamed("behind"));
  client.abort();
  await assert.rejects(reset, ClientDisconnected);
  await writer.end();
  await writer.end();
  assert.deepEqual(writer.groups, [["active"], ["before", "behind"]]);
  assert.equal(ran, false);
});

Deno.test("a client that disconnects frees a slot in a full queue", async () => {
  const { queue, writer } = makeQueue(1);
  const client = new AbortController();
  queue.write(new Admission("write"), writeNamed("active"));
  const left = queue.write(new Admission("write", client.signal), writeNamed("left"));
  client.abort();
  await assert.rejects(left, ClientDisconnected);
  queue.write(new Admission("write"), writeNamed("joins"));
  await writer.end();
  assert.deepEqual(writer.groups, [["active"], ["joins"]]);
});

Deno.test("once its group has formed, a write runs to its end even if its client disconnects", async () => {
  const { queue, writer } = makeQueue();
  const clients = [new AbortController(), new AbortController()];
  queue.write(new Admission("write"), writeNamed("active"));
  const writes = clients.map((client, i) =>
    queue.write(new Admission("write", client.signal), writeNamed(String(i)))
  );
  await writer.end();
  for (const client of clients) client.abort();
  await settled();
  assert.equal(queue.active?.kind, "write");
  assert.equal(queue.queuedCount, 1);
  await writer.end();
  const kinds = (await Promise.all(writes)).map(({ outcome }) => kindOf(outcome));
  assert.deepEqual(kinds, ["written", "written"]);
  assert.deepEqual(writer.groups, [["active"], ["0", "1"]]);
});

Deno.test("a job that runs alone runs to its end when its client disconnects", async () => {
  const { queue } = makeQueue();
  const client = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  const alone = queue.alone(new Admission("reset", client.signal), () => promise);
  client.abort();
  await settled();
  assert.equal(queue.active?.kind, "reset");
  resolve("done");
  assert.equal(await alone, "done");
});

Deno.test("a client that has disconnected before it joins is not admitted", async () => {
  const { queue, writer } = makeQueue();
  const gone = AbortSignal.abort();
  await assert.rejects(
    async () => await queue.write(new Admission("write", gone), writeNamed("left")),
    ClientDisconnected,
  );
  await assert.rejects(
    async () => await queue.alone(new Admission("reset", gone), () => Promise.resolve()),
    ClientDisconnected,
  );
  assert.deepEqual(writer.groups, []);
  assert.equal(queue.active, undefined);
});

Deno.test("a client that disconnects after a shutdown has rejected it changes nothing", async () => {
  const { queue, writer } = makeQueue();
  const client = new AbortController();
  queue.write(new Admission("write"), writeNamed("active"));
  const waiting = queue.write(new Admission("write", client.signal), writeNamed("waiting"));
  const shutdown = queue.shutdown();
  client.abort();
  await assert.rejects(waiting, /ShuttingDown/);
  await writer.end();
  await shutdown;
});

Deno.test("a client of many requests leaves no listener on its signal", async () => {
  const { queue, writer } = makeQueue();
  const client = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = client.signal;
  client.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(client.signal, args);
  };
  client.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--;
    removeEventListener.apply(client.signal, args);
  };
  for (let i = 0; i < 5; i++) queue.write(new Admission("write", client.signal), writeNamed(String(i)));
  while (writer.isRunning) await writer.end();
  assert.equal(listeners, 0);
});
