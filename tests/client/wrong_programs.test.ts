import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory } from "../support/directory.ts";
import { complaintsOf, withClient } from "./examples.ts";
import { PRELUDE, WRONG_PROGRAMS } from "./wrong_programs.ts";

const MARK = "/*!*/";

/** A type or a name in a message. Long types are left out: they change with the version of the compiler. */
const QUOTED = /'(?:[^'"]|"[^"]*")*'/g;

/** The place of a mark in a program, as the compiler counts: lines and columns from 1. */
function placeIn(program: string): string {
  const lines = program.slice(0, program.indexOf(MARK) + MARK.length).split("\n");
  return `${lines.length}:${lines.at(-1)!.length + 1}`;
}

/** The first error of each program: its place, and the first line of its message. */
function firstErrors(output: string): Map<number, string> {
  const errors = new Map<number, string>();
  let message = "";
  for (const line of output.split("\n")) {
    const [, text] = /^TS\d+ \[ERROR\]: (.*)/.exec(line) ?? [];
    if (text) message = text.replaceAll(QUOTED, (all) => all.length <= 50 ? all : "'...'");
    const [, number, place] = /^ {4}at file:.*\/wrong_(\d+)\.ts:(\d+:\d+)$/.exec(line) ?? [];
    if (number && !errors.has(+number)) errors.set(+number, `${place} ${message}`);
  }
  return errors;
}

Deno.test("the compiler names the place of a mistake in a program, and its reason", async () => {
  await inDirectory(async (directory) => {
    const programs = WRONG_PROGRAMS.map(([code]) => withClient(PRELUDE + code + "\n"));
    const files = programs.map((_, i) => join(directory, `wrong_${i}.ts`));
    for (const [i, program] of programs.entries()) await Deno.writeTextFile(files[i]!, program);
    const config = join(directory, "deno.json");
    await Deno.writeTextFile(
      config,
      JSON.stringify({ compilerOptions: { exactOptionalPropertyTypes: true } }),
    );
    const errors = firstErrors(await complaintsOf("check", "--quiet", "--config", config, ...files));
    const found = WRONG_PROGRAMS.map(([code], i) => [code, errors.get(i) ?? "no error"]);
    const expected = WRONG_PROGRAMS.map((
      [code, message],
      i,
    ) => [code, `${placeIn(programs[i]!)} ${message}`]);
    assert.deepEqual(found, expected);
  });
});
