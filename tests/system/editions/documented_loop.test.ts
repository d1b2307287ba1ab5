import { dirname } from "node:path";
import {
  type DocumentedLoop,
  followThroughBrokenPage,
  followThroughKills,
  followThroughLowerHead,
} from "../../support/documented_follower.ts";
import { pageBlock } from "../../support/page_block.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";

const SHELL = '# follow.sh: prints every event, in order; the file "checkpoint" says how far it has come.';
const TYPESCRIPT =
  '// follow.ts: prints every event, in order; the file "checkpoint.json" says how far it has come.';

function inShell(curl: DebianProgram): DocumentedLoop {
  const path = `${dirname(curl.path)}:${Deno.env.get("PATH") ?? ""}`;
  const env = { ...curl.environment, PATH: path };
  return { name: "follow.sh", text: pageBlock("following.md", SHELL), command: ["sh"], env };
}

/** The JavaScript of the page, run in Node. */
function inNode(node: DebianProgram): DocumentedLoop {
  const text = pageBlock("following.md", TYPESCRIPT);
  return { name: "follow.mjs", text, command: [node.path], env: node.environment };
}

await debianTest(
  ["curl"],
  "the shell of following.md prints each event once and in order, through kills and a reset",
  ({ curl }) => followThroughKills(inShell(curl)),
);

await debianTest(
  ["curl"],
  "the shell of following.md uses each event once when pages break off",
  ({ curl }) => followThroughBrokenPage(inShell(curl)),
);

await debianTest(
  ["curl"],
  "the shell of following.md begins anew when the same store ends before its position",
  ({ curl }) => followThroughLowerHead(inShell(curl)),
);

await debianTest(
  ["node"],
  "the TypeScript of following.md prints each event once and in order in Node, through kills and a reset",
  ({ node }) => followThroughKills(inNode(node)),
);

await debianTest(
  ["node"],
  "the TypeScript of following.md uses each event once in Node when pages break off",
  ({ node }) => followThroughBrokenPage(inNode(node)),
);
