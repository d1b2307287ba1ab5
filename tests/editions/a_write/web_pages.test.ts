import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { Connection } from "../../support/connection.ts";
import { assertPlainText } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

/** The header fields of a request that a browser sends for a page of another site, without a preflight. */
const PAGE_OF_OTHERS = ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"];

async function send(server: ServerProcess, requestLine: string, ...fields: string[]): Promise<Reply> {
  using connection = await Connection.open(server.address);
  const head = [`${requestLine} HTTP/1.1`, "Connection: close", "Content-Length: 0", ...fields];
  await connection.send(`${head.join("\r\n")}\r\n\r\n`);
  return await connection.readReply(requestLine.split(" ")[0]!);
}

async function withEvent(server: ServerProcess): Promise<() => Promise<number>> {
  await server.client().append({ type: "t", payload: "" });
  return async () => (await server.client().allEvents()).length;
}

Deno.test("development mode: no web page of others can reset the store, nor one under a rebound name", async () => {
  await using server = await startServer({
    listen: "tcp",
    listenOnly: true,
    env: { SERVICE_DEV_MODE: "true" },
  });
  const events = await withEvent(server);
  for (
    const fields of [
      ["Host: localhost", ...PAGE_OF_OTHERS],
      ["Host: localhost", "Origin: null"],
      ["Host: localhost", "Sec-Fetch-Site: cross-site"],
      ["Host: evil.example:8085", "Origin: http://evil.example:8085", "Sec-Fetch-Site: same-origin"],
      ["Host: evil.example:8085"],
    ]
  ) {
    for (const requestLine of ["POST /reset", "GET /debug/pprof/", "GET /unknown", "PUT /%zz"]) {
      assertPlainText(await send(server, requestLine, ...fields), 403);
    }
  }
  assert.equal(await events(), 1);
  assert.equal(
    (await send(server, "POST /reset", "Host: localhost", "Origin: http://localhost:3000")).status,
    204,
  );
  assert.equal(await events(), 0);
});

Deno.test("on a unix socket any Host is accepted, but no page of another site", async () => {
  await using server = await startServer({
    listen: "unix",
    listenOnly: true,
    env: { SERVICE_DEV_MODE: "true" },
  });
  const events = await withEvent(server);
  assertPlainText(await send(server, "POST /reset", "Host: events.example.com", ...PAGE_OF_OTHERS), 403);
  assert.equal(await events(), 1);
  assert.equal((await send(server, "POST /reset", "Host: events.example.com")).status, 204);
});
