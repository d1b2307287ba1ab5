import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest("what the index answers is what the rule of queries says", "queries");
