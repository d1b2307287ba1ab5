import { delay } from "../../../src/async/delay.ts";
import type { Edition } from "../../../explorer/page/filter/query.ts";
import { startExplorer } from "../../../explorer/server/start_explorer.ts";
import { placeOf } from "../../../tests/client/support.ts";
import { type ServerProcess, startServer } from "../../../tests/support/server_process.ts";
import { Chromium, type PageOptions } from "../../../tests/system/support/chromium.ts";
import { debianProgram } from "../../../tests/system/support/debian_program.ts";
import { REPOSITORY } from "../../build/program_task.ts";
import { DELIVERED_ORDER, fillDemoStore } from "./demo_store.ts";
import { type Picture, PICTURES } from "./pictures.ts";
import { keepBusy } from "./traffic.ts";

/*
 * Makes the pictures of the explorer: deno task explore:screenshots [directory] [name of a picture]
 */

const directory = await Deno.makeTempDir({ prefix: "eventstore_screenshots_" });
const to = new URL(`${Deno.args[0] ?? "docs/images"}/`, REPOSITORY);
const wanted = PICTURES.filter(({ name }) => name === (Deno.args[1] ?? name));
try {
  await Deno.mkdir(to, { recursive: true });
  fillDemoStore(`${directory}/data`);
  await using browser = await Chromium.start(await debianProgram("chromium"));
  for (const edition of ["A", "B", "C"] as const) {
    const pictures = wanted.filter((picture) => picture.edition === edition);
    if (pictures.length > 0) await takeOf(edition, browser, pictures);
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
Deno.exit(0);

/** Takes the pictures of one edition one after the other, all of the same store. */
async function takeOf(edition: Edition, browser: Chromium, pictures: readonly Picture[]): Promise<void> {
  const env = { SERVICE_EDITION: edition };
  await using server = await startServer({ directory, listen: "tcp", listenOnly: true, env });
  if (edition === "A") await prepare(server);
  const place = placeOf(server.address);
  await using explorer = startExplorer({ store: place, allowWrites: true });
  for (const picture of pictures) {
    const ending = new AbortController();
    const traffic = picture.isBusy === true ? keepBusy(edition, place.url!, ending.signal) : undefined;
    try {
      // One after the other: a page behind another one is hidden, and reads nothing.
      for (const scheme of ["light", "dark"] as const) {
        for (const { suffix, width, height } of picture.sizes) {
          const name = `explorer-${picture.name}-${scheme}${suffix}.png`;
          await take(browser, explorer.url, picture, name, { width, height, scheme });
        }
      }
    } finally {
      ending.abort();
      await traffic;
    }
  }
}

async function take(
  browser: Chromium,
  url: string,
  { view, ready, action, seconds = 0.5 }: Picture,
  name: string,
  options: PageOptions,
): Promise<void> {
  const [start, key] = url.split("#");
  await using page = await browser.open(`${start}#${view}${view.includes("?") ? "&" : "?"}${key}`, options);
  await page.until(ready);
  if (action !== undefined) await page.evaluate(action);
  await delay(1000 * seconds);
  await page.until(ready);
  await Deno.writeFile(new URL(name, to), await page.screenshot());
}

async function prepare(server: ServerProcess): Promise<void> {
  const payload = JSON.stringify({
    state: "shipped",
    total: 84.5,
    currency: "EUR",
    lines: 3,
    history: ["placed", "paid", "shipped"],
  });
  const json = { projections: { create: [{ type: "order-summary", id: DELIVERED_ORDER, payload }] } };
  await server.client().request("POST", "/write", { json });
}
