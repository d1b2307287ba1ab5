import assert from "node:assert/strict";
import type { Address } from "../support/connection.ts";

/** Where the pages say that the server is. */
export const URL_OF_PAGES = "http://127.0.0.1:8085";

/** The URL of a server that listens on TCP. */
export function urlOf(address: Address): string {
  if (address.transport !== "tcp") throw new Error("the pages speak of TCP");
  return `http://127.0.0.1:${address.port}`;
}

/** Runs a command of a page in a shell, against another server than that of the page. */
export async function runShell(command: string, address: Address): Promise<string> {
  const text = command.replaceAll(URL_OF_PAGES, urlOf(address));
  const { stdout } = await new Deno.Command("bash", { args: ["-c", text], stdin: "null" }).output();
  return new TextDecoder().decode(stdout);
}

/** What is different each time: times and IDs. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, "(time)"],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "(ID)"],
  [/"decisionId":"[\d-]+"/g, '"decisionId":"(ID)"'],
];

/** Whether a page shows what was printed, but for times and IDs. `"..."` stands for any time. */
export function answersAgree(printed: string, shown: string): void {
  const withoutPassing = (text: string): string =>
    PASSING.reduce((text, [pattern, name]) => text.replace(pattern, name), text.trim());
  assert.equal(withoutPassing(printed), withoutPassing(shown.replaceAll('"time":"..."', '"time":"(time)"')));
}
