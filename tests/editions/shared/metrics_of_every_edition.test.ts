import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { appendAs, type EditionName, EDITIONS } from "../append_as.ts";
import { Connection } from "../../support/connection.ts";
import type { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { failWrites } from "../../support/failing_writes.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { metrics, metricTypes } from "../../support/metrics.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { sqliteTest, testsPostgres } from "../../support/test_storage.ts";

/* Tests the metrics of every edition that the documents of the editions do not name. */

const EVENT = { type: "t", identifiers: {}, payload: "x".repeat(1000) };

const append = (client: Client, edition: EditionName): Promise<number> => appendAs(edition, client, EVENT);

/** Registers a test for each edition, with its own server. */
function test(
  name: string,
  run: (server: ServerProcess, client: Client, edition: EditionName) => Promise<void>,
  register: (name: string, test: () => Promise<void>) => void = Deno.test,
): void {
  for (const edition of EDITIONS) {
    register(`edition ${edition}: ${name}`, async () => {
      await using server = await startServer({ env: { SERVICE_EDITION: edition } });
      await run(server, server.client(), edition);
    });
  }
}

const requests = (method: string, route: string, status: string): string =>
  `service_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

test(
  "requests are counted by route and class of status, and made-up paths all together",
  async (_, client) => {
    await client.request("GET", "/projections/type/one");
    await client.request("GET", "/projections/type/two");
    await client.request("GET", "/health");
    await client.request("HEAD", "/health");
    for (const path of ["/nothing", "/made-up", "/health/more"]) await client.request("GET", path);
    await client.request("DELETE", "/health");
    await client.request("QUERY", "/events", { json: {} });
    const samples = await metrics(client);
    assert.equal(samples.get(requests("GET", "/projections/:type/:id", "4xx")), 2);
    assert.equal(samples.get(requests("GET", "/health", "2xx")), 2);
    assert.equal(samples.get(requests("QUERY", "/events", "4xx")), 1);
    assert.equal(samples.get(requests("other", "other", "4xx")), 4);
    const all = ["2xx", "4xx", "5xx"].map((status) =>
      samples.get(`service_requests_total{status="${status}"}`)
    );
    assert.deepEqual(all, [2, 7, 0]);
    assert.doesNotMatch([...samples.keys()].join("\n"), /nothing|made-up|type\/one/);
    const again = await metrics(client);
    assert.equal(again.get(requests("GET", "/metrics", "2xx")), 1, "the page counts those before it");
  },
);

test(
  "reads are counted with their events and bytes, whether short or long, and by kind",
  async (_, client, edition) => {
    const count = async (): Promise<number[]> => {
      const samples = await metrics(client);
      const kinds = ["events", "projection"].map((kind) =>
        `service_read_duration_seconds_count{kind="${kind}"}`
      );
      const names = [
        "service_read_events_total",
        "service_read_bytes_total",
        ...kinds,
        "service_reads_active",
      ];
      return names.map((name) => samples.get(name)!);
    };
    /** Asserts how much the reads add to the counts, once they have ended. */
    const assertAdds = async (expected: readonly number[], read: () => Promise<unknown>): Promise<void> => {
      const before = await count();
      await read();
      await eventually(async () => {
        assert.deepEqual((await count()).map((value, i) => value - before[i]!), expected);
      });
    };
    const query = edition === "B" ? "all" : "*";
    const page = async (): Promise<{ events: number; bytes: number }> => {
      const { events, reply } = await client.queryEvents(query);
      return { events: events.length, bytes: reply.text.lastIndexOf('{"hasMore"') };
    };
    await append(client, edition);
    const short = await page();
    assert.equal(short.events, 1);
    await assertAdds([1, short.bytes, 1, 0, 0], page);
    // The page becomes too long to be sent in one piece.
    for (let i = 0; i < 99; i++) await append(client, edition);
    const long = await page();
    assert.equal(long.events, 100);
    assert.ok(long.bytes > 100_000);
    await assertAdds([100, long.bytes, 1, 0, 0], page);
    await assertAdds([0, 0, 0, 1, 0], () => client.request("GET", "/projections/type/id"));
    assert.equal((await metrics(client)).get("service_last_sequence"), 100);
  },
);

const NONE_FAILED = { disk_full: 0, disk_error: 0, locked: 0, lost_files: 0, connection: 0, other: 0 };

/** Returns the number of failed writes by reason. */
async function failed(client: Client): Promise<Record<string, number>> {
  const samples = [...await metrics(client)].filter(([name]) => name.startsWith("service_writes_failed"));
  return Object.fromEntries(samples.map(([name, value]) => [/"(\w+)"/.exec(name)![1]!, value]));
}

test("writes that fail are counted, with their reason", async (server, client, edition) => {
  await append(client, edition);
  assert.deepEqual(await failed(client), NONE_FAILED);
  {
    using _failing = failWrites(server);
    assert.equal(await append(client, edition), 500);
    assert.deepEqual(await failed(client), { ...NONE_FAILED, other: 1 });
  }
  {
    // The lock is held for longer than the server waits for it.
    using _held = holdWriteLock(server);
    assert.equal(await append(client, edition), 503);
    assert.deepEqual(await failed(client), { ...NONE_FAILED, other: 1, locked: 1 });
  }
});

test("writes into a file that is gone are counted, and it has no size", async (server, client, edition) => {
  await append(client, edition);
  Deno.removeSync(server.databasePath);
  await eventually(() => assert.match(server.stderr, /writes are rejected until a restart/));
  assert.equal(await append(client, edition), 503);
  assert.deepEqual(await failed(client), { ...NONE_FAILED, lost_files: 1 });
  const samples = await metrics(client);
  for (const name of ["store_bytes", "store_wal_bytes", "disk_free_bytes"]) {
    assert.ok(!samples.has(`service_${name}`), `${name} of a file that may be another one`);
  }
}, sqliteTest);

test(
  "the sizes are those of the files, and the free space is that of their disk",
  async (server, client, edition) => {
    await append(client, edition);
    await eventually(async () => {
      const samples = await metrics(client);
      const sizes = [server.databasePath, `${server.databasePath}-wal`].map((path) =>
        Deno.statSync(path).size
      );
      assert.deepEqual(
        [samples.get("service_store_bytes"), samples.get("service_store_wal_bytes")],
        sizes,
      );
      assert.ok(sizes[0]! > 0);
      const { bavail, bsize, blocks } = statfsSync(server.dataDir);
      const free = samples.get("service_disk_free_bytes")!;
      assert.ok(Math.abs(free - bavail * bsize) < 1e9, `${free} bytes are free, not ${bavail * bsize}`);
      assert.equal(samples.get("service_disk_size_bytes"), blocks * bsize);
    });
  },
  sqliteTest,
);

test("connections, requests that were not HTTP, and running requests", async (server, client, edition) => {
  const before = (await metrics(client)).get("service_connections_open")!;
  {
    using first = await Connection.open(server.address);
    using second = await Connection.open(server.address);
    await first.send(new TextEncoder().encode("GET /health HTTP/1.1\r\nHost: a\r\n\r\n"));
    await second.send(new TextEncoder().encode("nonsense\r\n\r\n"));
    await eventually(async () => {
      const samples = await metrics(client);
      assert.equal(samples.get("service_requests_malformed_total"), 1);
      assert.ok(samples.get("service_connections_open")! > before);
    });
  }
  await eventually(async () => {
    assert.equal((await metrics(client)).get("service_connections_open"), before);
  });
  const samples = await metrics(client);
  const { version } = (await client.request("GET", "/health")).json<{ version: string }>();
  const info =
    `service_build_info{version="${version}",edition="${edition}",runtime="deno ${Deno.version.deno}"}`;
  assert.equal(samples.get(info), 1);
  const cpu = samples.get("process_cpu_seconds_total")!;
  assert.ok(cpu > 0 && cpu < 60, `${cpu} s`);
  const resident = samples.get("process_resident_memory_bytes")!;
  assert.ok(resident > 20e6 && resident < 2e9, `${resident} bytes`);
  const started = samples.get("process_start_time_seconds")!;
  assert.ok(Math.abs(started - Date.now() / 1000) < 60, `started at ${started}`);
});

// The families of a SQLite file are among them.
sqliteTest("monitoring.md lists every family of every edition with its type, and no other", async () => {
  const shown = new Map<string, string>();
  for (const edition of EDITIONS) {
    await using server = await startServer({ env: { SERVICE_EDITION: edition } });
    const { text } = await server.client().request("GET", "/metrics");
    for (const [name, type] of metricTypes(text)) shown.set(name, type);
  }
  // This metric exists only when descriptors are few.
  shown.set("service_connections_max", "gauge");
  const page = Deno.readTextFileSync(new URL("../../../docs/monitoring.md", import.meta.url));
  const [, section = ""] = page.split("## What the metrics say\n");
  const items = section.split("\n## ")[0]!.matchAll(/^- (`.+?) \((\w+)\):/gm);
  const listed = [...items].flatMap(([, names, type]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => `${name} ${type}`)
  );
  assert.deepEqual(listed.toSorted(), [...shown].map(([name, type]) => `${name} ${type}`).toSorted());
});

Deno.test("writes that waited together are counted as a group", async () => {
  await using server = await startServer();
  const client = server.client();
  await append(client, "A");
  const writes: Promise<number>[] = [];
  {
    using _held = holdWriteLock(server);
    for (let i = 0; i < 4; i++) {
      writes.push(append(client, "A"));
      await waitForQueue(client, i);
    }
  }
  await Promise.all(writes);
  const samples = await metrics(client);
  const size = "service_write_group_size";
  // The first write had its own transaction. On SQLite, so does the second, and the others wait for it. On
  // PostgreSQL, the others join the second, since it waits, too.
  const { upTo1, upTo4, grouped } = testsPostgres()
    ? { upTo1: 1, upTo4: 2, grouped: 4 }
    : { upTo1: 2, upTo4: 3, grouped: 3 };
  assert.deepEqual(
    ["1", "2", "4"].map((le) => samples.get(`${size}_bucket{le="${le}"}`)),
    [upTo1, upTo1, upTo4],
  );
  assert.deepEqual([samples.get(`${size}_count`), samples.get(`${size}_sum`)], [upTo4, 5]);
  assert.equal(samples.get("service_writes_grouped_total"), grouped);
});

Deno.test("where descriptors are few, the page says how many connections there may be, and counts those rejected", async () => {
  // The shell that starts the program sets the limit.
  await using server = await startServer({ listen: "unix", umask: "022 && ulimit -n 128" });
  using asking = await Connection.open(server.address);
  const page = async (): Promise<string> => {
    await asking.send(new TextEncoder().encode("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"));
    return (await asking.readReply("GET")).text;
  };
  const sample = async (name: string): Promise<number> => {
    const text = await page();
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  };
  const most = await sample("service_connections_max");
  assert.ok(most > 5 && most < 120, `${most} connections`);
  assert.equal(await sample("service_connections_refused_total"), 0);
  using open = new DisposableStack();
  for (let i = 0; i < most + 4; i++) open.use(await Connection.open(server.address));
  await eventually(async () => {
    assert.equal(await sample("service_connections_open"), most);
    assert.equal(await sample("service_connections_refused_total"), 5);
  });
  const line = `[WARNING] connections are rejected: ${most} are open, as many as file descriptors allow\n`;
  await eventually(() => assert.equal(server.stdout.split(line).length, 2, server.stdout));
});

sqliteTest("a database behind a link is measured where it is", async () => {
  await using server = await startServer();
  await server.stop();
  const elsewhere = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  try {
    Deno.renameSync(server.databasePath, join(elsewhere, "other.db"));
    Deno.symlinkSync(join(elsewhere, "other.db"), server.databasePath);
    await server.start();
    await append(server.client(), "A");
    const samples = await metrics(server.client());
    assert.ok(samples.get("service_store_bytes")! > 0);
    assert.ok(samples.get("service_store_wal_bytes")! > 0);
    await server.stop();
  } finally {
    Deno.removeSync(elsewhere, { recursive: true });
  }
});
