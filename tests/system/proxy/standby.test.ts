import assert from "node:assert/strict";
import { join } from "node:path";
import { isGone } from "../../server/acknowledged_writes.ts";
import { appendAs } from "../../editions/append_as.ts";
import { Client } from "../../support/client.ts";
import type { Address } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "../postgres/support/cluster.ts";
import { Pair, PATIENCE_SECONDS } from "../postgres/support/pair.ts";
import { DebianProcess } from "../support/debian_process.ts";
import { debianTest } from "../support/debian_program.ts";

/** The configuration of the page, with the addresses of this test and without TLS. */
function configFor(port: number, servers: readonly Address[]): string {
  let config = pageBlock("reverse_proxy.md", "# /etc/haproxy/haproxy.cfg");
  config = replacePart(config, ":443 ssl crt /etc/haproxy/events.example.com.pem", `127.0.0.1:${port}`);
  for (const [i, example] of ["10.0.0.1:8085", "10.0.0.2:8085"].entries()) {
    const server = servers[i]!;
    assert.ok(server.transport === "tcp");
    config = replacePart(config, example, `${server.hostname}:${server.port}`);
  }
  return config;
}

await debianTest(
  ["haproxy", ...POSTGRES_PROGRAMS],
  "haproxy: requests go to the server that is active, whichever it is",
  async ({ haproxy, ...programs }) => {
    await using cluster = await PostgresCluster.start(programs);
    await using pair = await Pair.start(cluster, "B");
    const port = freePort();
    const path = join(cluster.directory, "haproxy.cfg");
    Deno.writeTextFileSync(path, configFor(port, pair.servers.map(({ address }) => address)));
    const options = { args: ["-db", "-f", path], directory: cluster.directory, ports: [port] };
    await using _proxy = await DebianProcess.start(haproxy, options);
    const client = new Client({ transport: "tcp", hostname: "127.0.0.1", port });
    const written: string[] = [];
    const write = (payload: string): Promise<void> =>
      eventually(async () => {
        try {
          assert.equal(await appendAs("B", client, { type: "t", identifiers: {}, payload }), 204);
        } catch (error) {
          if (isGone(error)) throw new Error("no answer");
          throw error;
        }
        written.push(payload);
      }, PATIENCE_SECONDS);
    for (const end of ["stop", "kill"] as const) {
      await write(`before ${end}`);
      const old = pair.active;
      await old[end]();
      await pair.tookOver();
      await write(`after ${end}`);
      await old.start();
      await write(`beside ${end}`);
    }
    assert.equal((await client.request("GET", "/metrics")).status, 404);
    const { events } = await client.queryEvents("all");
    // One whose answer was lost was written again.
    assert.deepEqual([...new Set(events.map(({ payload }) => payload))], written);
  },
);
