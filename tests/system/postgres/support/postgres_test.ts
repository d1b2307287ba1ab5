import { debianTest } from "../../support/debian_program.ts";
import { POSTGRES_PROGRAMS, PostgresCluster, type PostgresPrograms } from "./cluster.ts";

/** Registers a test that starts PostgreSQL as it likes. */
export async function postgresTest(
  name: string,
  test: (programs: PostgresPrograms) => Promise<void>,
): Promise<void> {
  await debianTest(POSTGRES_PROGRAMS, name, test);
}

/** Registers a test with a PostgreSQL that is running. */
export async function clusterTest(
  name: string,
  test: (cluster: PostgresCluster) => Promise<void>,
): Promise<void> {
  await postgresTest(name, async (programs) => {
    await using cluster = await PostgresCluster.start(programs);
    await test(cluster);
  });
}
