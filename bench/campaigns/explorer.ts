import { delay } from "../../src/async/delay.ts";
import { startExplorer } from "../../explorer/server/start_explorer.ts";
import { initStore } from "../../src/store/sqlite/data_directory/create_database.ts";
import { Chromium } from "../../tests/system/support/chromium.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";
import { ChildProcess } from "../child_process.ts";
import { openWriter, storeWrite, writeNow } from "../fill_store.ts";
import { SampleEvents } from "../sample_events.ts";
import { median, print, table } from "./report.ts";

/*
 * The response times of the explorer on a large store: from opening it to the first row, and from a filter to its
 * rows. Also the longest time without a frame while new events are committed. It fails when a bound does not hold.
 *
 *   deno task campaign:explorer [events in the store]
 */

/** Bounds, in milliseconds: for the median of the first two, and for each time without a frame. */
const FIRST_ROWS_MAX = 1000;
const FRAME_GAP_MAX = 100;

const EVENTS = Number(Deno.args[0] ?? 1_000_000);
const ROUNDS = 5;
const PER_SECOND = 500;
const EVENTS_PER_WRITE = 100;
const LIVE_SECONDS = 20;
const DAYS_MILLISECONDS = 3 * 86_400_000;

const HAS_ROWS = 'document.querySelectorAll(".row").length > 5';

/** Records the time between each two frames. */
const WATCH_FRAMES = `
  globalThis.gaps = [];
  let last = performance.now();
  const frame = (now) => {
    globalThis.gaps.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  undefined`;

const tooSlow: string[] = [];
const directory = await Deno.makeTempDir({ prefix: "eventstore_bench_" });
try {
  const sample = fill(`${directory}/data`);
  const main = new URL("../../main.ts", import.meta.url);
  await using server = new ChildProcess(main, directory, false, `${directory}/data`, {});
  await server.listening();
  const { address } = server;
  if (address.transport !== "tcp") throw new Error("the server does not listen on TCP");
  const url = `http://${address.hostname}:${address.port}`;
  await using explorer = startExplorer({ store: { url } });
  await using browser = await Chromium.start(await debianProgram("chromium"));
  const rows: string[][] = [];
  const row = (name: string, milliseconds: readonly number[]): void =>
    void rows.push([name, median(milliseconds).toFixed(0), Math.max(...milliseconds).toFixed(0)]);

  const [first, filtered]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await using page = await browser.open("about:blank");
    await page.goTo(explorer.url);
    await page.until(HAS_ROWS);
    first.push(await page.evaluate<number>("performance.now()"));
    filtered.push(await page.evaluate<number>(filterAndWait(sample.order())));
  }
  row("to the first rows", first);
  row("from a filter to its rows", filtered);

  await using page = await browser.open(explorer.url);
  await page.until(HAS_ROWS);
  await page.evaluate(WATCH_FRAMES);
  const begun = performance.now();
  let written = 0;
  while (performance.now() - begun < 1000 * LIVE_SECONDS) {
    const due = Math.min(
      EVENTS_PER_WRITE,
      Math.floor((performance.now() - begun) / 1000 * PER_SECOND) - written,
    );
    const events = Array.from({ length: due }, () => ({ type: "Live", payload: '{"n":1}' }));
    if (due > 0) {
      const { status, text } = await post(`${url}/write`, JSON.stringify({ events }));
      if (status !== 200) throw new Error(`a write was answered ${status}: ${text}`);
    }
    written += due;
    await delay(20);
  }
  const gaps = await page.evaluate<number[]>("globalThis.gaps.sort((a, b) => b - a)");
  row(`without a frame, beside ${PER_SECOND} events/s`, gaps);
  // Frames of a list that does not change would prove nothing.
  await page.until(`Number(document.querySelector(".row").dataset.sequence) === ${EVENTS + written}`);
  if (written < 0.9 * PER_SECOND * LIVE_SECONDS) tooSlow.push(`only ${written} events were written`);
  if (gaps[0]! > FRAME_GAP_MAX) {
    tooSlow.push(`no frame for ${gaps.slice(0, 5).map(Math.round).join(", ")} ms`);
  }
  if (median(first) > FIRST_ROWS_MAX) tooSlow.push(`${median(first).toFixed(0)} ms to the first rows`);
  print(`${EVENTS} events\n\n${table(["milliseconds", "median", "longest"], rows)}`);
} finally {
  await Deno.remove(directory, { recursive: true });
}
for (const line of tooSlow) print(`TOO SLOW: ${line}\n`);
Deno.exit(tooSlow.length === 0 ? 0 : 1);

async function post(url: string, body: string): Promise<{ status: number; text: string }> {
  const reply = await fetch(url, { method: "POST", body });
  return { status: reply.status, text: await reply.text() };
}

function fill(dataDir: string): SampleEvents {
  const writer = openWriter(initStore(dataDir).path);
  const sample = new SampleEvents(EVENTS, 1);
  const begin = Date.now() - DAYS_MILLISECONDS;
  for (let i = 0; i < EVENTS; i += 1000) {
    writeNow(
      writer,
      storeWrite(sample.events(1000), 1000 * Math.floor(begin + DAYS_MILLISECONDS * i / EVENTS)),
    );
  }
  writer.close();
  return sample;
}

/** Milliseconds from the change of the address until all rows belong to one order. */
function filterAndWait(order: string): string {
  const tag = JSON.stringify(order);
  return `new Promise((resolve) => {
    const begun = performance.now();
    const isShown = () => {
      const rows = [...document.querySelectorAll(".row")];
      return rows.length > 0 && rows.every((row) => row.textContent.includes(${tag}));
    };
    const look = () => isShown() ? resolve(performance.now() - begun) : requestAnimationFrame(look);
    location.hash = "#/events?tag=order=" + ${tag};
    look();
  })`;
}
