import assert from "node:assert/strict";
import { joinBytes } from "../../../support/bytes.ts";
import { Connection } from "../../../support/connection.ts";
import { startServer } from "../../../support/server_process.ts";
import { fromBytes, toBytes } from "../fuzz/latin1.ts";
import { chunked, EVIL, get, head, post } from "./corpus_case.ts";

/** Raw requests, and the statuses of all replies until the server closes the connection. */
const CASES: readonly (readonly [send: string, ...statuses: number[]])[] = [
  [get("/health", "Connection: close"), 200],
  [get("/health") + get("/nowhere") + get("/health", "Connection: close"), 200, 404, 200],
  [get("/%2e%2e/health", "Connection: close"), 404],
  [get("/a/../health", "Connection: close"), 404],
  [post(`0\r\n\r\n${EVIL}`, "Content-Length: 5", "Transfer-Encoding: chunked"), 400],
  [post(`hello${EVIL}`, "Content-Length: 5", "Content-Length: 5"), 400],
  [post(`0\r\n\r\n${EVIL}`, "Transfer-Encoding : chunked"), 400],
  [post(`0\r\n\r\n${EVIL}`, "X: y\nTransfer-Encoding: chunked"), 400],
  [chunked(`5;a\nhello\r\n0\r\n\r\n${EVIL}`).replace("/a", "/write"), 400],
  [chunked(`0\r\nContent-Length: 5\r\n\r\n${EVIL}`).replace("/a", "/write"), 400],
  [head("CONNECT / HTTP/1.1") + EVIL, 400],
  ["not HTTP at all\r\n\r\n", 400],
  ["GET /health HTTP/1.1\r\nhost: x\r\nbad line\r\n\r\n", 400],
  [post("", "Content-Length: x"), 400],
  [get("/health", `Long: ${"x".repeat(70_000)}`), 431],
  ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  [get("/", ...Array<string>(100).fill("X: y")), 431],
  [head("POST /write HTTP/1.1", "Content-Length: 99999999999", "Expect: 100-continue"), 413],
];

async function everythingFrom(connection: Connection): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let part; (part = await connection.readSome(65536)) !== undefined;) parts.push(part);
  return fromBytes(joinBytes(parts));
}

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`the real server gives each request of a handful its one answer over ${listen}`, async () => {
    await using server = await startServer({ listen });
    for (const [send, ...statuses] of CASES) {
      using connection = await Connection.open(server.address);
      await connection.send(toBytes(send));
      const replies = await everythingFrom(connection);
      const seen = [...replies.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      assert.deepEqual(seen, statuses, JSON.stringify(send.slice(0, 300)));
    }
    assert.equal((await server.client().request("GET", "/health")).status, 200);
  });
}
