import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "every answer is explained, also when system calls fail, and damage is named",
  "order",
  "faults",
  "damage",
);
