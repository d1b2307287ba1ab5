import { POSTGRES_PROGRAMS } from "../postgres/support/cluster.ts";
import { auditTest } from "./quick_audit.ts";

await auditTest(
  "on PostgreSQL, what was acknowledged survives whatever happens to servers, connections and the database",
  POSTGRES_PROGRAMS,
  "check.ts",
  "postgres_kills",
  ...["--edition", "A", "--rounds", "10"],
);
