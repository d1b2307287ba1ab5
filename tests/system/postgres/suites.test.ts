import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runDeno } from "../../support/run_command.ts";
import { debianTest } from "../support/debian_program.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "./support/cluster.ts";
import { suiteVariables } from "./support/suite_variables.ts";

const filesOf = (folder: string, names: string): string[] =>
  names.split(" ").map((name) => `../../editions/${folder}/${name}.test.ts`);

/**
 * The tests of every store, the tests of every edition, and those tests of the editions in which storages may easily
 * differ: not those of limits, rights, the queue, profiles and HTTP alone. The task test-postgres runs all of them. Each
 * group of files has a process of its own.
 */
const SUITES = [
  ["./suites/store_contract.ts", ...filesOf("contract", "contract")],
  filesOf("a_write", "conditions metrics queries waiting write"),
  filesOf("b_tx", "conflicts errors pause projections statistics transactions"),
  filesOf("c_ticket", "appends metrics pause projections reads reset stopping tickets"),
  [
    ...filesOf("shared", "documented_metrics store_metrics"),
    ...filesOf("subjects", "forgetting same_answers"),
  ],
];

await debianTest(
  [...POSTGRES_PROGRAMS, "psql"],
  "stores and editions pass their tests on PostgreSQL",
  async ({ psql, ...programs }) => {
    await using cluster = await PostgresCluster.start(programs);
    const env = suiteVariables(cluster, psql);
    const runs = SUITES.map(async (suite) => {
      const files = suite.map((file) => fileURLToPath(new URL(file, import.meta.url)));
      const args = ["test", "--quiet", "--no-check", "--no-prompt", "--allow-all", ...files];
      const { code, stdout, stderr } = await runDeno(args, { env });
      const printed = `${stdout}\n${stderr}`;
      assert.equal(code, 0, printed);
      assert.match(printed, /^ok \| \d{2,} passed (?:\(\d+ steps\) )?\| 0 failed/m);
    });
    await Promise.all(runs);
  },
);
