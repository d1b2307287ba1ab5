import assert from "node:assert/strict";
import { AuditFailure, demand, Extent, limit } from "../../audit/report.ts";

Deno.test("a long run in which too little happened has failed, and a short one is excused", () => {
  demand("kills", 20, { acknowledged: [5, 5] });
  demand("kills", 19, { acknowledged: [0, 5] });
  assert.throws(() => demand("kills", 20, { rejected: [1, 1], acknowledged: [4, 5] }), (error) => {
    assert.ok(error instanceof AuditFailure);
    assert.match(error.message, /too little was tried:\n {2}- acknowledged: 4, and it must be at least 5$/);
    return true;
  });
  assert.throws(() => demand("kills", 20, { share: [NaN, 1] }), AuditFailure);
});

Deno.test("a long run that was too slow has failed, and a short one is excused", () => {
  limit("failover", 20, { milliseconds: [3000, 3000] });
  limit("failover", 19, { milliseconds: [9000, 3000] });
  assert.throws(() => limit("failover", 20, { milliseconds: [3001, 3000] }), (error) => {
    assert.ok(error instanceof AuditFailure);
    assert.match(error.message, /beyond its limits:\n {2}- milliseconds: 3001, and it must be at most 3000$/);
    return true;
  });
  assert.throws(() => limit("failover", 20, { milliseconds: [NaN, 1] }), AuditFailure);
});

Deno.test("a check ends after so many rounds, or when its time is over", () => {
  const rounds = new Extent({ rounds: 3 });
  assert.deepEqual([rounds.isOver(2), rounds.isOver(3), rounds.left(1)], [false, true, 2]);
  assert.equal(new Extent({ minutes: 0 }).isOver(0), true);
  assert.equal(new Extent({ minutes: 60 }).isOver(1e9), false);
  assert.throws(() => new Extent({}), /neither rounds nor minutes/);
});
