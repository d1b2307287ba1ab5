import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { BUGS } from "../../audit/bugs/bugs.ts";
import { listOf } from "../../audit/bugs/list.ts";
import { checkCommand, UsageError } from "../../audit/check_command.ts";

const CHECK = fileURLToPath(new URL("../../audit/check.ts", import.meta.url));

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", CHECK, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { code, text: new TextDecoder().decode(stdout) };
}

Deno.test("an unknown check, or a flag that makes no sense, ends with 2 and prints the usage", async () => {
  for (
    const line of [
      ...[
        "",
        "nothing",
        "kills --edition D",
        "damage --rounds few",
        "damage --rounds 0",
        "damage --minutes 0",
      ],
      ...["damage --often", "damage --list", "damage --postgres"],
    ]
  ) assert.throws(() => checkCommand(line.split(" ")), UsageError, line);
  const { code, text } = await run("damage", "--rounds", "0");
  assert.equal(code, 2);
  assert.match(text, /^--rounds must be more than 0\ndeno task audit:check CHECK/);
});

Deno.test("bugs --list prints every planted bug and runs none", async () => {
  const { code, text } = await run("bugs", "--list");
  assert.equal(code, 0, text);
  assert.equal(text, listOf(BUGS));
});

Deno.test("a check that passes prints its figures in one line of JSON", async () => {
  const { code, text } = await run("damage", "--rounds", "3", "--seed", "5");
  assert.equal(code, 0, text);
  const { seconds, figures, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, { check: "damage", edition: "A", seed: 5 });
  assert.ok(seconds > 0);
  assert.equal(figures.rounds, 3);
});
