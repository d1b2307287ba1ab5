import assert from "node:assert/strict";
import { sharedServer } from "../support/server_process.ts";
import { answersAgree, forMachine, runShell } from "./shell.ts";

const README = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));

const server = sharedServer({ listen: "tcp", listenOnly: true });

interface Step {
  readonly command: string;
  /** The output of the first run, and of later runs. */
  readonly answers: readonly string[];
}

/** The steps of the README's first example. A comment in braces is an answer, other comments separate commands. */
function firstExample(): Step[] {
  const block = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!)
    .find((block) => block.startsWith("# Write, "))!;
  const commands = block.split(/^#.*\n/m).map((text) => text.trim()).filter((text) => text !== "");
  const [write, read, ...more] = commands as [string, string];
  assert.deepEqual(more, []);
  const answers = [...block.matchAll(/^# (\{.*\})$/gm)].map(([, answer]) => answer!);
  const [first, again, ...lines] = answers as [string, string];
  return [{ command: write, answers: [first, again] }, { command: read, answers: [lines.join("\n")] }];
}

/** The commands that the server prints in development mode. */
function printedCommands(): string[] {
  const [, rest = ""] = server.stdout.split("try a first write and a first read:\n");
  return rest.split("\n").filter((line) => line.startsWith("  ")).map((line) => line.trim());
}

async function prints(command: string, answer: string): Promise<void> {
  answersAgree(await runShell(forMachine(command, server.address)), answer);
}

Deno.test("the first example of the README prints the answers that stand below it", async () => {
  for (const { command, answers } of firstExample()) {
    for (const answer of answers) await prints(command, answer);
  }
});

Deno.test("the commands that task dev prints give the answers of the README, whose commands then work as later runs", async () => {
  const steps = firstExample();
  await server.waitForOutput((text) => text.includes("QUERY"));
  const printed = printedCommands();
  assert.equal(printed.length, steps.length);
  for (const [i, { answers }] of steps.entries()) await prints(printed[i]!, answers[0]!);
  for (const { command, answers } of steps) await prints(command, answers.at(-1)!);
});

Deno.test("the README is short enough to be read to its end", () => {
  assert.ok(README.split("\n").length - 1 <= 110, "lines");
  assert.ok(new TextEncoder().encode(README).length <= 6144, "bytes");
});
