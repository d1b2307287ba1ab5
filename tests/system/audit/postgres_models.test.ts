import { POSTGRES_PROGRAMS } from "../postgres/support/cluster.ts";
import { auditTest } from "./quick_audit.ts";

for (const edition of ["A", "B", "C"]) {
  await auditTest(
    `on PostgreSQL, the server answers random commands of edition ${edition} as its model does`,
    POSTGRES_PROGRAMS,
    "check.ts",
    ...["models", "--postgres", "--edition", edition, "--rounds", "200"],
  );
}

await auditTest(
  "on PostgreSQL, every query is answered as the rule says",
  POSTGRES_PROGRAMS,
  "check.ts",
  ...["queries", "--postgres", "--rounds", "100"],
);
