import assert from "node:assert/strict";
import { placeOf } from "../client/support.ts";
import "./course_subscriptions.ts";
import "./dynamic_price.ts";
import "./invoice_numbers.ts";
import "./opt_in_token.ts";
import "./prevent_duplicates.ts";
import { server } from "./race.ts";
import { runDeno } from "../support/run_command.ts";
import "./unique_username.ts";

const ROOT = new URL("../../", import.meta.url);
const FILES = [...Deno.readDirSync(new URL("examples/", ROOT))]
  .map(({ name }) => name).filter((name) => name.endsWith(".ts")).sort();

/** The limit of an example: readers skip longer ones. */
const BELOW_LINES = 80;

const textOf = (name: string): string => Deno.readTextFileSync(new URL(`examples/${name}`, ROOT));

Deno.test("there are six examples, each below 80 lines, and they use the client alone, by its name", () => {
  assert.equal(FILES.length, 6);
  for (const name of FILES) {
    const text = textOf(name);
    assert.ok(text.trimEnd().split("\n").length < BELOW_LINES, name);
    const imported = [...text.matchAll(/^import .* from "(.+)";$/gm)].map(([, specifier]) => specifier);
    assert.deepEqual(imported, ["eventstore-client"], name);
  }
});

Deno.test("each example prints what its README says, the first time and the next", async () => {
  const { url } = placeOf(server.address);
  const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT)));
  const [runtime, ...flags] = tasks.example.command.split(" ");
  assert.equal(runtime, "deno");
  const printedBy = async (name: string): Promise<string> => {
    const { stdout, stderr } = await runDeno([...flags, `examples/${name}`, url!], { cwd: ROOT });
    assert.equal(stderr, "", name);
    return stdout;
  };
  const sections = textOf("README.md").split("\n## ").slice(1);
  const described = sections.map((section) => ({
    name: /^\[(\w+\.ts)\]\(\1\)$/m.exec(section)?.[1] ?? "",
    prints: /^```text\n(.*?)^```$/ms.exec(section)?.[1],
  }));
  assert.deepEqual(described.map(({ name }) => name).sort(), FILES);
  for (const _ of ["the first time", "the next"]) {
    const printed = await Promise.all(
      described.map(async ({ name }) => ({ name, prints: await printedBy(name) })),
    );
    assert.deepEqual(printed, described);
  }
});
