import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest("on a disk that is full or read-only, writes are refused and reads go on", "disks");
