import { fileURLToPath } from "node:url";
import { REPOSITORY } from "./program_task.ts";
import { run } from "./run.ts";

/*
 * A program as one JavaScript module that imports only from the runtime. It starts workers from separate modules,
 * which are bundled in turn.
 */

const WORKER_URL = /new URL\("\.{1,2}\/(?:\w+\/)*(\w+)\.ts", import\.meta\.url\)/g;

export interface Bundle {
  readonly text: string;
  /** The workers that it starts, by the name of their module. */
  readonly workers: ReadonlyMap<string, Bundle>;
}

/** Bundles a module, given by its path from the root of the repository. */
export async function bundle(entry: string): Promise<Bundle> {
  const args = ["bundle", "--quiet", "--no-check", "--platform", "deno", entry];
  const text = withoutPaths(await run(Deno.execPath(), args, { cwd: fileURLToPath(REPOSITORY) }));
  const names = new Set([...text.matchAll(WORKER_URL)].map(([, name]) => name!));
  if (text.replaceAll(WORKER_URL, "").includes("import.meta.url")) {
    throw new Error(`${entry} looks for a file next to its module, which an executable does not have`);
  }
  const workers = new Map<string, Bundle>();
  for (const name of names) workers.set(name, await bundle(modulePath(`${name}.ts`)));
  return { text, workers };
}

/** The whole program in one module: it holds its workers as text, so that nothing is read once it runs. */
export function inOneModule({ text, workers }: Bundle): string {
  const embedded = [...workers].map(([name, worker]) =>
    `const ${name}_url = URL.createObjectURL(` +
    `new Blob([${JSON.stringify(inOneModule(worker))}], { type: "text/javascript" }));\n`
  );
  return embedded.join("") + text.replaceAll(WORKER_URL, (_, name) => `new URL(${name}_url)`);
}

/** The program as modules in one directory, by file name. */
export function inModules(fileName: string, { text, workers }: Bundle): Map<string, string> {
  const modules = new Map([
    [fileName, text.replaceAll(WORKER_URL, (_, name) => `new URL("./${name}.js", import.meta.url)`)],
  ]);
  for (const [name, worker] of workers) {
    for (const [path, text] of inModules(`${name}.js`, worker)) modules.set(path, text);
  }
  return modules;
}

/**
 * Removes the paths of packages from the bundler's comments and names of modules, because the output must not contain
 * paths of this machine.
 */
function withoutPaths(text: string): string {
  return text
    .replaceAll(/^\/\/ .*\/npm\/[^/]+\/(\S+)$/gm, "// npm:$1")
    .replaceAll(/^( *)"[^"]*\/npm\/[^/"]+\/([^"]+)"\(\) {$/gm, '$1"npm:$2"() {');
}

/** The one module of this name under src/. */
function modulePath(name: string): string {
  const found: string[] = [];
  const visit = (directory: string): void => {
    for (const entry of Deno.readDirSync(new URL(directory, REPOSITORY))) {
      if (entry.isDirectory) visit(`${directory}${entry.name}/`);
      else if (entry.name === name) found.push(directory + name);
    }
  };
  visit("src/");
  if (found.length !== 1) throw new Error(`the worker ${name} is not exactly one file under src/: ${found}`);
  return found[0]!;
}
