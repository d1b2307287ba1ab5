import assert from "node:assert/strict";
import { countEvents } from "../../src/backup/reports/count_events.ts";

Deno.test("one event is one event", () => {
  assert.deepEqual([0, 1, 2].map(countEvents), ["0 events", "1 event", "2 events"]);
});
