import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "what was acknowledged survives kills, and wrong starts change nothing",
  "kills",
  "starts",
);
