import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { exploredTest, pressButton, ROWS, says, SEQUENCES, textOf, write } from "./explored.ts";

/*
 * The list of events in Chromium.
 */

const events = Array.from({ length: 250 }, (_, i) => ({
  type: ["OrderPlaced", "OrderShipped"][i % 2],
  identifiers: { order: `o${i % 10}`, customer: "Ada" },
  metadata: { by: i === 7 ? "phone" : "web" },
  payload: JSON.stringify({ n: i + 1 }),
}));

await exploredTest(
  "events are listed, filtered, opened, and each state is a link",
  {},
  async ({ server, explorer, open }) => {
    for (let i = 0; i < 250; i += 50) await write(server, ...events.slice(i, i + 50));
    await using page = await open();
    await page.until(`${ROWS} > 5`);
    assert.equal((await page.evaluate<number[]>(SEQUENCES))[0], 250);
    assert.ok(!(await page.evaluate<string>("location.href")).includes("key"));
    await page.until('document.querySelectorAll(".timeline-bars rect").length > 0');
    await page.until(says("250 events"));

    // By typing, with a suggestion; then by a tag of a row.
    await page.press("/");
    await page.type("ordersh");
    await page.until('document.querySelectorAll(".choices [role=option]").length === 1');
    await page.press("ArrowDown");
    await page.press("Enter");
    await page.until('location.hash === "#/events?type=OrderShipped"');
    await page.until(`${SEQUENCES}.length > 0 && ${SEQUENCES}.every((sequence) => sequence % 2 === 0)`);
    await page.evaluate(
      '[...document.querySelectorAll(".row .tag")].find((tag) => tag.textContent === "ordero3").click()',
    );
    await page.until(`${says("25 events")} && ${SEQUENCES}[0] === 244`);
    assert.equal(await page.evaluate("location.hash"), "#/events?type=OrderShipped&tag=order%3Do3");

    // The opened event; a tag of it.
    await page.evaluate('document.querySelector(".row-sequence").click()');
    await page.until(`${textOf(".panel h2")} === "OrderShipped"`);
    assert.equal(await page.evaluate(textOf(".panel .payload")), '{\n  "n": 244\n}');
    await page.until('location.hash.endsWith("&open=244")');
    await page.evaluate('document.querySelector(".panel .metadata").click()');
    await page.until('location.hash.includes("%40by%3Dweb")');

    // The address alone shows the same in another page; going back works.
    const link = await page.evaluate<string>("location.href");
    await page.evaluate("history.back()");
    await page.until('!location.hash.includes("%40by")');
    await page.goTo(link);
    await page.until(`${textOf(".panel h2")} === "OrderShipped"`);
    await page.goTo(`http://127.0.0.1:${explorer.port}/#/events?order=oldest&at=100`);
    await page.until(`${SEQUENCES}[0] === 100 && ${SEQUENCES}[1] === 101`);
    await page.goTo(`http://127.0.0.1:${explorer.port}/#/events?at=100`);
    await page.until(`${SEQUENCES}[0] === 100 && ${SEQUENCES}[1] === 99`);
    await page.goTo(`http://127.0.0.1:${explorer.port}/#/events?type=Nothing`);
    await page.until(says("Nothing matches"));
    await page.evaluate(pressButton("Show everything"));
    await page.until(`${ROWS} > 5`);
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest(
  "new events appear by themselves, unless the list is paused or scrolled down",
  {},
  async ({ server, open }) => {
    await write(server, ...events.slice(0, 100));
    await using page = await open();
    await page.until(`${SEQUENCES}[0] === 100`);
    await write(server, events[0]);
    await page.until(`${SEQUENCES}[0] === 101`);
    await page.press("p");
    await page.until(says("Paused"));
    await write(server, events[0]);
    await delay(1000);
    assert.equal((await page.evaluate<number[]>(SEQUENCES))[0], 101);
    await page.press("p");
    await page.until(`${SEQUENCES}[0] === 102`);
    await page.evaluate('document.querySelector(".list").scrollTop = 1000');
    await page.until(`${SEQUENCES}[0] < 102`);
    await write(server, events[0], events[1]);
    await page.until(says("2 new"));
    await page.evaluate('document.querySelector(".fresh").click()');
    await page.until(`${SEQUENCES}[0] === 104`);
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest(
  "a brush over the timeline narrows the list to that time",
  {},
  async ({ server, open }) => {
    await write(server, ...events.slice(0, 50));
    await delay(1500);
    await write(server, ...events.slice(0, 30));
    await using page = await open();
    await page.until('document.querySelectorAll(".timeline-bars rect").length > 1');
    const { left, width, top } = await page.evaluate<Record<string, number>>(
      '(({left, width, top}) => ({left, width, top}))(document.querySelector(".timeline-plot").getBoundingClientRect())',
    );
    await page.drag([left! + 2, top! + 20], [left! + width! / 2, top! + 20]);
    await page.until('location.hash.includes("from=") && location.hash.includes("before=")');
    await page.until(`${says("50 events")} && ${SEQUENCES}[0] === 50`);
    await page.evaluate(pressButton("Whole store"));
    await page.until(`${SEQUENCES}[0] === 80`);
    assert.deepEqual(page.problems, []);
  },
);

/** Everything that a payload, a type or a tag could do to a page. */
const HOSTILE = [
  "<script>globalThis.hacked = 1</script>",
  '<img src=x onerror="globalThis.hacked = 1">',
  '"><svg/onload=globalThis.hacked=1>',
  "javascript:globalThis.hacked=1",
  "{{globalThis.hacked = 1}}${globalThis.hacked = 1}",
  "\u202egnp.exe\u2066 \0 \u001b[31m \ufeff",
  "x".repeat(64 * 1024),
  `{"<b>": "${"</pre><script>globalThis.hacked = 1</script>".repeat(20)}"}`,
  "[".repeat(5000) + "]".repeat(5000),
];

await exploredTest("stored text is shown as text, whatever it is", {
  server: { env: { SERVICE_MAX_EVENT_SIZE: "200000" } },
}, async ({ server, open }) => {
  for (const text of HOSTILE) {
    const short = text.slice(0, 200);
    await write(server, {
      type: short,
      identifiers: { [short]: short },
      metadata: { [short]: [short, "constructor"], constructor: "__proto__" },
      payload: text,
    });
  }
  await using page = await open();
  await page.until(`${ROWS} === ${HOSTILE.length}`);
  for (let i = 1; i <= HOSTILE.length; i++) {
    await page.goTo(`${(await page.evaluate<string>("location.href")).split("#")[0]}#/events?open=${i}`);
    await page.until(`${textOf(".panel-sequence")} === "#${i}" && ${textOf(".panel .payload")}.length > 0`);
  }
  // The field of suggestions, the story, and what is read back.
  await page.press("/");
  await page.type("script");
  await page.until('document.querySelectorAll(".choices [role=option]").length > 0');
  await page.press("ArrowDown");
  await page.press("Enter");
  await page.until(`${ROWS} >= 1`);
  await page.evaluate('document.querySelector(".trace-link").click()');
  await page.until('document.querySelectorAll(".story-item").length >= 1');
  const made = await page.evaluate(
    'document.querySelectorAll("main script, main img, main svg[onload], main iframe, main b").length',
  );
  assert.equal(made, 0);
  assert.equal(await page.evaluate("globalThis.hacked"), undefined);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  assert.deepEqual(page.problems, []);
});
