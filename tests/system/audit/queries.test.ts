import { shortAuditTest } from "./quick_audit.ts";

await shortAuditTest("what the index answers is what the rule of queries says", "queries", 850);
