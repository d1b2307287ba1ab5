import assert from "node:assert/strict";
import { queuePart, readPart, requestCount } from "../../../src/editions/shared/debug_parts.ts";
import { ReadsInFlight } from "../../../src/editions/shared/reads_in_flight.ts";

const entry = (kind: string, seconds = 0) => ({ kind, age: { sinceMicros: 1_000_000, seconds } });

Deno.test("reads that wait for an event are shown apart, and among the open ones", () => {
  const reads = new ReadsInFlight({ subscriptions: 1 });
  const part = (): unknown => readPart(reads, { inUse: 1, max: 8 });
  using _waiting = reads.begin("events");
  {
    using _working = reads.begin("projection");
    assert.deepEqual(part(), { httpOpen: 2, waiting: 1, sqliteInUse: 1, sqliteMax: 8 });
  }
  assert.deepEqual(part(), { httpOpen: 1, waiting: 1, sqliteInUse: 1, sqliteMax: 8 });
});

Deno.test("the request that holds the turn is counted like those that wait", () => {
  const queued = [entry("commit", 2), entry("pause", 1)];
  assert.deepEqual(queuePart({ active: entry("reset", 3), queued }, "own"), {
    active: { kind: "reset", since: "1970-01-01T00:00:01.000000Z", ageSeconds: 3 },
    queued: [
      { kind: "commit", queuedAt: "1970-01-01T00:00:01.000000Z", waitSeconds: 2 },
      { kind: "pause", queuedAt: "1970-01-01T00:00:01.000000Z", waitSeconds: 1 },
    ],
    httpOpen: 3,
    sqliteInUse: 1,
    sqliteMax: 1,
  });
});

Deno.test("work of the server itself is shown, but is no request", () => {
  const { httpOpen, sqliteInUse } = queuePart(
    { active: entry("own"), queued: [entry("optimize")] },
    "own",
  ) as {
    httpOpen: number;
    sqliteInUse: number;
  };
  assert.deepEqual([httpOpen, sqliteInUse], [1, 1]);
  assert.equal(requestCount([entry("own"), entry("commit"), entry("own")], "own"), 1);
});
