import assert from "node:assert/strict";
import { type Explorer, startExplorer } from "../../../explorer/server/start_explorer.ts";
import { type ExplorerOptions } from "../../../explorer/server/explorer_options.ts";
import { placeOf } from "../../client/support.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../support/server_process.ts";
import { Chromium, type ChromiumPage, type PageOptions } from "../support/chromium.ts";
import { debianProgram, debianTest, ProgramMissing } from "../support/debian_program.ts";

/** A server, its explorer, and a browser. */
export interface Explored {
  readonly server: ServerProcess;
  readonly explorer: Explorer;
  /** Opens a view, such as `/events?open=1`, with the key. */
  open(view?: string, options?: PageOptions): Promise<ChromiumPage>;
  /** Does the same with another explorer. */
  openWith(explorer: Explorer, view?: string, options?: PageOptions): Promise<ChromiumPage>;
}

export interface ExploredOptions {
  readonly server?: ServerOptions;
  readonly explorer?: Partial<ExplorerOptions>;
  /** The data directory of an existing store. */
  readonly directory?: () => Promise<string>;
  /** True for a browser of its own, which has shown no page yet. */
  readonly isFirstPage?: boolean;
}

/** An event as a test writes it. */
export const EVENT = {
  type: "Noted",
  identifiers: { note: "n0" },
  metadata: { by: "web" },
  payload: '{"text":"hello","n":1}',
};

/**
 * The browser of all tests of a file, since its start takes long. Each explorer has a port of its own, so its pages see
 * nothing that those of another one have stored.
 */
let shared: Chromium | undefined;
Deno.test.beforeAll(async () => {
  try {
    shared = await Chromium.start(await debianProgram("chromium"));
  } catch (error) {
    // Then the tests are ignored.
    if (!(error instanceof ProgramMissing)) throw error;
  }
});
Deno.test.afterAll(() => shared?.[Symbol.asyncDispose]());

/** Registers a test with a server that can be reset, its explorer, and a browser. */
export async function exploredTest(
  name: string,
  { server: options = {}, explorer: more = {}, directory, isFirstPage = false }: ExploredOptions,
  test: (explored: Explored) => Promise<void>,
): Promise<void> {
  await debianTest(["chromium"], name, async ({ chromium }) => {
    const place = directory === undefined ? {} : { directory: await directory() };
    const env = { SERVICE_DEV_MODE: "true", ...options.env };
    try {
      await using server = await startServer({ ...options, ...place, env, listenOnly: true });
      await using explorer = startExplorer({ store: placeOf(server.address), ...more });
      await using opened = new AsyncDisposableStack();
      const browser = isFirstPage ? opened.use(await Chromium.start(chromium)) : shared!;
      const openWith: Explored["openWith"] = async (explorer, view, size) => {
        const [start, key] = explorer.url.split("#") as [string, string];
        const shown = view ?? "/events";
        const url = `${start}#${shown}${shown.includes("?") ? "&" : "?"}${key}`;
        return opened.use(await browser.open(url, size));
      };
      const open: Explored["open"] = (view, size) => openWith(explorer, view, size);
      await test({ server, explorer, open, openWith });
    } finally {
      if (place.directory !== undefined) await Deno.remove(place.directory, { recursive: true });
    }
  });
}

/** Writes events in edition A. */
export async function write(server: ServerProcess, ...events: readonly unknown[]): Promise<void> {
  const { status, text } = await server.client().request("POST", "/write", { json: { events } });
  assert.equal(status, 200, text);
}

/** The text of the first element that a selector finds. */
export function textOf(selector: string): string {
  return `document.querySelector(${JSON.stringify(selector)})?.textContent`;
}

/** An expression that is true when the visible text of the page contains this text. */
export function says(text: string): string {
  return `document.body.innerText.includes(${JSON.stringify(text)})`;
}

/** The number of event rows in the document. */
export const ROWS = 'document.querySelectorAll(".row").length';

/** The sequences of the rows, from the top. */
export const SEQUENCES = '[...document.querySelectorAll(".row")].map((row) => Number(row.dataset.sequence))';

/** Presses the button with this label. */
export function pressButton(label: string): string {
  const wanted = JSON.stringify(label);
  return `[...document.querySelectorAll("button")].find((button) => button.textContent === ${wanted}).click()`;
}
