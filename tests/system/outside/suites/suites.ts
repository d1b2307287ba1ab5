import type { Suite } from "../suite.ts";
import { AXON_FRAMEWORK } from "./axon.ts";
import { EVENTSOURCING } from "./eventsourcing.ts";
import { HAPPENSTANCE } from "./happenstance.ts";
import { SCHEMATHESIS } from "./schemathesis.ts";

/** Every suite, in the order of docs/compatibility.md. */
export const SUITES: readonly Suite[] = [AXON_FRAMEWORK, ...EVENTSOURCING, HAPPENSTANCE, ...SCHEMATHESIS];
