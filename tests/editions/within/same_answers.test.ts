import assert from "node:assert/strict";
import { contractA } from "../contract/a.ts";
import { contractB } from "../contract/b.ts";
import { contractC } from "../contract/c.ts";
import { Pair } from "./pair.ts";
import { STEPS } from "./steps.ts";

/*
 * A token with `within` gets the answers of a store that the events of others never were in, byte for byte, apart from
 * sequences, times and IDs. Random requests go to two such stores.
 */

const STEPS_MAX = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 2000 : 150;

for (const edition of [contractA, contractB, contractC]) {
  Deno.test(`edition ${edition.name}: a token with within cannot tell that there are events of others`, async () => {
    await Pair.with(edition, async (pair) => {
      const { random } = pair;
      for (let i = 0; i < STEPS_MAX; i++) {
        if (random.isLucky(2)) await pair.others();
        if (random.isLucky(10)) await pair.sharedEvent();
        await random.one(STEPS[edition.name])(pair);
      }
      // Every other request there is. A begun ticket would keep the others waiting.
      for (const [target, methods] of edition.paths) {
        for (const method of methods) {
          if (target !== "/begin") await pair.same(method, target, () => ({}));
        }
      }
      assert.ok(pair.alone.count > 50 && pair.shared.after(pair.alone.count, 0) > 2 * pair.alone.count);
    });
  });
}
