import { quickAuditTest, shortAuditTest } from "./quick_audit.ts";

await shortAuditTest("what was acknowledged survives kills", "kills", 20);

await quickAuditTest(
  "wrong or damaged files change nothing, and of several servers one stays",
  "starts",
  "damaged_store",
  "races",
);
