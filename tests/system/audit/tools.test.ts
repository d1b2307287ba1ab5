import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest("when a system call fails, a backup, a restore or an import says what is true", "tools");
