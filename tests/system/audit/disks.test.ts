import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest("on a disk that is full or read-only, writes are rejected and reads continue", "disks");
