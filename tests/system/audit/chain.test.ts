import { POSTGRES_PROGRAMS } from "../postgres/support/cluster.ts";
import { auditTest, IS_LONG } from "./quick_audit.ts";

// Two failovers are one with loss and one without, for the seed of the tests. The planted bugs need edition A.
for (const [edition, rounds] of [["A", 4], ["B", IS_LONG ? 4 : 2], ["C", IS_LONG ? 4 : 2]] as const) {
  await auditTest(
    `edition ${edition}: clients, a faulty proxy and several servers keep every promise when the primary of three hosts fails`,
    [...POSTGRES_PROGRAMS, "go"],
    "check.ts",
    ...["chain", "--edition", edition, "--rounds", String(rounds)],
  );
}
