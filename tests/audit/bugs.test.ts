import assert from "node:assert/strict";
import { withEdit } from "../../audit/bugs/bug.ts";
import { BUGS } from "../../audit/bugs/bugs.ts";
import { CHECKS } from "../../audit/checks.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("every planted bug still has its place in the source, and something that must notice it", () => {
  const names = new Set<string>();
  for (const { name, edits, caughtBy } of BUGS) {
    assert.ok(!names.has(name), name);
    names.add(name);
    for (const edit of edits) withEdit(Deno.readTextFileSync(new URL(edit.file, ROOT)), edit);
    if ("tests" in caughtBy) Deno.statSync(new URL(caughtBy.tests, ROOT));
    else assert.ok(CHECKS.has(caughtBy.check), name);
  }
  assert.ok(names.size >= 30);
});

Deno.test("docs/durability.md lists every planted bug with what notices it", () => {
  const text = Deno.readTextFileSync(new URL("docs/durability.md", ROOT));
  for (const { name, caughtBy } of BUGS) {
    const row = text.split("\n").find((line) => line.startsWith(`| ${name} `)) ?? assert.fail(name);
    assert.ok(
      row.includes("tests" in caughtBy ? caughtBy.tests : `\`${caughtBy.check}\`, ${caughtBy.edition}`),
      row,
    );
  }
});

Deno.test("a bug whose place is gone, or is there twice, is an error", () => {
  const edit = { file: "f", find: "a", replace: "$&b" };
  assert.equal(withEdit("xay", edit), "x$&by");
  assert.throws(() => withEdit("xy", edit), /f has 0 places/);
  assert.throws(() => withEdit("xaya", edit), /f has 2 places/);
});
