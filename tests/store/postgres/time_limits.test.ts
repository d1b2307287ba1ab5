import assert from "node:assert/strict";
import { TIME_LIMITS_IN_ORDER } from "../../../src/store/postgres/time_limits.ts";

Deno.test("each time limit between servers and PostgreSQL is shorter than those that must outlast it", () => {
  for (const limits of TIME_LIMITS_IN_ORDER) {
    for (const [i, limit] of limits.entries()) assert.ok(limit < (limits[i + 1] ?? Infinity), `${limits}`);
  }
});
