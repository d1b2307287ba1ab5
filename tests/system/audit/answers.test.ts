import { quickAuditTest, shortAuditTest } from "./quick_audit.ts";

await shortAuditTest("one order of all calls explains every answer", "order", 20);

await quickAuditTest(
  "every answer is explained, also when system calls fail or the clock jumps; damage is named",
  "faults",
  "damage",
  "clock",
);
