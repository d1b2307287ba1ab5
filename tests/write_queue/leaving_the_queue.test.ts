import assert from "node:assert/strict";
import { Admission } from "../../src/write_queue/admission.ts";
import { ClientDisconnected } from "../../src/model/errors.ts";
import { kindOf } from "../store/outcomes.ts";
import { settled, writeNamed } from "./fake_writer.ts";
import { makeQueue } from "./made_queue.ts";

/* `write_queue_model.test.ts` has clients that disconnect in any state. These are the details that it leaves open. */

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
