import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { InProcess, textOf } from "./tx_in_process.ts";

/*
 * The state table of the pause, row by row, run without a server. A row names the first state, the trigger, the number
 * of open transactions, the answer, and the state after it. `tx_sequences.test.ts` plays the table of transactions.
 */

type PauseRow = readonly [
  from: string,
  trigger: "pause" | "resume",
  open: number,
  answer: string,
  to: string,
];

const PAUSE_ROWS: readonly PauseRow[] = [
  ["normal", "pause", 1, "202", "pauseRequested"],
  ["normal", "pause", 0, "200", "paused"],
  ["normal", "resume", 0, "204", "normal"],
  ["pauseRequested", "pause", 1, "202", "pauseRequested"],
  ["pauseRequested", "pause", 0, "200", "paused"],
  ["pauseRequested", "resume", 1, "204", "normal"],
  ["pauseRequested", "resume", 0, "204", "normal"],
  ["paused", "pause", 0, "200", "paused"],
  ["paused", "resume", 0, "204", "normal"],
];

for (const [from, trigger, open, answer, to] of PAUSE_ROWS) {
  Deno.test(`pause: ${from} -> ${trigger}, ${open} open -> ${to}, ${answer}`, async () => {
    using routes = new InProcess();
    const { pause, transactions } = routes.edition;
    const post = async (path: string): Promise<string> => String((await routes.request("POST", path)).status);
    const begun = from === "pauseRequested" || open > 0
      ? await textOf(await routes.request("POST", "/tx"))
      : "";
    if (from !== "normal") await post("/pause");
    if (from !== "normal") assert.equal(await post("/tx"), "503", "no transaction begins");
    if (open === 0 && from === "pauseRequested") {
      await routes.request("DELETE", `/tx/${JSON.parse(begun).txId}`);
    }
    assert.deepEqual([pause.state, transactions.count], [from, open]);
    const since = pause.sinceMicros;
    await delay(2);
    assert.equal(await post(`/${trigger}`), answer);
    assert.equal(pause.state, to);
    assert.equal(pause.sinceMicros === since, from === to, "since when the state holds");
    // Only a pause in place is persisted in the database.
    assert.equal(routes.pausedSinceMicros, to === "paused" ? pause.sinceMicros : undefined);
  });
}

Deno.test("pause: in place -> server restart -> in place, same since; requested -> restart -> normal", () => {
  using kept = new InProcess({ pausedSinceMicros: 1234 });
  assert.deepEqual([kept.edition.pause.state, kept.edition.pause.sinceMicros], ["paused", 1234]);
  using fresh = new InProcess();
  assert.equal(fresh.edition.pause.state, "normal");
});
