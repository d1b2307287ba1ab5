import { quickAuditTest } from "./quick_audit.ts";

await quickAuditTest("the server answers random commands as a model of its edition does", "models");
