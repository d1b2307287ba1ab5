import assert from "node:assert/strict";
import { eventually, pause } from "../../support/eventually.ts";
import {
  type DebugSnapshot,
  debugSnapshot,
  holdWriteLock,
  waitForQueue,
} from "../../support/held_write_lock.ts";
import { metricTypes } from "../../support/metrics.ts";
import { assertRejected, TIMESTAMP } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";

const server = serverOfFile({ env: { SERVICE_DEV_MODE: "true", SERVICE_READ_POOL_SIZE: "2" } });

Deno.test("GET /debug: exact shape when the server is idle", async () => {
  const snapshot = await debugSnapshot(server.client());
  assert.match(snapshot.time, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
  assert.deepEqual(
    { ...snapshot, time: "" },
    {
      time: "",
      write: { active: null, queued: [], httpOpen: 0, sqliteInUse: 0, sqliteMax: 1 },
      read: { httpOpen: 0, waiting: 0, sqliteInUse: 0, sqliteMax: 2 },
    } satisfies DebugSnapshot,
  );
  const reply = await server.client().request("GET", "/debug");
  assert.equal(reply.headers.get("content-type"), "application/json");
});

Deno.test("GET /debug: shows the requests that have the turn or wait, oldest first, never their content", async () => {
  const client = server.client();
  using held = holdWriteLock(server);
  const payload = "a secret payload";
  const secret = { type: "secrettype", identifiers: { secretname: "secretvalue" }, payload };
  const pending = [client.append(secret).then(() => 200)];
  await waitForQueue(client, 0);
  for (const [method, target] of [["DELETE", "/projections"], ["POST", "/reset"]] as const) {
    pending.push(client.request(method, target).then((reply) => reply.status));
    await waitForQueue(client, pending.length - 1);
  }
  await pause(100);
  const reply = await client.request("GET", "/debug");
  const { write } = reply.json<DebugSnapshot>();
  assert.deepEqual(Object.keys(write.active ?? {}).sort(), ["ageSeconds", "kind", "since"]);
  assert.equal(write.active?.kind, "write");
  assert.match(write.active?.since ?? "", TIMESTAMP);
  assert.ok((write.active?.ageSeconds ?? 0) >= 0.1 && (write.active?.ageSeconds ?? 0) < 5);
  assert.deepEqual(write.queued.map((entry) => entry.kind), ["projections", "reset"]);
  for (const entry of write.queued) {
    assert.deepEqual(Object.keys(entry).sort(), ["kind", "queuedAt", "waitSeconds"]);
    assert.match(entry.queuedAt, TIMESTAMP);
    assert.ok(entry.waitSeconds >= 0.1 && entry.waitSeconds < 5);
  }
  assert.deepEqual([write.httpOpen, write.sqliteInUse, write.sqliteMax], [3, 1, 1]);
  assert.doesNotMatch(reply.text, /secret/);
  held.release();
  assert.deepEqual(await Promise.all(pending), [200, 204, 204]);
});

Deno.test("profiling: the index, a heap snapshot, a CPU profile and the command line exist in devMode", async () => {
  const client = server.client();
  assert.equal((await client.request("GET", "/debug/pprof/")).status, 200);
  const heap = await client.request("GET", "/debug/pprof/heap");
  assert.equal(heap.status, 200);
  assert.ok("snapshot" in heap.json<object>());
  const started = performance.now();
  const profile = await client.request("GET", "/debug/pprof/profile?seconds=1");
  assert.equal(profile.status, 200);
  assert.ok(performance.now() - started >= 900);
  assert.ok(Array.isArray(profile.json<{ nodes: unknown }>().nodes));
  const commandLine = await client.request("GET", "/debug/pprof/cmdline");
  assert.equal(commandLine.status, 200);
  assert.ok(commandLine.text.length > 0);
});

Deno.test("profiling: one profile or snapshot at a time, and a client that disconnects does not block others", async () => {
  const client = server.client();
  const target = "/debug/pprof/profile?seconds=1";
  const running = client.request("GET", target);
  const others = await Promise.all([target, "/debug/pprof/heap"].map(async (other) => {
    await pause(100);
    return await client.request("GET", other);
  }));
  for (const reply of others) assertRejected(reply, 503, "Unavailable", /another profile or snapshot/);
  assert.equal((await running).status, 200);
  for (const left of ["/debug/pprof/profile?seconds=300", "/debug/pprof/heap"]) {
    (await client.begin("GET", left)).close();
    await eventually(
      async () => assert.equal((await client.request("GET", "/debug/pprof/heap")).status, 200),
      30,
    );
  }
});

/** The paths of all values and objects in a document. */
function pathsOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.slice(0, 1).flatMap((item) => pathsOf(item, `${path}[]`))];
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, inner]) =>
    pathsOf(inner, path === "" ? key : `${path}.${key}`)
  );
  return path === "" || path.endsWith("[]") ? below : [path, ...below];
}

Deno.test("edition-a.md lists every field of /debug, and the metrics that the specification names", async () => {
  const client = server.client();
  const page = Deno.readTextFileSync(new URL("../../../docs/edition-a.md", import.meta.url));
  const [, section = ""] = page.split("## Health, metrics, debug\n");
  const rows = section.split("\n## ")[0]!.matchAll(/^- `(\S+)` \((\w+)/gm);
  const listed = [...rows].map(([, name, type]) => [name!, type!] as const);
  using held = holdWriteLock(server);
  const writing = [client.append({ type: "t", identifiers: {}, payload: "" })];
  await waitForQueue(client, 0);
  writing.push(client.append({ type: "t", identifiers: {}, payload: "" }));
  await waitForQueue(client, 1);
  const shown = pathsOf(await debugSnapshot(client), "").filter((path) =>
    path !== "write" && path !== "read"
  );
  held.release();
  await Promise.all(writing);
  const fields = listed.filter(([name]) => !name.startsWith("service_")).map(([name]) => name);
  assert.deepEqual(fields.toSorted(), shown.toSorted());
  const { text } = await client.request("GET", "/metrics");
  const metrics = listed.filter(([name]) => name.startsWith("service_"));
  assert.deepEqual(metricTypes(text).slice(0, metrics.length), metrics.map(([name, type]) => [name, type]));
});
