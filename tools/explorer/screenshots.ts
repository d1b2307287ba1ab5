import { startExplorer } from "../../explorer/server/start_explorer.ts";
import { placeOf } from "../../tests/client/support.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { Chromium, type PageOptions } from "../../tests/system/support/chromium.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";
import { REPOSITORY } from "../build/program_task.ts";
import { DELIVERED_ORDER, fillDemoStore } from "./demo_store.ts";

/*
 * Makes the pictures of the explorer: deno task explore:screenshots [directory] [name of a view]
 */

const WIDE = { width: 1280, height: 760 };
const NARROW = { width: 360, height: 740 };

/** How long the drawings of the health view grow before their picture is taken. */
const HEALTH_SECONDS = 20;

interface Picture {
  readonly name: string;
  readonly view: string;
  /** True once everything is there. */
  readonly ready: string;
  /** What a person does before the picture. */
  readonly action?: string;
  readonly seconds?: number;
  /** Taken while others write. */
  readonly isBusy?: boolean;
}

/** The list and the timeline are drawn. */
const LISTED =
  'document.querySelectorAll(".row").length > 10 && document.querySelectorAll(".timeline-bars rect").length > 10';

const PICTURES: readonly Picture[] = [
  {
    name: "events",
    view: "/events?type=OrderPlaced&type=OrderShipped",
    ready: LISTED,
  },
  {
    name: "event",
    view: "/events?tag=customer=ada",
    ready: LISTED,
    action: 'document.querySelectorAll(".row-sequence")[5].click()',
    seconds: 1,
  },
  {
    name: "trace",
    view: `/trace?trace=order=${DELIVERED_ORDER}`,
    ready: 'document.querySelectorAll(".story-item").length > 3',
  },
  {
    name: "projections",
    view: `/projections?projection=order-summary&id=${DELIVERED_ORDER}`,
    ready: 'document.querySelector(".json-key") !== null',
  },
  {
    name: "try",
    view: "/try",
    ready: 'document.querySelectorAll(".try-part .strong").length === 2',
    action: 'document.querySelectorAll(".try-part .strong")[1].click()',
    seconds: 1,
  },
  {
    name: "health",
    view: "/health",
    ready: 'document.querySelectorAll(".tile").length > 3',
    seconds: HEALTH_SECONDS,
    isBusy: true,
  },
];

const directory = await Deno.makeTempDir({ prefix: "eventstore_screenshots_" });
const to = new URL(`${Deno.args[0] ?? "docs/images"}/`, REPOSITORY);
try {
  await Deno.mkdir(to, { recursive: true });
  fillDemoStore(`${directory}/data`);
  await using server = await startServer({ directory, listen: "tcp", listenOnly: true });
  await prepare(server);
  await using explorer = startExplorer({ store: placeOf(server.address), allowWrites: true });
  await using browser = await Chromium.start(await debianProgram("chromium"));
  for (const picture of PICTURES) {
    if (Deno.args[1] !== undefined && picture.name !== Deno.args[1]) continue;
    const ending = new AbortController();
    const traffic = picture.isBusy === true ? keepBusy(server, ending.signal) : undefined;
    try {
      await takeAll(browser, explorer.url, picture);
    } finally {
      ending.abort();
      await traffic;
    }
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}
Deno.exit(0);

/** One after the other: a page behind another one is hidden, and looks at nothing. */
async function takeAll(browser: Chromium, url: string, picture: Picture): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    for (const size of [WIDE, NARROW]) await take(browser, url, picture, { ...size, scheme });
  }
}

async function take(
  browser: Chromium,
  url: string,
  picture: Picture,
  options: Required<PageOptions>,
): Promise<void> {
  const { name, view, ready, action, seconds = 0.5 } = picture;
  const [start, key] = url.split("#");
  await using page = await browser.open(`${start}#${view}${view.includes("?") ? "&" : "?"}${key}`, options);
  await page.until(ready);
  if (action !== undefined) await page.evaluate(action);
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const width = options.width === WIDE.width ? "" : "-narrow";
  await Deno.writeFile(
    new URL(`explorer-${name}-${options.scheme}${width}.png`, to),
    await page.screenshot(),
  );
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

/** Writers and readers, now more and now fewer, some of whom meet a conflict. */
async function keepBusy(server: ServerProcess, signal: AbortSignal): Promise<void> {
  const { url } = placeOf(server.address);
  const ended = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20 + 60 * Math.random()));
  await Promise.all(Array.from({ length: 6 }, async (_, writer) => {
    for (let n = 0; !signal.aborted; n++) {
      const name = writer === 0 ? "StockCounted" : "CartChanged";
      const condition = { failIfEventsMatch: [{ types: ["OrderPlaced"] }] };
      const body = {
        ...n % 40 === 7 ? { conditions: [condition] } : {},
        events: [{ type: name, identifiers: { cart: `cart-${n % 97}` }, payload: JSON.stringify({ n }) }],
      };
      await (await fetch(`${url}/write`, { method: "POST", body: JSON.stringify(body) })).text();
      if (writer > 2 + 2 * Math.sin(performance.now() / 6000)) await ended();
      await ended();
    }
  }));
}
