import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest(
  "mixed load with followers and backups, and a fall of the server at its end",
  "endurance",
);
