import assert from "node:assert/strict";
import { exploredTest, ROWS, says, SEQUENCES, textOf, write } from "./explored.ts";

/*
 * The contents of the store, on the left of the events, in Chromium.
 */

const CATALOG = '[...document.querySelectorAll(".catalog li")].map((item) => item.innerText.split("\\n"))';

/** The computed colours of the marks that a selector finds, each once. */
const colorsOf = (selector: string): string =>
  `[...new Set([...document.querySelectorAll(${JSON.stringify(selector)})]` +
  ".map((mark) => getComputedStyle(mark).backgroundColor))]";

function pressItem(name: string): string {
  return `[...document.querySelectorAll(".catalog button")]` +
    `.find((item) => item.innerText.startsWith(${JSON.stringify(name)})).click()`;
}

await exploredTest(
  "the types and identifiers of a store are on the left, with their counts; a press filters",
  {},
  async ({ server, open }) => {
    const order = { type: "OrderPlaced", identifiers: { order: "o1", customer: "Ada" }, payload: "" };
    const shipped = { type: "OrderShipped", identifiers: { order: "o1" }, payload: "" };
    await write(server, shipped, ...Array.from({ length: 80 }, () => order));
    await write(server, ...Array.from({ length: 60 }, () => order));
    await using page = await open("/events", { width: 1280 });
    await page.until(`${ROWS} > 5`);
    assert.deepEqual(await page.evaluate(CATALOG), [
      ["OrderPlaced", "140"],
      ["OrderShipped", "1"],
      ["order", "141"],
      ["customer", "140"],
    ]);
    assert.equal(await page.evaluate(textOf(".catalog summary")), "141 events");
    await page.until(says("100 of 141 events"));

    // A type has the same colour everywhere, and another one than other types.
    const [placed, ...others] = await page.evaluate<string[]>(colorsOf(".row .type-mark"));
    assert.deepEqual(others, []);
    await page.evaluate(pressItem("OrderShipped"));
    await page.until('location.hash === "#/events?type=OrderShipped"');
    await page.until(`${SEQUENCES}.join() === "1"`);
    const [blue] = await page.evaluate<string[]>(colorsOf(".row .type-mark"));
    const colors = JSON.stringify([placed, blue]);
    await page.until(`JSON.stringify(${colorsOf(".catalog .type-mark")}) === ${JSON.stringify(colors)}`);
    assert.notEqual(placed, blue);
    await page.evaluate('document.querySelector(".row-sequence").click()');
    await page.until(`${textOf(".panel h2")} === "OrderShipped"`);
    assert.deepEqual(await page.evaluate(colorsOf(".panel .type-mark")), [blue]);

    // A second press ends the filter. An identifier needs a value, which the field suggests.
    await page.evaluate(pressItem("OrderShipped"));
    await page.until('!location.hash.includes("type=")');
    await page.evaluate(pressItem("customer"));
    await page.until('document.activeElement.value === "customer="');
    await page.press("Enter");
    await page.until('location.hash.includes("tag=customer%3DAda")');

    // New types appear by themselves.
    await write(server, { type: "OrderPaid", identifiers: {}, payload: "" });
    await page.until(`${CATALOG}.some(([name, count]) => name === "OrderPaid" && count === "1")`);
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest(
  "on a phone the contents are one line above the list, and open at a press",
  {},
  async ({ server, open }) => {
    await write(server, { type: "OrderPlaced", identifiers: { order: "o1" }, payload: "" });
    await using page = await open("/events", { width: 390, height: 800 });
    await page.until(`${ROWS} === 1`);
    assert.equal(await page.evaluate('document.querySelector(".catalog").open'), false);
    await page.evaluate('document.querySelector(".catalog summary").click()');
    await page.until(`${CATALOG}.length === 2`);
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
    assert.deepEqual(page.problems, []);
  },
);
