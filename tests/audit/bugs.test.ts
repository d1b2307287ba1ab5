import assert from "node:assert/strict";
import { join } from "node:path";
import { withEdit } from "../../audit/bugs/bug.ts";
import { BUGS } from "../../audit/bugs/bugs.ts";
import { listOf } from "../../audit/bugs/list.ts";
import { plant } from "../../audit/bugs/plant.ts";
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

// A server that cannot even be loaded fails every test, whatever the bug.
Deno.test("every planted bug is a valid program", async () => {
  const copy = Deno.makeTempDirSync({ prefix: "eventstore_bugs_" });
  try {
    plant(undefined, copy);
    const changed: string[] = [];
    for (const [i, { edits }] of BUGS.entries()) {
      for (const file of new Set(edits.map(({ file }) => file))) {
        if (!file.endsWith(".ts")) continue;
        const its = edits.filter((edit) => edit.file === file);
        const path = join(copy, file.replace(/\.ts$/, `.bug${i}.ts`));
        Deno.writeTextFileSync(path, its.reduce(withEdit, Deno.readTextFileSync(join(copy, file))));
        changed.push(path);
      }
    }
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", ...changed],
      cwd: copy,
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stderr);
    // A bug may leave something unused.
    const errors = text.match(/^(TS(?!6133)\d+ |error: (?!Type checking failed)).*$/gm) ?? [];
    assert.deepEqual(errors, [], text);
  } finally {
    Deno.removeSync(copy, { recursive: true });
  }
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
