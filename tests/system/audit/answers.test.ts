import { quickAuditTest, shortAuditTest } from "./quick_audit.ts";

await shortAuditTest("one order of all calls explains every answer", "order", 20);

// Each round takes seconds. audit:quick and test-long try twice as many calls, audit:full all of them.
await shortAuditTest("every answer is explained when system calls fail", "faults", 3);

await quickAuditTest(
  "every answer is explained, also when the clock jumps; damage is named",
  "damage",
  "clock",
);
