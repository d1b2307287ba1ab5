import assert from "node:assert/strict";
import type { Address } from "../support/connection.ts";
import { runCommand } from "../support/run_command.ts";

/** The command and URL in the pages, which a test replaces. */
const RUNTIME_OF_PAGES = "npx --yes deno@2.9.6";
const URL_OF_PAGES = "http://127.0.0.1:8085";

/** Adapts a text of a page to this test: its runtime, and the address of its server. */
export function forMachine(text: string, address: Address): string {
  if (address.transport !== "tcp") throw new Error("the pages speak of TCP");
  return text.replaceAll(RUNTIME_OF_PAGES, `'${Deno.execPath()}'`)
    .replaceAll(URL_OF_PAGES, `http://127.0.0.1:${address.port}`);
}

/** Runs a shell command, which must succeed. @returns its standard output */
export async function runShell(command: string, cwd = "."): Promise<string> {
  const { code, stdout, stderr } = await runCommand(["bash", "-c", command], { cwd });
  assert.equal(code, 0, `${command}\n${stderr}`);
  return stdout;
}

/** Replacements for texts that differ between runs: times and IDs. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, "(time)"],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "(ID)"],
  [/"decisionId":"[\d-]+"/g, '"decisionId":"(ID)"'],
  [/\r/g, ""],
];

/** Asserts that a page shows the output, apart from times and IDs. `"..."` stands for any time. */
export function answersAgree(printed: string, shown: string): void {
  const withoutPassing = (text: string): string =>
    PASSING.reduce((text, [pattern, name]) => text.replace(pattern, name), text.trim());
  assert.equal(withoutPassing(printed), withoutPassing(shown.replaceAll('"time":"..."', '"time":"(time)"')));
}
