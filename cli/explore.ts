import { openBrowser } from "../explorer/server/open_browser.ts";
import { type Explorer, startExplorer } from "../explorer/server/start_explorer.ts";
import type { ShellContext } from "../src/shell/context.ts";
import { ShellExit, Wrong } from "../src/shell/ends.ts";

interface ExploreOptions {
  readonly port: string | undefined;
  readonly open: boolean;
  readonly allowWrites: boolean;
}

/** Starts the explorer, prints its link, and keeps it running until a signal ends it. */
export async function explore(context: ShellContext, options: ExploreOptions): Promise<number> {
  const stop = context.stopOnSignal();
  await using explorer = start(context, options);
  await context.print(`explorer of ${explorer.place}, at\n${explorer.url}\n`);
  if (options.open && !await openBrowser(explorer.url)) {
    context.printError("no browser could be opened: open the link");
  }
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener("abort", resolve));
  return ShellExit.ok;
}

/** @throws Wrong when another program uses the port already */
function start({ place }: ShellContext, { port = "0", allowWrites }: ExploreOptions): Explorer {
  try {
    return startExplorer({ store: place.options, port: portOf(port), allowWrites });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) throw new Wrong(`--port: ${port} is taken`);
    throw error;
  }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new Wrong(`--port: must be a number from 0 to 65535, not ${JSON.stringify(text)}`);
}
