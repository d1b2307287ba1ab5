import assert from "node:assert/strict";
import { join } from "node:path";
import { clientProgram } from "../../cli/client_program.ts";
import { inDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { sharedServer } from "../support/server_process.ts";
import { Shell } from "./shell_address.ts";

const server = sharedServer();

/* The commands of docs/shell.md print the output that the page shows. */

const page = Deno.readTextFileSync(new URL("../../docs/shell.md", import.meta.url));
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);

const ANSWER = /^# -> (.*)$/gm;

/** Removes the parts that differ between runs. */
function steady(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replaceAll(
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
    "STORE",
  );
}

/** Starts bash with a command that has the program's name. */
async function bash(shell: Shell, script: string, directory: string): Promise<Deno.ChildProcess> {
  const [program, ...args] = shell.command([]);
  const words = [program, ...args].map((word) => `'${word}'`).join(" ");
  const path = join(directory, "eventstore-client");
  await Deno.writeTextFile(path, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const { PATH, ...environment } = shell.environment;
  return new Deno.Command("bash", {
    args: ["-c", script],
    cwd: directory,
    env: { ...environment, PATH: `${directory}:${PATH}` },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

Deno.test("the commands of the page print what the page says", async () => {
  const shown = blocks.filter((block) => !block.includes("--follow"));
  assert.ok(shown.length >= 7, `only ${shown.length} blocks`);
  const shell = new Shell(server.address);
  await inDirectory(async (directory) => {
    for (const block of shown) {
      const { stdout } = await (await bash(shell, block, directory)).output();
      const expected = [...block.matchAll(ANSWER)].map(([, line]) => `${line}\n`).join("");
      assert.equal(steady(new TextDecoder().decode(stdout)), steady(expected), block);
    }
  });
});

Deno.test("the command that follows from here on shows what comes, and nothing of before", async () => {
  const [block] = blocks.filter((block) => block.includes("--follow"));
  await server.client().append({ type: "before", payload: "" });
  await inDirectory(async (directory) => {
    const child = await bash(
      new Shell(server.address),
      block!.replace("--follow", "--follow --limit 1"),
      directory,
    );
    let over = false;
    const output = child.output().finally(() => over = true);
    await eventually(async () => {
      await server.client().append({ type: "after", payload: "" });
      assert.ok(over);
    }, 30);
    assert.match(
      new TextDecoder().decode((await output).stdout),
      /^\{"sequence":\d+,[^\n]*"type":"after"[^\n]*\n$/,
    );
  });
});

Deno.test("the page has every exit code and every variable", () => {
  const rows = [...page.matchAll(/^- \*\*(\d)\*\*: (.*)$/gm)].map(([, code, meaning]) => [code, meaning]);
  assert.deepEqual(rows, clientProgram.exitCodes);
  for (const [name] of clientProgram.variables) assert.ok(page.includes(`\`${name}\``), name);
});
