import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { debianTest } from "../support/debian_program.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "./support/cluster.ts";
import { suiteVariables } from "./support/suite_variables.ts";

/** What holds for every store, and for every edition. The task test-postgres runs all tests of the editions. */
const SUITES = ["./suites/store_contract.ts", "../../editions/contract/contract.test.ts"];

await debianTest(
  [...POSTGRES_PROGRAMS, "psql"],
  "the contracts of stores and of editions hold on PostgreSQL",
  async ({ psql, ...programs }) => {
    await using cluster = await PostgresCluster.start(programs);
    const env = suiteVariables(cluster, psql);
    const runs = SUITES.map(async (suite) => {
      const file = fileURLToPath(new URL(suite, import.meta.url));
      const args = ["test", "--quiet", "--no-check", "--no-prompt", "--allow-all", file];
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env }).output();
      const printed = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
      assert.ok(success, printed);
      assert.match(printed, /^ok \| \d{2,} passed \| 0 failed/m);
    });
    await Promise.all(runs);
  },
);
