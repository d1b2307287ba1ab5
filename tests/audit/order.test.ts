import assert from "node:assert/strict";
import { faultsOfOrder } from "../../audit/order/check_order.ts";
import { Random } from "../../audit/workload/random.ts";
import { BREAKS } from "./broken_history.ts";
import { madeHistory } from "./made_history.ts";

const HISTORIES = 60;
const BROKEN = 1000;

Deno.test("histories of a store that does everything right have no faults", () => {
  let conflicts = 0;
  let reads = 0;
  for (let seed = 0; seed < HISTORIES; seed++) {
    const history = madeHistory(new Random(seed), 60);
    assert.deepEqual(faultsOfOrder(history), [], `seed ${seed}`);
    conflicts += history.calls.filter((call) =>
      call.kind === "write" && call.outcome.kind === "conflict"
    ).length;
    reads += history.calls.filter((call) => call.kind === "read" && call.sequences.length > 0).length;
  }
  assert.ok(conflicts > HISTORIES && reads > HISTORIES * 5, `${conflicts} conflicts, ${reads} reads`);
});

Deno.test(`${BROKEN} histories that were broken by hand are all rejected`, () => {
  const counts = new Map<string, number>();
  const kinds = Object.entries(BREAKS);
  for (let seed = 0, broken = 0; broken < BROKEN; seed++) {
    const random = new Random(seed);
    const history = madeHistory(random, 30 + random.below(40));
    for (const [what, break_] of kinds) {
      const wrong = break_(history, random);
      if (wrong === undefined) continue;
      assert.notDeepEqual(faultsOfOrder(wrong), [], `${what}, seed ${seed}`);
      counts.set(what, (counts.get(what) ?? 0) + 1);
      broken++;
    }
  }
  for (const [what] of kinds) assert.ok((counts.get(what) ?? 0) >= 10, `${what}: ${counts.get(what)}`);
});
