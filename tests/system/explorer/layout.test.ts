import assert from "node:assert/strict";
import { join } from "node:path";
import { openWriter, storeWrite, writeNow } from "../../../bench/fill_store.ts";
import { initStore } from "../../../src/store/sqlite/data_directory/create_database.ts";
import { exploredTest, pressButton, ROWS, textOf, write } from "./explored.ts";

/*
 * The layout of the events on a phone and on a wide screen.
 */

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };

const UUID = "0192f6a1-7c3e-7b5d-9a4f-".padEnd(80, "0123456789abcdef");
const LONG = {
  type: "OrderMerged",
  identifiers: { order: UUID, [`name-${UUID}`]: "v" },
  metadata: { by: UUID },
  payload: JSON.stringify({ order: UUID, [UUID]: UUID }),
};

/** The elements that are wider than the screen, or that scroll sideways. The tabs and wide tables do so on purpose. */
const TOO_WIDE = `[...document.querySelectorAll("body *")].filter((element) => {
  if (element.closest("nav, .table-part, svg, .choices, .unseen") !== null) return false;
  const { left, right, width } = element.getBoundingClientRect();
  if (width === 0 || !element.checkVisibility()) return false;
  const scrolls = ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  if (scrolls && element.scrollWidth > element.clientWidth) return true;
  const isCut = element.parentElement?.closest(".row, .tag, .chip, .catalog-name, .row-tags") !== null;
  return !isCut && (left < -0.5 || right > innerWidth + 0.5);
}).map((element) => element.outerHTML.slice(0, 150))`;

await exploredTest("on a phone nothing is wider than the screen, whatever a tag holds", {}, async ({
  server,
  open,
}) => {
  await write(server, LONG, LONG);
  const projection = { type: UUID, id: UUID, payload: LONG.payload };
  await server.client().request("POST", "/write", { json: { projections: { create: [projection] } } });
  const tag = encodeURIComponent(`order=${UUID}`);
  const views = [
    ["/events", `${ROWS} === 2`],
    [`/events?tag=${tag}&type=OrderMerged`, `${ROWS} === 2`],
    [`/events?tag=${tag}&or=&type=${UUID}`, `${ROWS} === 2`],
    ["/events?open=1", `${textOf(".panel h2")} === "OrderMerged"`],
    [`/trace?trace=${tag}`, 'document.querySelectorAll(".story-item").length === 2'],
    ["/projections", 'document.querySelectorAll("tbody tr").length === 1'],
    [`/projections?projection=${UUID}&id=${UUID}`, 'document.querySelector(".json-key") !== null'],
    ["/health", 'document.querySelectorAll(".tile").length > 3'],
  ] as const;
  for (const width of [390, 320]) {
    await using page = await open("/events", { ...PHONE, width });
    const start = (await page.evaluate<string>("location.href")).split("#")[0];
    for (const [view, ready] of views) {
      await page.goTo(`${start}#${view}`);
      await page.until(ready);
      for (const press of ["", '.more-tools[aria-expanded="false"]', ".catalog:not([open]) summary"]) {
        if (press !== "") await page.evaluate(`document.querySelector('${press}')?.click()`);
        assert.deepEqual(await page.evaluate(TOO_WIDE), [], `${view} at ${width}, ${press}`);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, view);
      }
    }
    assert.deepEqual(page.problems, []);
  }
});

/** The texts of the elements that take more than one line. */
const BROKEN = (selector: string): string =>
  `[...document.querySelectorAll("${selector}")].filter((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getClientRects().length !== 1;
}).map(({ textContent }) => textContent)`;

await exploredTest("on a phone, tabs, dates and times take one line, and heads keep a distance", {}, async ({
  server,
  open,
}) => {
  await write(server, LONG);
  const projection = { type: UUID, id: UUID, payload: "" };
  await server.client().request("POST", "/write", { json: { projections: { create: [projection] } } });
  const failIfEventsMatch = [{ identifiers: [{ name: "order", value: UUID }] }];
  const write409 = { conditions: [{ failIfEventsMatch }], events: [LONG] };
  assert.equal((await server.client().request("POST", "/write", { json: write409 })).status, 409);
  await using page = await open("/conflicts", PHONE);
  await page.until('document.querySelectorAll(".conflicts time").length === 1');
  assert.deepEqual(await page.evaluate(BROKEN(".tab, .conflicts time span")), []);
  assert.equal(await page.evaluate('document.querySelectorAll(".conflicts time span").length'), 2);
  await page.evaluate('location.hash = "#/projections"');
  await page.until('document.querySelectorAll("tbody tr .link").length === 1');
  const gap = `(() => {
    const [size, behind] = [...document.querySelectorAll("th.number")].map((head) => {
      const range = document.createRange();
      range.selectNodeContents(head);
      return range.getBoundingClientRect();
    });
    return behind.left - size.right;
  })()`;
  assert.ok(await page.evaluate<number>(gap) >= 8, `${await page.evaluate(gap)}`);
  assert.deepEqual(page.problems, []);
});

/** The distance of the first row from the top of the screen. */
const TOP = 'document.querySelector(".row").getBoundingClientRect().top';

const IS_SHOWN = (selector: string): string =>
  `document.querySelector(${JSON.stringify(selector)}).checkVisibility()`;

await exploredTest(
  "on a phone the rows begin in the upper third, and the tools are behind a button",
  { explorer: { allowWrites: true } },
  async ({
    server,
    open,
  }) => {
    await write(server, LONG, { type: "Other", payload: "" });
    const tag = encodeURIComponent(`order=${UUID}`);
    await using page = await open(`/events?tag=${tag}`, PHONE);
    await page.until(`${ROWS} === 1 && document.querySelectorAll(".bar").length > 0`);
    assert.ok(await page.evaluate<number>(TOP) <= PHONE.height / 3, `${await page.evaluate(TOP)}`);
    assert.equal(await page.evaluate(IS_SHOWN(".position")), false);
    await page.evaluate(pressButton("More"));
    assert.equal(await page.evaluate(IS_SHOWN(".position")), true);
    assert.equal(await page.evaluate('document.querySelector(".more-tools").ariaExpanded'), "true");
    // A hidden tool that limits the list marks the button.
    const isMarked = 'document.querySelector(".more-tools").classList.contains("in-use")';
    assert.equal(await page.evaluate(isMarked), false);
    await page.evaluate('location.hash = "#/events?order=oldest"');
    await page.until(`${ROWS} === 2 && ${isMarked}`);
    await page.size(WIDE);
    assert.equal(await page.evaluate(IS_SHOWN(".more-tools")), false);
    assert.equal(await page.evaluate(IS_SHOWN(".position")), true);
  },
);

/** A store with an event of 2001. */
async function oldEvent(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  const writer = openWriter(initStore(join(directory, "data")).path);
  const event = { type: "Old", identifiers: [], metadata: [], payload: "" };
  writeNow(writer, storeWrite([event], 1000 * Date.parse("2001-02-03T12:00:00Z")));
  writer.close();
  return directory;
}

await exploredTest("a phone shows the date of each row when days differ", {
  directory: oldEvent,
}, async ({ server, open }) => {
  await write(server, { type: "New", payload: "" });
  await using page = await open("/events", PHONE);
  await page.until(`${ROWS} === 2`);
  const timeOfRow = (n: number): Promise<string> =>
    page.evaluate(`document.querySelectorAll(".row-time")[${n}].innerText`);
  // This year is left out.
  assert.match(await timeOfRow(0), /^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
  assert.equal(await timeOfRow(1), "2001-02-03 12:00:00.000");
  await page.evaluate('location.hash = "#/events?type=New"');
  await page.until(`${ROWS} === 1`);
  assert.match(await timeOfRow(0), /^\d\d:\d\d:\d\d\.\d{3}$/);
  // Of one day, but not of today.
  await page.evaluate('location.hash = "#/events?type=Old"');
  await page.until(`${ROWS} === 1 && ${textOf(".row-type")} === "Old"`);
  assert.equal(await timeOfRow(0), "2001-02-03 12:00:00.000");
});

const ORDER = {
  type: "OrderPlaced",
  identifiers: { customer: "margaret", order: "0192f6a1-7c3e-7b5d-9a4f-0123456789ab" },
  metadata: { by: "worker" },
  payload: '{"total":84.5,"currency":"EUR","lines":3}',
};

/** The left edges of a column, each once. */
const EDGES = (column: string): string =>
  `[...new Set([...document.querySelectorAll("${column}")].map((cell) => cell.getBoundingClientRect().left))]`;

/** The cells that show less than they hold. The last pixels of a column of tags fade out. */
const CUT = `[...document.querySelectorAll(".row-type, .row-tags, .row-tags .tag-value")].filter((cell) =>
  cell.scrollWidth > cell.clientWidth).map((cell) => cell.className)`;

await exploredTest(
  "on a wide screen columns are as wide as their texts, aligned, and can be chosen",
  {},
  async ({
    server,
    open,
  }) => {
    const short = { type: "Paid", identifiers: { order: "o1" }, payload: "1" };
    await write(server, ORDER, short, { ...ORDER, type: "OrderDelivered" });
    await using page = await open("/events", WIDE);
    await page.until(`${ROWS} === 3`);
    assert.deepEqual(await page.evaluate(CUT), []);
    for (const column of [".row-type", ".row-tags", ".row-payload"]) {
      assert.equal((await page.evaluate<number[]>(EDGES(column))).length, 1, column);
    }
    const press = (label: string): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll(".columns label")].find(({ innerText }) => innerText === "${label}").click()`,
      );
    await page.evaluate('document.querySelector(".columns summary").click()');
    for (const label of ["Time", "Metadata", "Payload"]) await press(label);
    const cells = '[...document.querySelectorAll(".row")].map((row) => row.innerText.split("\\n").join(" "))';
    await page.until(
      `${ROWS} === 3 && document.querySelector(".row-time, .row-payload, .row .metadata") === null`,
    );
    assert.equal((await page.evaluate<string[]>(cells))[1], "2 Paid order:o1".replace(":", " "));
    // The browser remembers it.
    await page.goTo(`${(await page.evaluate<string>("location.href")).replace("/#", "/?again#")}`);
    await page.until(`${ROWS} === 3`);
    assert.equal(
      await page.evaluate('document.querySelector(".row-time, .row-payload, .row .metadata")'),
      null,
    );
    await page.evaluate(pressButton("Show all"));
    await page.until('document.querySelectorAll(".row-time, .row-payload, .row .metadata").length === 8');
    assert.deepEqual(page.problems, []);
  },
);

/** The colour behind the page. */
const GROUND = "getComputedStyle(document.body).backgroundColor";

await exploredTest(
  "the theme is that of the system, or a chosen one, which the browser remembers",
  {},
  async ({
    open,
  }) => {
    await using page = await open("/health", { scheme: "light" });
    const press = '.theme[aria-label^="Theme: ';
    await page.until(`document.querySelector('${press}system') !== null`);
    const light = await page.evaluate(GROUND);
    await page.size({ scheme: "dark" });
    const dark = await page.evaluate(GROUND);
    assert.notEqual(dark, light);
    // On a dark system: light, then dark, then that of the system.
    await page.evaluate(`document.querySelector('${press}system').click()`);
    assert.equal(await page.evaluate(GROUND), light);
    const again = (await page.evaluate<string>("location.href")).replace("/#", "/?again#");
    await page.goTo(again);
    await page.until(`document.querySelector('${press}light') !== null`);
    assert.equal(await page.evaluate(GROUND), light);
    await page.evaluate(`document.querySelector('${press}light').click()`);
    await page.size({ scheme: "light" });
    assert.equal(await page.evaluate(GROUND), dark);
    await page.evaluate(`document.querySelector('${press}dark').click()`);
    assert.equal(await page.evaluate(GROUND), light);
    assert.equal(await page.evaluate('localStorage.getItem("explorer-theme")'), null);
    assert.deepEqual(page.problems, []);
  },
);
