import { fileURLToPath } from "node:url";
import { debianProgram } from "../support/debian_program.ts";
import { PostgresCluster } from "./support/cluster.ts";
import { suiteVariables } from "./support/suite_variables.ts";

/*
 * Runs tests with servers that store their events in a PostgreSQL: deno task test-postgres [files or folders].
 * Without arguments: the contract of stores and all tests of the editions and the client.
 */

const ALL = ["tests/system/postgres/suites/store_contract.ts", "tests/editions/", "tests/client/"];

const psql = await debianProgram("psql");
const programs = { postgres: await debianProgram("postgres"), initdb: await debianProgram("initdb") };
await using cluster = await PostgresCluster.start(programs);
const runner = fileURLToPath(new URL("../../../tools/tests/main.ts", import.meta.url));
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["run", "--quiet", "--no-prompt", "--allow-all", runner, ...Deno.args.length > 0 ? Deno.args : ALL],
  env: suiteVariables(cluster, psql),
  stdin: "null",
}).spawn().status;
Deno.exitCode = code;
