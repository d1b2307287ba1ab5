import { PostgresCluster } from "../../tests/system/postgres/support/cluster.ts";
import { suiteVariables } from "../../tests/system/postgres/support/suite_variables.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";

/** From now on, the servers that this process starts store their events in a PostgreSQL of their own. */
export async function usePostgres(): Promise<AsyncDisposable> {
  const programs = { postgres: await debianProgram("postgres"), initdb: await debianProgram("initdb") };
  const cluster = await PostgresCluster.start(programs);
  const variables = suiteVariables(cluster, await debianProgram("psql"));
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  return cluster;
}
