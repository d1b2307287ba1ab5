import assert from "node:assert/strict";
import { privateWordsIn } from "../../tools/lint/private_words.ts";
import { trackedFiles } from "../support/tracked_files.ts";

/* The pages use the words of the field. The linter's rule plain-words does the same for comments. */

const ROOT = new URL("../../", import.meta.url);

/** Its entries are history, and stay as they were written. */
const HISTORY = "CHANGELOG.md";

/** The page with code blocks and inline code blanked out. Line numbers stay the same. */
function proseOf(text: string): string {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(/^( *)(```+).*?^\1\2$/gms, blank).replaceAll(
    /(?<!`)(`+)(?!`)(?:(?!\n *\n)[^])*?(?<!`)\1(?!`)/g,
    blank,
  );
}

/** The private words of a page, each with its line. */
function privateWordsOf(path: string, text: string): string[] {
  return proseOf(text).split("\n").flatMap((line, i) =>
    privateWordsIn(line).map((message) => `${path}:${i + 1}: ${message}`)
  );
}

Deno.test("no page has a private word", async () => {
  const tracked = await trackedFiles(ROOT.pathname);
  const pages = tracked.filter((path) => path.endsWith(".md") && path !== HISTORY);
  assert.ok(pages.length > 30, `only ${pages.length} pages were found`);
  const wrong = pages.flatMap((path) => privateWordsOf(path, Deno.readTextFileSync(new URL(path, ROOT))));
  assert.deepEqual(wrong, []);
});

const TABLE_COLUMNS_MAX = 110;

Deno.test("no table of a page is too wide for a screen", async () => {
  const tracked = await trackedFiles(ROOT.pathname);
  const wide = tracked.filter((path) => path.endsWith(".md")).flatMap((path) =>
    Deno.readTextFileSync(new URL(path, ROOT)).split("\n").flatMap((line, i) =>
      line.startsWith("|") && line.length > TABLE_COLUMNS_MAX ? [`${path}:${i + 1}`] : []
    )
  );
  assert.deepEqual(wide, []);
});

Deno.test("a private word of a page is found with its line, but not in code", () => {
  const page = "# Title\n\n```sh\nnobody\n```\n\nA `nobody` of code, and ``a ` nobody``.\nNobody else.\n";
  assert.deepEqual(privateWordsOf("page.md", page), [
    'page.md:8: "Nobody": say the actor: client, reader, server, you',
  ]);
});
