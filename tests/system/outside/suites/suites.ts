import type { Suite } from "../suite.ts";
import { EVENTSOURCING } from "./eventsourcing.ts";
import { HAPPENSTANCE } from "./happenstance.ts";
import { SCHEMATHESIS } from "./schemathesis.ts";

/** Every suite, in the order of docs/compatibility.md. */
export const SUITES: readonly Suite[] = [...EVENTSOURCING, HAPPENSTANCE, ...SCHEMATHESIS];
