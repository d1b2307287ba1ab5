import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest("what was acknowledged survives power cuts; a planted bug is noticed", "power", "bugs");
