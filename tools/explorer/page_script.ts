import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../build/program_task.ts";
import { run } from "../build/run.ts";

/** The URL of the page's script, which is part of the program. */
export const PAGE_SCRIPT: URL = new URL("explorer/server/page.js", REPOSITORY);

/** The modules of the page as one script for browsers. The same sources give the same text. */
export async function pageScript(): Promise<string> {
  const args = [
    "bundle",
    "--quiet",
    "--no-check",
    "--platform",
    "browser",
    "--minify",
    "explorer/page/page.ts",
  ];
  return await run(Deno.execPath(), args, { cwd: fileURLToPath(REPOSITORY) });
}
