import assert from "node:assert/strict";
import { exploredTest, pressButton, says, textOf } from "./explored.ts";
import { parkedConsumer } from "./parked.ts";

/*
 * The page of consumers in Chromium.
 */

/** The texts of the cells of a table, row by row. */
const ROWS_OF = (table: number): string =>
  `[...document.querySelectorAll(".consumers table")[${table}].tBodies[0].rows]` +
  '.map((row) => [...row.cells].map((cell) => cell.innerText.trim().replace(/\\s+/g, " ")))';

const ACTIVE = 'document.activeElement.ariaLabel ?? document.activeElement.textContent ?? ""';

await exploredTest(
  "consumers are listed, and lead to their partitions, members and parked events",
  {},
  async ({ server, open }) => {
    await using page = await open("/consumers");
    await page.until(says("No consumers"));
    await using _consumer = await parkedConsumer(server, "mail & letters", 201);
    await page.until('document.querySelectorAll(".consumers tbody tr").length === 1');
    await page.until(`${ROWS_OF(0)}[0].join("|") === "mail & letters|by note|0|201|1"`);
    await page.evaluate('document.querySelector(".consumers td a").click()');
    await page.until('location.hash === "#/consumers?consumer=mail+%26+letters"');
    await page.until(says("Done up to"));
    const rows = await page.evaluate<string[][]>(ROWS_OF(0));
    assert.ok(await page.evaluate(says("201 events wait for a decision. The first 200 are shown.")));
    assert.equal(rows.length, 200);
    assert.deepEqual(rows.slice(0, 2).map(([event]) => event), [1, 2].map((i) => `#${i} Noted key "n0"`));
    assert.match(
      rows[0]![1]!,
      /^RangeError: no paper for 1 \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}, 1 attempt$/,
    );
    // The process owns both partitions.
    const partitions = await page.evaluate<string[][]>(ROWS_OF(1));
    assert.deepEqual(partitions.map(([number, , upTo]) => [number, upTo]), [["0", "201"], ["1", "201"]]);
    const member = partitions[0]![1]!;
    assert.match(member, /^\w{10,}$/);
    assert.equal(partitions[1]![1], member);
    assert.ok(await page.evaluate(says(`Members\n${member}`)));
    // An explorer that only reads has no buttons, and says so.
    assert.ok(await page.evaluate(says("start the explorer with --allow-writes")));
    assert.equal(await page.evaluate('document.querySelector(".consumers button")'), null);

    await page.evaluate('document.querySelector(".consumers td a").click()');
    await page.until(`${textOf(".panel-sequence")} === "#1"`);
    assert.deepEqual(page.problems, []);
    await page.evaluate('location.hash = "#/consumers?consumer=none"');
    await page.until(says("There is no consumer none."));
    await server.stop();
    await page.evaluate('location.hash = "#/consumers"');
    await page.until(`${says("The consumers could not be read")} && ${says("does not answer: ")}`);
    assert.equal(await page.evaluate(says('"error"')), false);
  },
);

await exploredTest(
  "by keyboard: a parked event is handled again, another one dropped, once that was confirmed",
  { explorer: { allowWrites: true } },
  async ({ server, open }) => {
    await using consumer = await parkedConsumer(server, "mail", 3);
    await using page = await open("/events");
    await page.until(says("edition A"));
    await page.press("7");
    await page.until('document.querySelectorAll(".consumers tbody tr").length === 1');
    await page.evaluate('document.querySelector(".consumers td a").focus()');
    await page.press("Enter");
    await page.until(says("3 events wait for a decision."));
    const tabTo = async (label: string): Promise<void> => {
      for (let i = 0; i < 40 && await page.evaluate(ACTIVE) !== label; i++) await page.press("Tab");
      assert.equal(await page.evaluate(ACTIVE), label);
    };
    const isAsking = 'document.querySelector(".asking").open';

    // Keys are for the dialog while it is open, and Escape drops nothing.
    await tabTo("Drop #2");
    await page.press("Enter");
    await page.until(`${isAsking} && ${says("Drop event #2?")}`);
    await page.press("1");
    assert.equal(await page.evaluate("location.hash"), "#/consumers?consumer=mail");
    await page.press("Escape");
    await page.until(`!${isAsking}`);
    assert.equal(await page.evaluate(ACTIVE), "Drop #2");
    await page.press("Enter");
    await page.until(isAsking);
    await page.evaluate(
      '[...document.querySelectorAll(".asking button")].find((one) => one.innerText === "Drop").click()',
    );
    await page.until(`${says("1 parked event dropped")} && ${says("2 events wait for a decision.")}`);

    // The handler fails again, and the event is parked with another attempt.
    await tabTo("Retry #1");
    await page.press("Enter");
    await page.until(`${says("1 parked event will be handled again")} && ${says(", 2 attempts")}`);
    assert.notEqual(await page.evaluate("document.activeElement"), null);
    assert.ok(await page.evaluate('document.querySelector(".consumers").contains(document.activeElement)'));
    consumer.repair();
    await page.evaluate(pressButton("Retry all"));
    await page.until(says("None. An event is parked when its handler has failed on every attempt."));
    // The consumer may delete a record between its listing and its read.
    assert.deepEqual(page.problems.filter((problem) => !/404 .*\/parked-\d+-\d+$/.test(problem)), []);
  },
);

await exploredTest(
  "edition B has no consumers",
  { server: { env: { SERVICE_EDITION: "B" } } },
  async ({ open }) => {
    await using page = await open("/consumers");
    await page.until(says("edition B"));
    await page.until('document.title.startsWith("Events")');
    assert.equal(await page.evaluate(says("Consumers")), false);
  },
);
