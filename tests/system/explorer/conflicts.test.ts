import assert from "node:assert/strict";
import { exploredTest, says, SEQUENCES, textOf, write } from "./explored.ts";

/*
 * The page of rejected writes in Chromium.
 */

const ROWS_OF = (table: number): string =>
  `[...document.querySelectorAll(".conflicts table")[${table}].querySelectorAll("tbody tr")]` +
  ".map((row) => [...row.cells].map((cell) => cell.innerText.trim()))";

await exploredTest(
  "rejected writes show which rule is contended, what they asked for, and what broke it",
  {},
  async ({ server, open }) => {
    await using page = await open("/conflicts");
    await page.until(says("No conflicts"));
    const seat = (id: string): unknown => ({
      conditions: [{
        failIfEventsMatch: [{ types: ["SeatTaken"], identifiers: [{ name: "seat", value: id }] }],
      }],
      events: [{ type: "SeatTaken", identifiers: { seat: id }, payload: "" }],
    });
    const take = async (id: string): Promise<number> =>
      (await server.client().request("POST", "/write", { json: seat(id) })).status;
    await write(server, { type: "ShowPlanned", identifiers: {}, payload: "" });
    assert.deepEqual([await take("s1"), await take("s1"), await take("s2"), await take("s2")], [
      200,
      409,
      200,
      409,
    ]);
    await page.until(says("Contended rules"));
    assert.deepEqual(await page.evaluate(ROWS_OF(0)), [["SeatTaken", "no SeatTaken of the same seat", "2"]]);
    const [[, type, count]] = await page.evaluate<string[][]>(ROWS_OF(1)) as [string[]];
    assert.deepEqual([type, count], ["SeatTaken", "2"]);
    const rows = await page.evaluate<string[][]>(ROWS_OF(2));
    assert.deepEqual(rows.map((row) => row.slice(1)), [
      ["SeatTaken", "SeatTaken seat=s2", "#3"],
      ["SeatTaken", "SeatTaken seat=s1", "#2"],
    ]);
    assert.match(rows[0]![0]!, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);

    // The links lead to the events of the condition, and to the one that broke it.
    await page.evaluate('document.querySelector(".conflicts a[href*=s1]").click()');
    await page.until('location.hash.startsWith("#/events?type=SeatTaken&tag=seat%3Ds1")');
    await page.until(`${SEQUENCES}.join() === "2"`);
    await page.evaluate("history.back()");
    await page.until(says("Contended rules"));
    await page.evaluate('document.querySelector(".conflicts a[href*=\\"open=3\\"]").click()');
    await page.until(`${textOf(".panel h2")} === "SeatTaken"`);
    assert.deepEqual(page.problems, []);
  },
);
