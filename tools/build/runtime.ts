import { join } from "node:path";
import { run } from "./run.ts";
import { isThisMachine, type Target } from "./target.ts";

/** The runtime for a target, in the running version: this machine's own, or for other targets the package from npm. */
export async function runtimeFor(target: Target): Promise<Uint8Array> {
  if (isThisMachine(target)) return await Deno.readFile(Deno.execPath());
  const directory = await Deno.makeTempDir({ prefix: "eventstore_build_" });
  try {
    const packed = await run("npm", [
      ...["pack", "--loglevel", "error", "--pack-destination", directory],
      `${target.npmPackage}@${Deno.version.deno}`,
    ]);
    await run("tar", ["-xzf", join(directory, packed.trim()), "-C", directory, "package/deno"]);
    return await Deno.readFile(join(directory, "package/deno"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
