import { runDeno } from "../support/run_command.ts";

const ROOT = new URL("../../", import.meta.url);

/** A piece of code that a reader of the documentation may copy. */
export interface Example {
  /** The file with the line where it begins. */
  readonly place: string;
  readonly code: string;
}

/** The examples in the docstrings of the client and on the given pages. */
export function examples(pages: readonly string[]): Example[] {
  return [...sources("client/"), ...pages].flatMap((path) => {
    const text = Deno.readTextFileSync(new URL(path, ROOT));
    return [...text.matchAll(/^( *\* |)```ts\n(.*?)^\1```$/gms)].map(([block, margin, code]) => ({
      place: `${path}:${text.slice(0, text.indexOf(block)).split("\n").length}`,
      code: code!.split("\n").map((line) => line.slice(margin!.length)).join("\n"),
    }));
  });
}

/** The modules of the client. */
export function sources(directory: string): string[] {
  return [...Deno.readDirSync(new URL(directory, ROOT))].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return sources(`${directory}${name}/`);
    return name.endsWith(".ts") ? [directory + name] : [];
  }).sort();
}

/** Turns an example into a module that uses the client of this repository and this server, and prints nothing. */
export function moduleOf({ code }: Example, url: string): string {
  return `const console = { log(..._: unknown[]): void {} };\nvoid console;\n` +
    withClient(code).replaceAll("http://127.0.0.1:8085", url);
}

/** Code that imports the client of this repository, and its further modules, such as `eventstore-client/testing`. */
export function withClient(code: string): string {
  return code.replaceAll(
    /"eventstore-client(\/\w+)?"/g,
    (_, path = "") => JSON.stringify(new URL(`client${path}/mod.ts`, ROOT).href),
  );
}

/** Runs a command of the runtime on the repository. @returns its error output; empty when it succeeds */
export async function complaintsOf(...args: string[]): Promise<string> {
  const { code, stderr } = await runDeno(args, { cwd: ROOT });
  return code === 0 ? "" : stderr;
}
