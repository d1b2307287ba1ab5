import { POSTGRES_PROGRAMS } from "../postgres/support/cluster.ts";
import { auditTest } from "./quick_audit.ts";

for (const edition of ["A", "B", "C"]) {
  await auditTest(
    `edition ${edition}: clients, a faulty proxy and several servers keep every promise when the primary of three hosts fails`,
    [...POSTGRES_PROGRAMS, "go"],
    "check.ts",
    ...["chain", "--edition", edition, "--rounds", "4"],
  );
}
