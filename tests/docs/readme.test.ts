import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { answersAgree, forMachine, runShell } from "./shell.ts";

const README = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));

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
function printedCommands({ stdout }: ServerProcess): string[] {
  const [, rest = ""] = stdout.split("try a first write and a first read:\n");
  return rest.split("\n").filter((line) => line.startsWith("  ")).map((line) => line.trim());
}

async function startDevelopmentServer(): Promise<ServerProcess> {
  const server = await startServer({ listen: "tcp", listenOnly: true, env: { SERVICE_DEV_MODE: "true" } });
  await server.waitForOutput((text) => text.includes("QUERY"));
  return server;
}

async function prints(server: ServerProcess, command: string, answer: string): Promise<void> {
  answersAgree(await runShell(forMachine(command, server.address)), answer);
}

Deno.test("the first example of the README prints the answers that stand below it", async () => {
  await using server = await startDevelopmentServer();
  for (const { command, answers } of firstExample()) {
    for (const answer of answers) await prints(server, command, answer);
  }
});

Deno.test("the commands that task dev prints give the answers of the README, whose commands then work as later runs", async () => {
  await using server = await startDevelopmentServer();
  const steps = firstExample();
  const printed = printedCommands(server);
  assert.equal(printed.length, steps.length);
  for (const [i, { answers }] of steps.entries()) await prints(server, printed[i]!, answers[0]!);
  for (const { command, answers } of steps) await prints(server, command, answers.at(-1)!);
});
