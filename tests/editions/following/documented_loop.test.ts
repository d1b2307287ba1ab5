import assert from "node:assert/strict";
import { inDirectory } from "../../support/directory.ts";
import {
  type DocumentedLoop,
  followThroughBrokenPage,
  followThroughKills,
  followThroughLowerHead,
} from "../../support/documented_follower.ts";
import { pageBlock } from "../../support/page_block.ts";
import { runDeno } from "../../support/run_command.ts";

/* This test runs the documented loop in Node. tests/system/editions/documented_loop.test.ts runs it in shell. */

const FIRST_LINE =
  '// follow.ts: prints every event, in order; the file "checkpoint.json" says how far it has come.';
const FLAGS = ["--quiet", "--no-prompt", "--allow-net", "--allow-read=.", "--allow-write=."];

const loop: DocumentedLoop = {
  name: "follow.ts",
  text: pageBlock("following.md", FIRST_LINE),
  command: [Deno.execPath(), "run", ...FLAGS],
};

Deno.test("the TypeScript of following.md prints each event once and in order, through kills and a reset", async () => {
  await followThroughKills(loop);
});

Deno.test("the TypeScript of following.md has no type errors", async () => {
  await inDirectory(async (directory) => {
    const path = `${directory}/${loop.name}`;
    await Deno.writeTextFile(path, loop.text);
    const { code, stderr } = await runDeno(["check", "--quiet", path]);
    assert.equal(code, 0, stderr);
  });
});

Deno.test("the TypeScript of following.md uses each event once when pages break off", async () => {
  await followThroughBrokenPage(loop);
});

Deno.test("the TypeScript of following.md begins anew when the same store ends before its position", async () => {
  await followThroughLowerHead(loop);
});
