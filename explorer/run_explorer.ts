import { parseArgs } from "node:util";
import type { ExplorerOptions } from "./server/explorer_options.ts";
import type { Page } from "./server/page_files.ts";
import { openBrowser } from "./server/open_browser.ts";
import { startExplorer } from "./server/start_explorer.ts";

const DEFAULT_URL = "http://127.0.0.1:8085";

/**
 * Starts the explorer with what the command line says, and prints its link.
 * @param page instead of the page of this version
 */
export async function runExplorer(page?: Page): Promise<void> {
  try {
    const { mustOpen, ...options } = optionsOf(Deno.args);
    const explorer = startExplorer({ ...options, page });
    say(Deno.stdout, `explorer of ${explorer.place}: ${explorer.url}`);
    if (mustOpen && !await openBrowser(explorer.url)) {
      say(Deno.stderr, "explore: no browser could be opened: open the link");
    }
  } catch (error) {
    say(Deno.stderr, `explore: ${(error as Error).message}`);
    Deno.exit(1);
  }
}

function optionsOf(args: string[]): ExplorerOptions & { readonly mustOpen: boolean } {
  const { values } = parseArgs({
    args,
    options: {
      "url": { type: "string" },
      "socket": { type: "string" },
      "token-file": { type: "string" },
      "port": { type: "string", default: "0" },
      "allow-writes": { type: "boolean", default: false },
      "open": { type: "boolean", default: false },
    },
  });
  const { url, socket, "token-file": tokenFile } = values;
  if (url !== undefined && socket !== undefined) throw new TypeError("give --url or --socket, not both");
  return {
    store: {
      url: socket === undefined ? url ?? DEFAULT_URL : undefined,
      socketPath: socket,
      token: tokenFile === undefined ? undefined : Deno.readTextFileSync(tokenFile).trim(),
    },
    port: portOf(values.port),
    allowWrites: values["allow-writes"],
    mustOpen: values.open,
  };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new TypeError(`--port is a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

function say(output: { writeSync(bytes: Uint8Array): number }, line: string): void {
  output.writeSync(new TextEncoder().encode(`${line}\n`));
}
