import assert from "node:assert/strict";
import { assertNoContent } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { begin, event, startEditionC, waitForWaiting, WaitingBegin } from "./client.ts";
import { failPauses } from "../../support/failing_pauses.ts";
import { hideDatabase } from "../../support/hidden_database.ts";

const LINE = /^eventstore-server: \[([A-Z]+)\] (\S+) (\S+) (\d{3}) \d+B \d+(?:\.\d+)?ms$/;
const TOKEN = "token-of-the-log-test";

/** The log level of each answer, from the error table. */
const LEVELS = [
  "DEBUG POST /begin 200",
  "DEBUG POST /events 200",
  "DEBUG QUERY /events 200",
  "DEBUG POST /projections 200",
  "DEBUG POST /commit 204",
  "DEBUG POST /rollback 204",
  "DEBUG GET /projections/p/absent 404",
  "DEBUG POST /events 409",
  "DEBUG POST /projections 409",
  "DEBUG POST /commit 410",
  "DEBUG POST /begin 503 while paused",
  "DEBUG POST /begin 499",
  "DEBUG POST /reset 204",
  "INFO QUERY /events 400",
  "INFO POST /events 413",
  "INFO GET /health 401",
  "INFO GET /unknown 404",
  "INFO POST /health 405",
  "INFO DELETE /projections 409",
  "INFO POST /pause 204",
  "INFO POST /resume 204",
  "WARNING POST /begin 503 as the queue is full",
  "ERROR POST /pause 500",
  "ERROR GET /health 503",
];

/** Sends one request for each line above. */
async function requestEach(server: ServerProcess): Promise<void> {
  const client = server.client({ authorization: `Bearer ${TOKEN}` });
  const call = (method: string, target: string): Promise<unknown> => client.request(method, target);
  await client.request("QUERY", "/events", { json: {} });
  const first = await begin(client);
  await first.append([event("t")]);
  await first.read();
  await first.change({ create: [] });
  await first.get("p", "absent");
  {
    using leaving = await WaitingBegin.send(client);
    await waitForWaiting(client, 1);
    await call("POST", "/begin");
    leaving.connection.close();
    await waitForWaiting(client, 0);
  }
  assertNoContent(await first.commit());
  await first.commit();
  await (await begin(client)).rollback();
  await (await begin(client)).append([event("t")], { failIfEventsMatch: "*" });
  await (await begin(client)).append([event("t", "x".repeat(70_000))]);
  await (await begin(client)).change({ delete: [{ type: "p", id: "1", version: "v" }] });
  await server.client().request("GET", "/health");
  await call("GET", "/unknown");
  await call("POST", "/health");
  await call("DELETE", "/projections");
  {
    using _failing = failPauses(server);
    await call("POST", "/pause");
  }
  await call("POST", "/pause");
  await call("POST", "/begin");
  await call("POST", "/resume");
  await call("POST", "/reset");
  // No reader has opened the database so far.
  hideDatabase(server);
  await call("GET", "/health");
}

async function linesOf(logLevel: string): Promise<string[]> {
  await using server = await startEditionC({
    SERVICE_LOG_LEVEL: logLevel,
    SERVICE_ENABLE_AUTH: "true",
    SERVICE_AUTH_TOKEN: TOKEN,
    SERVICE_MAX_QUEUED_TRANSACTIONS: "1",
  });
  await requestEach(server);
  const { stdout } = await server.stop();
  assert.equal(stdout.includes(TOKEN), false);
  return stdout.split("\n").map((line) => LINE.exec(line)?.slice(1, 5).join(" ")).filter((line) =>
    line !== undefined
  );
}

// The tests of the log show what each level writes.
for (const level of ["debug", "warning"]) {
  Deno.test(`the error table at logLevel ${level}: each answer is logged at its level`, async () => {
    const lines = await linesOf(level);
    for (const expected of LEVELS) {
      const line = expected.split(" ").slice(0, 4).join(" ");
      const written = level === "debug" || /^(WARNING|ERROR)/.test(line);
      assert.equal(lines.includes(line), written, `${expected} in\n${lines.join("\n")}`);
    }
    if (level === "warning") assert.equal(lines.length, 3, lines.join("\n"));
  });
}
