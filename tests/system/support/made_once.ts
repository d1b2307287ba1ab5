import { join } from "node:path";
import { isThere } from "../../../src/files/is_there.ts";
import { cacheDirectory } from "./debian_program.ts";

/**
 * A directory in the cache, made once for each content of the files that it depends on.
 * @param name the beginning of its name
 * @param files paths
 * @param make fills the directory, which may exist: an earlier attempt may have failed
 */
export async function madeOnce(
  name: string,
  files: readonly string[],
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const content = await new Blob(files.map((path) => Deno.readFileSync(path))).bytes();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  const cache = cacheDirectory();
  const directory = join(cache, `${name}-${hash.toHex().slice(0, 16)}`);
  // Written at the end. A Python environment cannot be moved: it is made at its place.
  const complete = join(directory, "complete");
  using lock = Deno.openSync(join(cache, "lock"), { create: true, write: true });
  await lock.lock(true);
  if (!isThere(complete)) {
    await make(directory);
    await Deno.writeTextFile(complete, "");
  }
  return directory;
}
