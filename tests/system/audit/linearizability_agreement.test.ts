import assert from "node:assert/strict";
import type { LinearizabilityChecker } from "../../../audit/linearizability/checker.ts";
import { translated } from "../../../audit/linearizability/translate.ts";
import { faultsOfOrder } from "../../../audit/order/check_order.ts";
import type { History } from "../../../audit/order/history.ts";
import { recordHistory } from "../../../audit/order/record_history.ts";
import { Random } from "../../../audit/workload/random.ts";
import { ALTERATIONS } from "../../audit/altered_history.ts";
import { BREAKS } from "../../audit/broken_history.ts";
import { madeHistory } from "../../audit/made_history.ts";
import { inDirectory } from "../../support/directory.ts";
import { startServer } from "../../support/server_process.ts";
import { linearizabilityTest } from "./with_checker.ts";

/*
 * Our own checker of an order and Porcupine check the same histories, without exception. Where the two differ, one of
 * them is wrong.
 */

/** @returns whether the history is right, on which both must agree */
async function bothSay(checker: LinearizabilityChecker, history: History, what: string): Promise<boolean> {
  const faults = faultsOfOrder(history);
  const { verdict, account } = await checker.check(translated(history));
  assert.equal(
    verdict,
    faults.length === 0 ? "linearizable" : "violation",
    [what, ...faults, ...account].join("\n"),
  );
  return faults.length === 0;
}

for (const edition of ["A", "B", "C"] as const) {
  await linearizabilityTest(
    `edition ${edition}: both checkers find an order of what a server did, and agree when it is altered`,
    (checker) =>
      inDirectory(async (directory) => {
        await using server = await startServer({
          directory,
          listen: "unix",
          listenOnly: true,
          env: { SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true", SERVICE_MAX_QUEUED_WRITES: "1000" },
        });
        const random = new Random(36);
        const history = await recordHistory(edition, [server], random);
        assert.ok(await bothSay(checker, history, "as recorded"));
        let right = 0;
        let wrong = 0;
        // On a busy machine fewer requests overlap, and fewer alterations make the history wrong.
        for (let i = 0; i < 10 || (i < 40 && (right < 30 || wrong < 50)); i++) {
          for (const [what, alter] of Object.entries(ALTERATIONS)) {
            const other = alter(history, random);
            if (other === undefined) continue;
            if (await bothSay(checker, other, `${what}, ${i}`)) right++;
            else wrong++;
          }
        }
        assert.ok(right >= 30 && wrong >= 50, `${right} right, ${wrong} wrong`);
      }),
  );
}

await linearizabilityTest(
  "both checkers agree on made histories, broken by hand or altered at random",
  async (checker) => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 25; seed++) {
      const random = new Random(seed);
      const history = madeHistory(random, 30 + random.below(40));
      assert.ok(await bothSay(checker, history, `seed ${seed}`));
      for (const [what, change] of Object.entries({ ...BREAKS, ...ALTERATIONS })) {
        const other = change(history, random);
        if (other === undefined) continue;
        const isRight = await bothSay(checker, other, `${what}, seed ${seed}`);
        assert.ok(!isRight || !(what in BREAKS), `${what}, seed ${seed}`);
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
    }
    for (const what of Object.keys({ ...BREAKS, ...ALTERATIONS })) assert.ok(counts.get(what)! > 0, what);
  },
);
