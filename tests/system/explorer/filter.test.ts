import assert from "node:assert/strict";
import { pause } from "../../support/eventually.ts";
import { exploredTest, pressButton, ROWS, SEQUENCES, textOf, write } from "./explored.ts";

/*
 * The filter in Chromium: alternatives, and their effect, also together with a time.
 */

/** Stores copied text in `copied`. */
const WATCH_CLIPBOARD = `
  navigator.clipboard.writeText = (text) => {
    globalThis.copied = text;
    return Promise.resolve();
  };
  undefined`;

/** Events of three types. Every tenth event is of order o3. */
const events = Array.from({ length: 60 }, (_, i) => ({
  type: ["OrderPlaced", "OrderPaid", "OrderShipped"][i % 3],
  identifiers: { order: `o${i % 10}` },
  payload: "{}",
}));

/** The sequences of shipped events and of order o3, the newest first. */
const WANTED = events.map((_, i) => i).filter((i) => i % 3 === 2 || i % 10 === 3).map((i) => i + 1).reverse();

await exploredTest(
  "a filter of alternatives, by keyboard alone: rows, link, timeline, live tail, and what is copied",
  {},
  async ({ server, explorer, open }) => {
    await write(server, ...events);
    await using page = await open("/events", { height: 1600 });
    await page.until(`${ROWS} > 5`);
    await page.evaluate(WATCH_CLIPBOARD);
    await page.press("/");
    await page.type("OrderShipped");
    await page.press("Enter");
    await page.until('location.hash === "#/events?type=OrderShipped"');
    // An alternative that is begun and removed changes nothing.
    await page.press("|");
    await page.until('document.querySelector(".or") !== null');
    assert.equal(await page.evaluate("document.activeElement.placeholder"), "a type, or a tag");
    await page.press("Backspace");
    await page.until('document.querySelector(".or") === null');
    await page.press("|");
    await page.type("order=o3");
    await page.press("Enter");
    const link = "#/events?type=OrderShipped&or=&tag=order%3Do3";
    await page.until(`location.hash === ${JSON.stringify(link)}`);
    await page.until(`${ROWS} === ${WANTED.length}`);
    assert.deepEqual(await page.evaluate(SEQUENCES), WANTED);
    await page.until(`${textOf(".timeline-caption")}.startsWith("${WANTED.length} events")`);
    assert.equal(
      await page.evaluate('document.activeElement.getAttribute("aria-label")'),
      "Filter by type or tag, alternative 2",
    );

    // The live tail has the events of either alternative, and no others.
    await write(server, events[0], events[3], events[1], events[2]);
    await page.until(`${ROWS} === ${WANTED.length + 2}`);
    assert.deepEqual((await page.evaluate<number[]>(SEQUENCES)).slice(0, 2), [64, 62]);

    await page.evaluate(pressButton("Query"));
    await page.until('globalThis.copied?.startsWith("[")');
    assert.deepEqual(JSON.parse(await page.evaluate("copied")), [
      { types: ["OrderShipped"] },
      { identifiers: [{ name: "order", value: "o3" }] },
    ]);

    // The address alone shows the same. A part of the filter can be removed.
    await page.goTo(`http://127.0.0.1:${explorer.port}/?again${link}`);
    await page.until(`${ROWS} === ${WANTED.length + 2}`);
    await page.evaluate('document.querySelector("[aria-label=\\"Remove alternative 1\\"]").click()');
    await page.until('location.hash === "#/events?tag=order%3Do3"');
    await page.until(`${ROWS} === 7`);
    await page.press("Backspace");
    await page.until('location.hash === "#/events"');
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest(
  "a brushed time is in the copied query, and the timeline counts the events of the list",
  {},
  async ({ server, open }) => {
    await write(server, ...events.slice(0, 20));
    const { text } = await server.client().request("QUERY", "/events", {
      json: { query: "*", limit: 1, backwards: true },
    });
    const last = Date.parse(JSON.parse(text.split("\n")[0]!).time);
    while (Date.now() <= last + 20) await pause(5);
    await write(server, ...events.slice(20, 50));
    const from = new Date(last + 1).toISOString();
    await using page = await open(`/events?type=OrderPaid&from=${from}`);
    await page.until(`${ROWS} === 10`);
    await page.until(`${textOf(".timeline-caption")}?.startsWith("10 events")`);
    await page.evaluate(WATCH_CLIPBOARD);
    await page.evaluate(pressButton("curl"));
    await page.until('globalThis.copied?.startsWith("curl")');
    assert.ok((await page.evaluate<string>("copied")).includes('"afterSequence":20'));
    await page.evaluate(pressButton("TypeScript"));
    await page.until('globalThis.copied?.includes("{ after: 20 }")');
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest(
  "Enter takes the first suggestion; a word that matches nothing says what would",
  {},
  async ({ server, open }) => {
    await write(server, ...events.slice(0, 30));
    const start = "#/events?type=OrderPlaced";
    await using page = await open(start.slice(1));
    await page.until(`${ROWS} === 10`);
    const clear = (): Promise<void> => page.evaluate('document.querySelector("#filter").select()');
    const enter = async (text: string): Promise<void> => {
      await clear();
      await page.type(text);
      await page.press("Enter");
    };
    const says = (message: string): Promise<void> =>
      page.until(`${textOf("#filter-problem")} === ${JSON.stringify(message)}`);
    await page.press("/");
    await enter("OrderPlacd");
    await says('no type "OrderPlacd"; did you mean OrderPlaced?');
    await enter("ordr");
    await says('no type "ordr"; did you mean order=...?');
    await enter("ordr=o1");
    await says('no identifier "ordr=o1"; did you mean order=o1?');
    await enter("=o1");
    await says("a tag is name=value; @name=value for metadata");
    await clear();
    await page.type("Ord");
    assert.equal(
      await page.evaluate("document.activeElement.getAttribute('aria-activedescendant')"),
      "filter-0",
    );
    // With the list closed, Enter takes the text.
    await page.press("Escape");
    await page.press("Enter");
    await says('no type "Ord"; did you mean OrderPlaced?');
    await enter("Refunded");
    await says('no event has the type "Refunded"');
    assert.equal(await page.evaluate("location.hash"), start);

    // The user may insist, and the store has a type that the page has not seen.
    await page.press("Enter");
    await page.until(`location.hash === "${start}&type=Refunded"`);
    await enter("OrderPaid");
    await page.until(`location.hash === "${start}&type=Refunded&type=OrderPaid"`);
    assert.equal(await page.evaluate('document.querySelector("#filter-choices").hidden'), true);
    await enter("o3");
    await page.until('location.hash.endsWith("&tag=order%3Do3")');
    assert.equal(await page.evaluate(textOf("#filter-problem")), "");
    assert.deepEqual(page.problems, []);
  },
);
