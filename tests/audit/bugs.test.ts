import assert from "node:assert/strict";
import { withEdit } from "../../audit/bugs/bug.ts";
import { BUGS } from "../../audit/bugs/bugs.ts";
import { listOf } from "../../audit/bugs/list.ts";
import { CHECKS } from "../../audit/checks.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("every planted bug still finds its text in the source, and names the check or test that must notice it", () => {
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

Deno.test("the list of planted bugs names each bug with the check or test that must notice it", () => {
  const lines = listOf(BUGS).split("\n");
  for (const { name, caughtBy } of BUGS) {
    const catcher = "tests" in caughtBy ? caughtBy.tests : `${caughtBy.check}, edition ${caughtBy.edition}`;
    assert.ok(lines.includes(`${name} | ${catcher}`), name);
  }
});

Deno.test("a bug whose text is gone, or occurs twice, is an error", () => {
  const edit = { file: "f", find: "a", replace: "$&b" };
  assert.equal(withEdit("xay", edit), "x$&by");
  assert.throws(() => withEdit("xy", edit), /f has 0 places/);
  assert.throws(() => withEdit("xaya", edit), /f has 2 places/);
});
