import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { makeStores } from "../../../bench/stores.ts";
import { fullScan } from "../../../bench/workloads/full_scan.ts";
import { sourceLines } from "../../backup/stored_lines.ts";
import { runDeno } from "../../support/run_command.ts";
import { startServer } from "../../support/server_process.ts";
import { clusterTest } from "./support/postgres_test.ts";

const EVENTS = 700;

await clusterTest("the benchmark has the same events in files and in a database", async (cluster) => {
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  try {
    const stores = await makeStores({ directory, database: cluster, storeEvents: EVENTS });
    const lines: string[][] = [];
    for (const { dataDir, settings } of [{ dataDir: stores.pageRead, settings: {} }, stores.editionB]) {
      await using server = await startServer({ env: { ...settings, SERVICE_DATA_DIR: dataDir } });
      // Fails when a page is not as long as it should be.
      await fullScan(server.address, EVENTS, { warmUpSeconds: 0, seconds: 0.1 });
      const stored = await sourceLines(server.client());
      lines.push(stored.map((line) => line.replace(/"time":"[^"]*"/, "")));
    }
    assert.equal(lines[0]!.length, EVENTS);
    assert.deepEqual(lines[0], lines[1]);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

await clusterTest("the campaign about a database far away prints a row for each delay", async () => {
  const campaign = fileURLToPath(new URL("../../../bench/campaigns/postgres_latency.ts", import.meta.url));
  const flags = ["--seconds", "1", "--clients", "4", "--milliseconds", "0,20"];
  const args = ["run", "--quiet", "--no-prompt", "--allow-all", campaign, ...flags];
  const { code, stdout, stderr } = await runDeno(args);
  assert.equal(code, 0, stderr);
  const rows = stdout.split("\n").filter((line) => /^\| \d/.test(line)).map((line) => line.split(" | "));
  assert.deepEqual(rows.map(([added]) => added), ["| 0", "| 20"]);
  assert.ok(Number(rows[1]![1]) >= 20, "a round trip takes as long as the delay");
});
