import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../src/config/version.ts";
import { REPOSITORY } from "../build/program_task.ts";
import { run } from "../build/run.ts";

const NAME = "eventstore-client";

/** The runtime packs only packages with a scope; the name is put in afterwards. */
const SCOPED = "@eventstore/client";

/** The folders whose `mod.ts` can be imported, each under its name; "." is the package itself. */
const MODULES = [".", "mirror", "schemas", "testing"];

const PACKAGE = {
  name: NAME,
  version: VERSION,
  description: "A client for the event store: reads, writes, decisions",
  type: "module",
  sideEffects: false,
  engines: { node: ">=20" },
  exports: Object.fromEntries(
    MODULES.map((name) => [nameOf(name), { types: pathOf(name, "d.ts"), default: pathOf(name, "js") }]),
  ),
};

/**
 * Makes the npm package of the client: modules with types and source maps, so that its user builds nothing. The same
 * sources give the same bytes.
 * @param to the directory for the package
 * @returns the path of the package
 */
export async function npmPackage(to: string): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_client_" });
  try {
    const sources = join(directory, "sources");
    await copyDirectory(fileURLToPath(new URL("client", REPOSITORY)), sources);
    const { compilerOptions } = JSON.parse(await Deno.readTextFile(new URL("deno.json", REPOSITORY)));
    const exports = Object.fromEntries(MODULES.map((name) => [nameOf(name), pathOf(name, "ts")]));
    const settings = { name: SCOPED, version: VERSION, exports, compilerOptions };
    await Deno.writeTextFile(join(sources, "deno.json"), JSON.stringify(settings));
    const packed = ["pack", "--quiet", "--allow-dirty", "--output", "packed.tgz"];
    await run(Deno.execPath(), packed, { cwd: sources });
    await run("tar", ["-xzf", join(sources, "packed.tgz"), "-C", directory]);

    const files = join(directory, "package");
    await withRelativeSources(files);
    await Deno.writeTextFile(join(files, "package.json"), `${JSON.stringify(PACKAGE, null, 2)}\n`);
    await Deno.mkdir(to, { recursive: true });
    await run("npm", ["pack", "--silent", "--pack-destination", await Deno.realPath(to)], { cwd: files });
    return join(to, `${NAME}-${VERSION}.tgz`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The name of a module in `exports`. */
function nameOf(folder: string): string {
  return folder === "." ? "." : `./${folder}`;
}

/** The path of a module in the package. */
function pathOf(folder: string, extension: string): string {
  return `${nameOf(folder)}/mod.${extension}`;
}

async function copyDirectory(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyDirectory(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

const SOURCE_MAP = /^\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/m;

/** The source maps contain the sources. Their paths become relative, so that they reveal nothing of this machine. */
async function withRelativeSources(directory: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) await withRelativeSources(path);
    else if (name.endsWith(".js")) {
      const text = await Deno.readTextFile(path);
      const map = JSON.parse(new TextDecoder().decode(bytesOf(SOURCE_MAP.exec(text)![1]!)));
      map.sources = [`./${name.replace(/\.js$/, ".ts")}`];
      await Deno.writeTextFile(`${path}.map`, JSON.stringify(map));
      await Deno.writeTextFile(path, text.replace(SOURCE_MAP, `//# sourceMappingURL=${name}.map\n`));
    }
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
