import { join } from "node:path";

/** Runs a test in a directory of its own, with a path for a socket in it. Both are gone afterwards. */
export async function inDirectory<T>(
  run: (directory: string, socketPath: string) => Promise<T>,
): Promise<T> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    return await run(directory, join(directory, "server.sock"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The names in a directory. */
export function namesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
}

/** The permissions of a file or directory. */
export function modeOf(path: string): number {
  return Deno.statSync(path).mode! & 0o777;
}
