import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { metrics } from "../../support/metrics.ts";
import { startServer } from "../../support/server_process.ts";
import { append, test } from "./every_edition.ts";

/*
 * Tests the metrics of connections, requests and reads, in every edition. The documents of the editions do not name
 * these metrics.
 */

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
    const errors = (code: string, method: string, route: string): number | undefined =>
      samples.get(`service_request_errors_total{code="${code}",method="${method}",route="${route}"}`);
    assert.equal(errors("ProjectionNotFound", "GET", "/projections/:type/:id"), 2);
    assert.equal(errors("InvalidRequest", "QUERY", "/events"), 1);
    assert.equal(errors("InvalidRequest", "other", "other"), 4);
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
    await append(client, edition, 99);
    const long = await page();
    assert.equal(long.events, 100);
    assert.ok(long.bytes > 100_000);
    await assertAdds([100, long.bytes, 1, 0, 0], page);
    await assertAdds([0, 0, 0, 1, 0], () => client.request("GET", "/projections/type/id"));
    assert.equal((await metrics(client)).get("service_last_sequence"), 100);
  },
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
