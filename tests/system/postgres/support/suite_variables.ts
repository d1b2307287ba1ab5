import type { DebianProgram } from "../../support/debian_program.ts";
import type { PostgresCluster } from "./cluster.ts";

/** Variables with which tests use a PostgreSQL: see tests/support/test_storage.ts and tests/support/psql.ts. */
export function suiteVariables(cluster: PostgresCluster, psql: DebianProgram): Record<string, string> {
  return {
    EVENTSTORE_TEST_STORAGE: "postgres",
    EVENTSTORE_TEST_POSTGRES_URL: cluster.url(),
    EVENTSTORE_TEST_PSQL: psql.path,
    EVENTSTORE_TEST_PSQL_ENV: JSON.stringify(psql.environment),
    NO_COLOR: "1",
  };
}
