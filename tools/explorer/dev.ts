import type { Page } from "../../explorer/server/page_files.ts";
import { startExplorer } from "../../explorer/server/start_explorer.ts";
import { REPOSITORY } from "../build/program_task.ts";
import { pageScript } from "./page_script.ts";

/*
 * The explorer for work on its page: deno task explore:dev [URL of the store]. After a change of the sources it builds
 * the page again, and open pages reload themselves.
 */

const FOLDER = new URL("explorer/page/", REPOSITORY);

/** Several files may be written at once. */
const QUIET_MILLISECONDS = 100;

/** Added to the script of the page: polls the version number, which grows, and reloads the page after a change. */
const RELOAD = `
let version;
setInterval(async () => {
  const found = /version (\\d+)/.exec(await (await fetch("/page.css")).text())?.[1];
  version ??= found;
  if (found !== version) location.reload();
}, 500);
`;

let version = 0;
const page: { -readonly [Name in keyof Page]: Page[Name] } = { html: "", css: "", script: "" };

await make();
const { url } = startExplorer({
  store: { url: Deno.args[0] ?? "http://127.0.0.1:8085" },
  page,
  allowWrites: true,
});
say(url);
let timer: ReturnType<typeof setTimeout> | undefined;
for await (const { kind } of Deno.watchFs(FOLDER.pathname)) {
  if (kind === "access") continue;
  clearTimeout(timer);
  timer = setTimeout(() => void make(), QUIET_MILLISECONDS);
}

async function make(): Promise<void> {
  try {
    const script = await pageScript();
    page.html = await Deno.readTextFile(new URL("index.html", FOLDER));
    page.script = script + RELOAD;
    page.css = `/* version ${++version} */\n${await Deno.readTextFile(new URL("style.css", FOLDER))}`;
  } catch (error) {
    say((error as Error).message);
  }
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
