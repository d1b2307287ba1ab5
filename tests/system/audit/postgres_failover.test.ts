import { PATRONI_PROGRAMS } from "../postgres/support/patroni_node.ts";
import { auditTest } from "./quick_audit.ts";

await auditTest(
  "on PostgreSQL with a synchronous standby, what was acknowledged survives the loss of the primary",
  PATRONI_PROGRAMS,
  "check.ts",
  "postgres_failover",
  ...["--edition", "A", "--rounds", "1"],
);
