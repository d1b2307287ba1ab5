import assert from "node:assert/strict";
import { isGone } from "../../server/acknowledged_writes.ts";
import { appendAs } from "../../editions/append_as.ts";
import { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "../postgres/support/cluster.ts";
import { TIMEOUT_SECONDS } from "../postgres/support/in_time.ts";
import { Pair } from "../postgres/support/pair.ts";
import { debianTest } from "../support/debian_program.ts";
import { startHaproxy } from "./haproxy.ts";

await debianTest(
  ["haproxy", ...POSTGRES_PROGRAMS],
  "haproxy: requests go to the server that is active, whichever it is",
  async ({ haproxy, ...programs }) => {
    await using cluster = await PostgresCluster.start(programs);
    await using pair = await Pair.start(cluster, "B");
    const [first, second] = pair.servers;
    await using proxy = await startHaproxy(haproxy, [first!.address, second!.address]);
    const client = new Client(proxy.address);
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
      }, TIMEOUT_SECONDS);
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
    // A write whose answer was lost was repeated.
    assert.deepEqual([...new Set(events.map(({ payload }) => payload))], written);
  },
);
