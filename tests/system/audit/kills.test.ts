import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "what was acknowledged survives kills, wrong starts change nothing, and of several one stays",
  "kills",
  "starts",
  "races",
);
