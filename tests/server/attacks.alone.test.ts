import assert from "node:assert/strict";
import type { Attack, Bounds, Scale } from "../../bench/campaigns/attacks/attack.ts";
import { ATTACKS } from "../../bench/campaigns/attacks/attacks.ts";
import { runAttack } from "../../bench/campaigns/attacks/run_attack.ts";

/*
 * A small share of `deno task campaign:attack`: the server lives, keeps its memory and what it acknowledged, and
 * answers as it should. The limit on how long honest clients wait is generous here, since the machine may be busy.
 */

const SHARE: Scale = { count: (full) => Math.ceil(full / 5), seconds: () => 1 };

const GENEROUS: Bounds = { p50: 50, p99: 1000, healthWorst: 1000 };

const CHOSEN: readonly (readonly [name: string, scale?: Scale])[] = [
  ["800 resets/s before accept"],
  ["C 41 MB to POST /projections, escaped key, empty items (unix)"],
  ["C 50 bodies of 41 MB without their last byte (tcp)", { count: (full) => full, seconds: () => 3 }],
  ["A events.db is a link to nothing"],
  ["A the socket is removed and bound by a second server, the first one stops"],
  ["A events.db* deleted while the server runs"],
  ["A POST /reset from web pages of others, development mode"],
];

function attackOf(name: string): Attack {
  const attack = ATTACKS.find((other) => other.name === name);
  assert.ok(attack !== undefined, `there is no attack ${JSON.stringify(name)}`);
  if (!("run" in attack)) return attack;
  const kept = Object.entries(GENEROUS).filter(([bound]) => bound in attack.bounds);
  return { ...attack, bounds: Object.fromEntries(kept) };
}

Deno.test("every attack has a name of its own", () => {
  assert.equal(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length);
});

for (const [name, scale = SHARE] of CHOSEN) {
  Deno.test(name, async () => {
    const { faults, outcome } = await runAttack(attackOf(name), scale);
    assert.deepEqual(faults, [], outcome);
  });
}
