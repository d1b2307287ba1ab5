import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "every answer is explained, also when system calls fail or the clock jumps; damage is named",
  "order",
  "faults",
  "damage",
  "clock",
);
