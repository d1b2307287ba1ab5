import assert from "node:assert/strict";
import { join } from "node:path";
import type { ChromiumPage } from "../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import { exploredTest, pressButton, ROWS, says, write } from "./explored.ts";

/*
 * Files of events, as the browser saves them.
 */

const events = Array.from({ length: 1100 }, (_, i) => ({
  type: ["OrderPlaced", "OrderShipped"][i % 2],
  identifiers: { order: `o${i}` },
  metadata: { by: "web" },
  payload: i === 1098 ? '=HYPERLINK("http://evil")' : `{"n": ${i}.0,\n"\u00fc": "a,b"}`,
}));

/** Downloads the events of the list, and returns the file's name and text. */
async function download(page: ChromiumPage, format: string): Promise<{ name: string; text: string }> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    await page.call("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: directory });
    await page.evaluate('document.querySelector(".download summary").click()');
    await page.evaluate(pressButton(format));
    let name = "";
    await eventually(() => {
      name = [...Deno.readDirSync(directory)].map((entry) => entry.name).join();
      assert.match(name, /^events-[\d-]+T[\d-]+\.(ndjson|csv)$/);
    });
    return { name, text: await Deno.readTextFile(join(directory, name)) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

await exploredTest(
  "the events of the filter are saved as NDJSON and as CSV",
  {},
  async ({ server, open }) => {
    for (let i = 0; i < events.length; i += 100) await write(server, ...events.slice(i, i + 100));
    await using page = await open("/events?type=OrderPlaced");
    await page.until(`${ROWS} > 5`);
    const { name, text } = await download(page, "NDJSON");
    assert.ok(name.endsWith(".ndjson"), name);
    await page.until(says("Downloaded 550 events"));
    const query = JSON.stringify({ query: [{ types: ["OrderPlaced"] }], backwards: true, limit: 600 });
    const answer = await server.client().request("QUERY", "/events", { body: query });
    // The lines of the store without its last one, to the byte.
    assert.equal(text, answer.text.trimEnd().split("\n").slice(0, -1).map((line) => `${line}\n`).join(""));
    await page.evaluate('location.hash = "#/events?order=oldest&at=1099"');
    await page.until(`${ROWS} === 2`);
    const csv = await download(page, "CSV");
    assert.ok(csv.name.endsWith(".csv"), csv.name);
    const lines = csv.text.split("\r\n");
    assert.equal(lines.length, 4);
    assert.equal(lines[0], "sequence,time,type,identifiers,metadata,payload");
    assert.match(
      lines[1]!,
      /^1099,[\dT:.Z-]+,OrderPlaced,"\{""order"":""o1098""\}","\{""by"":""web""\}","'=HYPERLINK\(""http:\/\/evil""\)"$/,
    );
    assert.ok(lines[2]!.endsWith('"{""n"": 1099.0,\n""\u00fc"": ""a,b""}"'), lines[2]);
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest("a download that fails says so, and one can be stopped", {}, async ({ server, open }) => {
  for (let i = 0; i < events.length; i += 100) await write(server, ...events.slice(i, i + 100));
  await using page = await open("/events?order=oldest");
  await page.until(`${ROWS} > 5`);
  // The second page of the file waits until it is stopped.
  await page.evaluate(`
    const own = globalThis.fetch;
    globalThis.fetch = async (path, options) => {
      if (!/"limit":500,"afterSequence":500/.test(options?.body ?? "")) return await own(path, options);
      return await new Promise((_, reject) => options.signal.onabort = () => reject(options.signal.reason));
    };
    document.querySelector(".download summary").click();
    ${pressButton("CSV")}`);
  await page.until(says("Reading 500 events"));
  await page.evaluate('document.querySelector(".download summary").click()');
  await page.evaluate(pressButton("Stop"));
  await page.until(says("The download was stopped"));
  await page.evaluate(`
    globalThis.fetch = () => Promise.resolve(new Response('{"error":"Broken","message":"no disk"}', { status: 500 }));
    ${pressButton("CSV")}`);
  await page.until(says("No download: no disk"));
  assert.equal(await page.evaluate('document.querySelectorAll(".download button:not([hidden])").length'), 2);
});
