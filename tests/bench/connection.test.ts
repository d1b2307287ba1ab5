import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { Connection, linesOf, type Reply, requestBytes, textOf } from "../../bench/connection.ts";

/** Lets a server send `reply` in pieces of `pieceBytes`, then close. Returns the value that `look` took from the reply. */
async function exchange<T>(reply: string, pieceBytes: number, look: (reply: Reply) => T): Promise<T> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    using peer = await listener.accept();
    await peer.read(new Uint8Array(1024));
    const bytes = new TextEncoder().encode(reply);
    for (let sent = 0; sent < bytes.length; sent += pieceBytes) {
      await peer.write(bytes.subarray(sent, sent + pieceBytes));
      // Long enough for the piece to travel alone.
      await delay(1);
    }
  })();
  const { hostname, port } = listener.addr;
  using connection = await Connection.open({ transport: "tcp", hostname, port });
  const [replied] = await Promise.allSettled([connection.request(requestBytes("GET", "/", "")), serving]);
  if (replied.status === "rejected") throw replied.reason;
  return look(replied.value);
}

Deno.test("the connection of the benchmark reads a body of known length, however the bytes are divided", async () => {
  const reply = "HTTP/1.1 409 Conflict\r\nX-Service-Store: Abc\r\nContent-Length: 5\r\n\r\nhello";
  for (const pieceBytes of [1, 7, 1000]) {
    await exchange(reply, pieceBytes, (read) => {
      assert.equal(read.status, 409);
      assert.equal(read.headers.get("x-service-store"), "Abc");
      assert.equal(textOf(read), "hello");
    });
  }
});

Deno.test("the connection of the benchmark reads a chunked body larger than its buffer", async () => {
  const line = `${"x".repeat(999)}\n`;
  const chunk = `3e8\r\n${line}\r\n`;
  const reply = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(100)}0\r\n\r\n`;
  await exchange(reply, 3001, (read) => {
    assert.equal(read.status, 200);
    assert.equal(linesOf(read), 100);
    assert.equal(textOf(read), line.repeat(100));
  });
});

Deno.test("the connection of the benchmark does not take a reply that was cut short", async () => {
  const reply = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello";
  await assert.rejects(exchange(reply, 1000, () => {}), /ended in the middle/);
});

Deno.test("the connection of the benchmark takes a 204, which names no length", async () => {
  await exchange("HTTP/1.1 204 No Content\r\n\r\n", 1000, (read) => {
    assert.equal(read.status, 204);
    assert.equal(textOf(read), "");
  });
});
