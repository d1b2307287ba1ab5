import assert from "node:assert/strict";
import { BodyBudget } from "../../../src/http/transport/body_budget.ts";
import { Connection, type Socket } from "../../../src/http/transport/connection.ts";
import { TIMEOUTS } from "../../../src/http/transport/timeouts.ts";
import { toBytes } from "./fuzz/latin1.ts";

const REPLY_BYTES = 300 * 1024;

/** Sends a long reply to a client that reads slowly. @returns the bytes received, and the time of the end */
async function replyTo(
  client: { readonly bytesEach: number; readonly secondsEach: number },
): Promise<{ bytes: number; seconds: number }> {
  const clock = { now: 0 };
  const closed = Promise.withResolvers<null>();
  const requests = [toBytes("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")];
  let isClosed = false;
  let bytes = 0;
  const socket: Socket = {
    read(into) {
      const request = requests.pop();
      if (request === undefined) return closed.promise;
      into.set(request);
      return Promise.resolve(request.length);
    },
    write({ length }) {
      clock.now += 1000 * client.secondsEach;
      connection.closeWhenOverdue(clock.now);
      if (isClosed) return Promise.reject(new Error("closed"));
      const taken = Math.min(length, client.bytesEach);
      bytes += taken;
      return Promise.resolve(taken);
    },
    closeWrite: () => Promise.resolve(),
    close() {
      isClosed = true;
      closed.resolve(null);
    },
  };
  const reply = { status: 200, headers: {}, body: new Uint8Array(REPLY_BYTES) };
  const connection = new Connection(socket, () => Promise.resolve(reply), {
    onMalformed: () => {},
    timeouts: TIMEOUTS,
    bodies: new BodyBudget(TIMEOUTS, clock),
    clock,
  });
  await connection.serve();
  return { bytes, seconds: clock.now / 1000 };
}

Deno.test("a client has 30 s for each 64 KiB of a reply, however long that takes in all", async () => {
  const patient = await replyTo({ bytesEach: 64 * 1024, secondsEach: 29 });
  assert.ok(patient.bytes > REPLY_BYTES && patient.seconds > 120, JSON.stringify(patient));
  // The client takes 45 KiB in 27 s, but 64 KiB would take it more than 30 s.
  const slow = await replyTo({ bytesEach: 15 * 1024, secondsEach: 9 });
  assert.ok(slow.bytes < 64 * 1024 && slow.seconds === 45, JSON.stringify(slow));
});
