import assert from "node:assert/strict";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

const TOKEN = "token-of-the-log-test";
const LINE = /^eventstore-server: \[([A-Z]+)\] (\S+) (\S+) (\d{3}) (\d+)B (\d+(?:\.\d+)?)ms$/;

/** Sends one request of each level, one after the other. */
async function requestOfEachLevel(server: ServerProcess): Promise<void> {
  const client = server.client({ authorization: `Bearer ${TOKEN}` });
  const event = { type: "t", identifiers: {}, payload: "body-of-the-log-test" };
  await client.append(event);
  await client.queryEvents();
  await client.write({ conditions: [{ failIfEventsMatch: "*" }] });
  await client.request("GET", "/projections/t/absent%2F%0A");
  await client.write({ events: [{}] });
  await server.client().request("GET", "/health");
  await client.write({ events: [{ ...event, payload: "x".repeat(65537) }] });
  await client.request("GET", "/unknown");
  using held = holdWriteLock(server);
  const writes = [client.append(event)];
  await waitForQueue(client, 0);
  writes.push(client.append(event));
  await waitForQueue(client, 1);
  await client.request("DELETE", "/projections");
  held.release();
  await Promise.all(writes);
}

async function logOf(logLevel: string): Promise<string[][]> {
  await using server = await startServer({
    env: {
      SERVICE_LOG_LEVEL: logLevel,
      SERVICE_ENABLE_AUTH: "true",
      SERVICE_AUTH_TOKEN: TOKEN,
      SERVICE_MAX_QUEUED_WRITES: "1",
    },
  });
  await requestOfEachLevel(server);
  const { code, stdout, stderr } = await server.stop();
  assert.equal(code, 0);
  assert.ok(!(stdout + stderr).includes("body-of-the-log-test"), "a body was logged");
  assert.ok(!(stdout + stderr).includes(TOKEN), "the token was logged");
  const lines = stdout.split("\n").map((line) => LINE.exec(line)).filter((found) => found !== null);
  return lines.map((line) => line.slice(1, 6)).filter(([, , path]) => path !== "/debug");
}

const WARNING = [["WARNING", "DELETE", "/projections", "503"]];
const INFO = [
  ["INFO", "POST", "/write", "400"],
  ["INFO", "GET", "/health", "401"],
  ["INFO", "POST", "/write", "413"],
];
const DEBUG = [
  ["DEBUG", "POST", "/write", "200"],
  ["DEBUG", "QUERY", "/events", "200"],
  ["DEBUG", "POST", "/write", "409"],
  ["DEBUG", "GET", "/projections/t/absent%2F%0A", "404"],
];

function has(lines: readonly string[][], wanted: readonly string[]): boolean {
  return lines.some((line) => wanted.every((part, i) => line[i] === part));
}

// The tests of the log show what each level writes.
for (const level of ["debug", "warning"]) {
  Deno.test(`access log at logLevel ${level}: one line per request from that level on`, async () => {
    const lines = await logOf(level);
    if (level === "warning") return assert.deepEqual(lines.map((line) => line.slice(0, 4)), WARNING);
    const written = [...DEBUG, ...INFO, ...WARNING];
    for (const line of written) assert.ok(has(lines, line), `${line} missing in\n${lines.join("\n")}`);
    // The three writes, the read, the conflict, the absent projection, the unknown path.
    assert.equal(lines.length, 7 + INFO.length + WARNING.length);
  });
}
