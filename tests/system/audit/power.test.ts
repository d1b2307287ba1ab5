import { quickAuditTest, shortAuditTest } from "./quick_audit.ts";

await shortAuditTest("what was acknowledged survives power cuts", "power", 500);

await quickAuditTest("a planted bug is noticed", "bugs");
