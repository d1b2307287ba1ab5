import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../src/config/version.ts";
import { REPOSITORY } from "../build/program_task.ts";
import { run } from "../build/run.ts";

/** The runtime packs only packages with a scope; the name is put in afterwards. */
const SCOPE = "@eventstore/";

/** A package to make. */
interface Source {
  readonly name: string;
  readonly description: string;
  /** The folder with its sources. */
  readonly folder: string;
  /** The folders whose `mod.ts` can be imported, each under its name; "." is the package itself. */
  readonly modules: readonly string[];
  /** Packages that its users install, and the versions that fit. */
  readonly peers?: Readonly<Record<string, string>>;
}

const CLIENT: Source = {
  name: "eventstore-client",
  description: "A client for the event store: reads, writes, decisions",
  folder: "client",
  modules: [".", "connections", "mirror", "schemas", "testing"],
};

const EMMETT: Source = {
  name: "emmett-eventstore",
  description: "Stores the events of Emmett in this event store",
  folder: "integrations/emmett",
  modules: ["."],
  peers: { "@event-driven-io/emmett": "^0.42.0", [CLIENT.name]: `^${VERSION}` },
};

/**
 * Makes the npm package of the client: modules with types and source maps, so that its user builds nothing. The same
 * sources give the same bytes.
 * @param to the directory for the package
 * @returns the path of the package
 */
export async function npmPackage(to: string): Promise<string> {
  return await packageOf(CLIENT, to, () => Promise.resolve());
}

/**
 * Makes the npm package of the event store for Emmett in the same way. To compile it, npm installs Emmett and the
 * package of the client.
 * @param to the directory for the package
 * @param client the absolute path of the package of the client, if it was made before
 * @returns the path of the package
 */
export async function emmettPackage(to: string, client?: string): Promise<string> {
  return await packageOf(EMMETT, to, async (sources, directory) => {
    const { imports } = await settings();
    const emmett = imports["@event-driven-io/emmett"]!.replace(/^npm:/, "");
    const options = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", ...options, client ?? await npmPackage(directory), emmett], {
      cwd: sources,
    });
  });
}

/** The parts of the project's own settings that a package needs. */
async function settings(): Promise<{ compilerOptions: object; imports: Record<string, string> }> {
  return JSON.parse(await Deno.readTextFile(new URL("deno.json", REPOSITORY)));
}

/** @param prepare installs the packages that the sources import */
async function packageOf(
  { name, description, folder, modules, peers }: Source,
  to: string,
  prepare: (sources: string, directory: string) => Promise<void>,
): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_client_" });
  try {
    const sources = join(directory, "sources");
    await copyDirectory(fileURLToPath(new URL(folder, REPOSITORY)), sources);
    const { compilerOptions } = await settings();
    const exports = Object.fromEntries(modules.map((name) => [nameOf(name), pathOf(name, "ts")]));
    const packing = { name: SCOPE + name, version: VERSION, exports, compilerOptions };
    await prepare(sources, directory);
    const json = JSON.stringify({ ...packing, ...peers ? { nodeModulesDir: "manual" } : {} });
    await Deno.writeTextFile(join(sources, "deno.json"), json);
    const packed = ["pack", "--quiet", "--allow-dirty", "--output", "packed.tgz"];
    await run(Deno.execPath(), packed, { cwd: sources });
    await run("tar", ["-xzf", join(sources, "packed.tgz"), "-C", directory]);

    const files = join(directory, "package");
    await withRelativeSources(files);
    const entries = modules.map((
      name,
    ) => [nameOf(name), { types: pathOf(name, "d.ts"), default: pathOf(name, "js") }]);
    const manifest = {
      name,
      version: VERSION,
      description,
      type: "module",
      sideEffects: false,
      engines: { node: ">=20" },
      exports: Object.fromEntries(entries),
      ...peers ? { peerDependencies: peers } : {},
    };
    await Deno.writeTextFile(join(files, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    await Deno.mkdir(to, { recursive: true });
    await run("npm", ["pack", "--silent", "--pack-destination", await Deno.realPath(to)], { cwd: files });
    return join(to, `${name}-${VERSION}.tgz`);
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
