import assert from "node:assert/strict";
import { sources } from "../client/examples.ts";
import { inDirectory } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { pageBlocks } from "./page_blocks.ts";
import { Reader } from "./reader.ts";

const ROOT = new URL("../../", import.meta.url);

/** The command that a reader has already run when the test begins. */
const START = "npx --yes deno@2.9.6 task dev\n";

/** The files that wait for events until they are stopped. */
const ENDLESS = ["seats.ts", "mail.ts"];

/** Makes a partial clone with the files that the page needs. */
async function makeClone(directory: string): Promise<void> {
  for (const path of ["deno.json", "deno.lock", "explorer/page/deno.json", ...sources("client/")]) {
    const target = `${directory}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(new URL(path, ROOT), target);
  }
}

Deno.test("a reader who follows the tutorial sees the output that it shows", async () => {
  const [first, ...blocks] = pageBlocks("tutorial.md");
  assert.equal(first?.text, START);
  await using server = await startServer({
    listen: "tcp",
    listenOnly: true,
    env: { SERVICE_DEV_MODE: "true" },
  });
  await inDirectory(async (directory) => {
    await makeClone(directory);
    await using reader = new Reader(directory, server.address, ENDLESS);
    for (const block of blocks) {
      try {
        await reader.does(block);
      } catch (error) {
        throw new Error(`docs/tutorial.md:${block.line}`, { cause: error });
      }
    }
  });
});
