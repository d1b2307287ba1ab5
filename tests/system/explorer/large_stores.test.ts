import assert from "node:assert/strict";
import { join } from "node:path";
import { openWriter, storeWrite, writeNow } from "../../../bench/fill_store.ts";
import { SampleEvents } from "../../../bench/sample_events.ts";
import { initStore } from "../../../src/store/sqlite/data_directory/create_database.ts";
import { exploredTest, ROWS, says, SEQUENCES, textOf, write } from "./explored.ts";

/*
 * Stores that the page can read only in part: many events, and large ones.
 */

const MANY = 20_000;

/** A store of many events, over three days. */
async function manyEvents(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  const writer = openWriter(initStore(join(directory, "data")).path);
  const sample = new SampleEvents(MANY, 1);
  const start = Date.now() - 3 * 86_400_000;
  for (let i = 0; i < MANY; i += 100) {
    writeNow(writer, storeWrite(sample.events(100), 1000 * Math.floor(start + 3 * 86_400_000 * i / MANY)));
  }
  writer.close();
  return directory;
}

await exploredTest("of many events, few are read and only those in sight are in the document", {
  directory: manyEvents,
}, async ({ open }) => {
  await using page = await open();
  await page.evaluate("performance.setResourceTimingBufferSize(10_000)");
  await page.until('document.querySelectorAll(".timeline-bars rect").length > 50');
  await page.until(says("20,000 events"));
  const requests = await page.evaluate<number>('performance.getEntriesByType("resource").length');
  assert.ok(requests < 500, `${requests} requests`);
  const bytes = await page.evaluate<number>(
    'performance.getEntriesByType("resource").reduce((sum, { transferSize }) => sum + transferSize, 0)',
  );
  assert.ok(bytes < 1_000_000, `${bytes} bytes`);
  for (let i = 0; i < 5; i++) {
    await page.until(
      '(({ scrollTop, scrollHeight }) => scrollHeight > scrollTop + 3000)(document.querySelector(".list"))',
    );
    await page.evaluate('document.querySelector(".list").scrollBy(0, 1e9)');
    await page.until(`${ROWS} > 5`);
    assert.ok(await page.evaluate<number>('document.querySelectorAll("*").length') < 1500);
  }
  assert.ok(await page.evaluate<number>(`${SEQUENCES}[0]`) < MANY - 500);
  assert.deepEqual(page.problems, []);
});

/** True while the timeline shows that its content belongs to another filter. */
const IS_BUSY = 'document.querySelector(".timeline")?.ariaBusy === "true"';

/**
 * Requests for events from now on, except those that wait for new ones. Requests of other views are not among them.
 */
const WATCH_REQUESTS = `
  globalThis.asked = [];
  globalThis.atOnce = { now: 0, most: 0 };
  const own = globalThis.fetch;
  globalThis.fetch = async (path, options) => {
    if (path !== "/store/events" || options.body.includes("waitSeconds")) return await own(path, options);
    asked.push({ body: options.body, rows: ${ROWS}, isBusy: ${IS_BUSY} });
    atOnce.most = Math.max(atOnce.most, ++atOnce.now);
    try {
      return await own(path, options);
    } finally {
      atOnce.now--;
    }
  };
  undefined`;

const IS_ESTIMATED = 'document.querySelector(".timeline-bars .estimated") !== null';

await exploredTest("the timeline of a filter takes few requests, one at a time, after the rows", {
  directory: manyEvents,
  // A page that was shown before counts faster than it draws.
  isFirstPage: true,
}, async ({ open }) => {
  await using page = await open("/health");
  await page.until(says("edition A"));
  await page.evaluate(WATCH_REQUESTS);
  await page.evaluate(`asked.length = 0; location.hash = "#/events?type=OrderPlaced"`);
  await page.until(`${IS_ESTIMATED} && ${says("faint bars are estimates")}`);
  const asked = await page.evaluate<{ body: string; rows: number; isBusy: boolean }[]>("asked");
  assert.ok(asked.length <= 24, `${asked.length} requests`);
  assert.ok(
    asked.slice(1).every(({ isBusy }) => isBusy),
    "while it counts, it says that it is not yet drawn",
  );
  assert.equal(await page.evaluate(IS_BUSY), false);
  assert.equal(await page.evaluate("atOnce.most"), 1);
  assert.equal(asked[0]!.rows, 0);
  assert.ok(asked.slice(1).every(({ rows }) => rows > 0), JSON.stringify(asked));
  // The newest events are counted. Each bar says that it is a count or an estimate.
  const bars = '[...document.querySelectorAll(".timeline-bars g")]';
  assert.equal(await page.evaluate(`${bars}.at(-1).getAttribute("class")`), "counted");
  assert.ok(
    await page.evaluate<boolean>(
      'document.querySelector(".estimated title").textContent.includes(": about ")',
    ),
  );
  // The catalog knows the total, although bars are estimates.
  const [total] = await page.evaluate<string[]>(
    '[...document.querySelectorAll(".catalog li")].find((item) => item.innerText.startsWith("OrderPlaced"))' +
      ".innerText.match(/[\\d,]+$/)",
  );
  const label = await page.evaluate<string>(
    'document.querySelector(".timeline-bars").getAttribute("aria-label")',
  );
  assert.ok(label.startsWith(`${total} events, at most `), label);
  // A filter that changes meanwhile ends the count of the one before.
  await page.evaluate(`
    const watched = globalThis.fetch;
    globalThis.fetch = async (path, options) => {
      if (/OrderPaid.*"limit":500/.test(options.body)) {
        location.hash = "#/events?type=OrderPacked";
        await new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
      }
      return await watched(path, options);
    };
    location.hash = "#/events?type=OrderPaid"`);
  // The count of the last filter has come to its samples.
  await page.until('asked.some(({ body }) => /Packed.*"limit":100,"afterSequence"/.test(body))');
  assert.ok(
    await page.evaluate<number>('asked.filter(({ body }) => body.includes("OrderPaid")).length') <= 2,
  );
  // While the page is hidden, it sends no requests.
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { configurable: true, value: true });
    asked.length = 0;
    location.hash = "#/events?type=OrderPlaced&at=19000"`);
  await page.until(`${SEQUENCES}[0] <= 19000`);
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
  assert.equal(await page.evaluate("asked.length"), 1);
  await page.evaluate('delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))');
  await page.until("asked.length > 10");
  assert.deepEqual(page.problems, []);
});

const LARGE = 150;

await exploredTest("large events are read in pieces, all of them once, and only their beginnings are kept", {
  server: { env: { SERVICE_MAX_EVENT_SIZE: "200000" } },
}, async ({ server, open }) => {
  const large = { type: "Large", payload: "x".repeat(128 * 1024) };
  for (let i = 0; i < LARGE; i += 5) await write(server, ...Array(5).fill(large));
  await using page = await open("/health");
  await page.until(says("edition A"));
  await page.evaluate(`${WATCH_REQUESTS}; location.hash = "#/events"`);
  await page.until(`${ROWS} > 5`);
  const seen = new Set<number>();
  while (!seen.has(1)) {
    for (const sequence of await page.evaluate<number[]>(SEQUENCES)) seen.add(sequence);
    await page.evaluate('document.querySelector(".list").scrollBy(0, 400)');
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  assert.equal(seen.size, LARGE);
  await page.until(`${textOf(".count")} === "${LARGE} events"`);
  // The first page would have had 13 MB, and the second one the rest.
  const pages = await page.evaluate<number>(
    'asked.filter(({ body }) => /"limit":[14]00,.*backwards/.test(body)).length',
  );
  assert.ok(pages > 3, `${pages} pages`);
  // The timeline reads pages, too.
  await page.until(`${textOf(".timeline-caption")}.startsWith("${LARGE} events")`);
  await page.call("HeapProfiler.enable");
  await page.call("HeapProfiler.collectGarbage");
  const { usedSize } = await page.call("Runtime.getHeapUsage") as { usedSize: number };
  assert.ok(usedSize < 10_000_000, `${usedSize} bytes of ${LARGE * 128 * 1024}`);
  assert.deepEqual(page.problems, []);
});
