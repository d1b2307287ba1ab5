import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "on a disk that is full, read-only or fails at any call, servers and tools say what is true",
  "disks",
  "tools",
);
