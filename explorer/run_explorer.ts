import { parseArgs } from "node:util";
import type { ExplorerOptions } from "./server/explorer_options.ts";
import type { Page } from "./server/page_files.ts";
import { startExplorer } from "./server/start_explorer.ts";

const DEFAULT_URL = "http://127.0.0.1:8085";

/**
 * Starts the explorer with what the command line says, and prints its link.
 * @param page instead of the page of this version
 */
export function runExplorer(page?: Page): void {
  try {
    const explorer = startExplorer({ ...optionsOf(Deno.args), page });
    say(Deno.stdout, `explorer of ${explorer.place}: ${explorer.url}`);
  } catch (error) {
    say(Deno.stderr, `explore: ${(error as Error).message}`);
    Deno.exit(1);
  }
}

function optionsOf(args: string[]): ExplorerOptions {
  const { values } = parseArgs({
    args,
    options: {
      "url": { type: "string" },
      "socket": { type: "string" },
      "token-file": { type: "string" },
      "port": { type: "string", default: "0" },
      "allow-writes": { type: "boolean", default: false },
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
