import { POSTGRES_PROGRAMS } from "../postgres/support/cluster.ts";
import { auditTest, quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "a server that is killed while it forgets has destroyed a key and written the events of the request, or neither",
  "forgets",
);

await auditTest(
  "the same on PostgreSQL, whatever happens to servers, connections and the database",
  POSTGRES_PROGRAMS,
  "check.ts",
  "postgres_forgets",
  ...["--edition", "A", "--rounds", "5"],
);
