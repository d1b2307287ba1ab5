import assert from "node:assert/strict";
import { join } from "node:path";
import { bashCompletion } from "../../../cli/completions/bash.ts";
import { fishCompletion } from "../../../cli/completions/fish.ts";
import { programs } from "../../../cli/programs.ts";
import { zshCompletion } from "../../../cli/completions/zsh.ts";
import type { Flag } from "../../../cli/program.ts";
import { flagsWithGroup } from "../../../cli/flags.ts";
import { runCommand } from "../../support/run_command.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";

/*
 * Asks each shell for its completions of a line that a user has typed.
 */

const flagNames = (flags: readonly Flag[]): string[] => flags.map(({ name }) => `--${name}`);

const sorted = (words: readonly string[]): string[] => [...new Set(words)].sort();

/** The completions that a shell offers for a line, in any order. */
type Offers = (line: string) => Promise<string[]>;

async function checkOffers(offers: Offers, directory: string): Promise<void> {
  const expect = async (line: string, expected: readonly string[]): Promise<void> =>
    assert.deepEqual(sorted(await offers(line)), sorted(expected), line);

  for (const { name, flags } of programs) await expect(`${name} --`, flagNames(flags));
  await expect("eventstore-server --check", ["--check-config"]);
  for (const { name, verbs } of programs.filter(({ verbs }) => verbs.length > 0)) {
    for (const verb of verbs) await expect(`${name} ${verb.name} --`, flagNames(flagsWithGroup(verb)));
    await expect(`${name} `, verbs.map((verb) => verb.name));
  }
  await expect("eventstore-client --json projection ", ["get", "delete"]);
  await expect("eventstore-client --url http://127.0.0.1:8085 projection ", ["get", "delete"]);
  await expect("eventstore-client completions ", ["bash", "zsh", "fish"]);
  await expect("eventstore-client append --type t --if-none --type t --ta", ["--tag"]);
  await expect("eventstore-client read --type ", []);
  await Deno.writeTextFile(join(directory, "my config.toml"), "");
  await Deno.writeTextFile(join(directory, "other.toml"), "");
  await expect("eventstore-server --config oth", ["other.toml"]);
  await expect("eventstore-client head --token-file oth", ["other.toml"]);
  await expect("eventstore-client append oth", ["other.toml"]);
}

/** A directory with the completions of every program, under the names that the shell looks for. */
async function withCompletions(
  fileName: (program: string) => string,
  textOf: (program: (typeof programs)[number]) => string,
  run: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_completions_" });
  try {
    for (const program of programs) {
      await Deno.writeTextFile(join(directory, fileName(program.name)), textOf(program));
    }
    await run(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function linesOf(
  shell: DebianProgram,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand([shell.path, ...args], {
    cwd: options.cwd,
    env: { ...shell.environment, ...options.env, HOME: options.cwd, LC_ALL: "C.UTF-8", TERM: "dumb" },
  });
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

await debianTest(["bash"], "bash completes verbs, flags and paths", async ({ bash }) => {
  await withCompletions((name) => name, bashCompletion, async (directory) => {
    // Does what readline does: it cuts the line into words, also at "=" and ":", and calls the function of the
    // program.
    const script = `
      source "$1"
      COMP_LINE=$2 COMP_POINT=\${#2}
      mapfile -t COMP_WORDS < <(sed 's/[=:]/\\n&\\n/g; s/ /\\n/g' <<<"$2")
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      compopt() { :; }
      "_\${COMP_WORDS[0]//-/_}"
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const offers: Offers = async (line) => {
      const offered = await linesOf(bash, ["-c", script, "bash", line.split(" ")[0]!, line], {
        cwd: directory,
      });
      return line.endsWith(" ") ? offered.filter((word) => !word.startsWith("-")) : offered;
    };
    await checkOffers(offers, directory);
    assert.deepEqual(await offers("eventstore-server --config=oth"), ["other.toml"]);
    assert.deepEqual(await offers("eventstore-backup --config=verify ver"), ["verify"]);
    assert.deepEqual(await offers("eventstore-backup --config list ver"), ["verify"]);
    assert.ok((await offers("eventstore-server --config=")).includes("my config.toml"));
  });
});

await debianTest(["fish"], "fish completes verbs, flags and paths", async ({ fish }) => {
  await withCompletions((name) => `${name}.fish`, fishCompletion, async (directory) => {
    const data = join(fish.root, "usr/share/fish");
    const offers: Offers = async (line) => {
      const script = `set -g fish_function_path ${data}/functions; ` +
        `source ${directory}/${line.split(" ")[0]}.fish; complete -C '${line}'`;
      const offered = await linesOf(fish, ["--no-config", "-c", script], { cwd: directory });
      return offered.map((row) => row.split("\t")[0]!);
    };
    await checkOffers(offers, directory);
  });
});

await debianTest(["zsh"], "zsh completes verbs, flags and paths", async ({ zsh }) => {
  await withCompletions((name) => `_${name}`, zshCompletion, async (directory) => {
    const script = new URL("zsh_offers.zsh", import.meta.url).pathname;
    const offers: Offers = async (line) => {
      const scratch = await Deno.makeTempDir({ prefix: "eventstore_zsh_" });
      try {
        return await linesOf(zsh, ["-f", script, zsh.root, directory, scratch, line], { cwd: directory });
      } finally {
        await Deno.remove(scratch, { recursive: true });
      }
    };
    await checkOffers(offers, directory);
  });
});
