import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "what was acknowledged survives kills, wrong or damaged files change nothing, and of several servers one stays",
  "kills",
  "starts",
  "damaged_store",
  "races",
);
