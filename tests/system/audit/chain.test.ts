import { POSTGRES_PROGRAMS } from "../postgres/support/cluster.ts";
import { auditTest, IS_LONG } from "./quick_audit.ts";

// For the seed of the tests, two failovers are one with loss and one without, and in the third the primary stops.
const ROUNDS = IS_LONG ? { A: 4, B: 4, C: 4 } : { A: 3, B: 2, C: 2 };

for (const [edition, rounds] of Object.entries(ROUNDS)) {
  await auditTest(
    `edition ${edition}: clients, a faulty proxy and several servers keep every promise when the primary of three hosts fails`,
    [...POSTGRES_PROGRAMS, "go"],
    "check.ts",
    ...["chain", "--edition", edition, "--rounds", String(rounds)],
  );
}
