import { dirname } from "node:path";

/** Why the server cannot listen where it should. `message` is one line that names the place. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Makes way for a listener at `path`: removes a socket on which no server is listening.
 * @throws ListenError for a missing directory, a socket in use, or anything that is not a socket
 */
export async function clearSocketPath(path: string): Promise<void> {
  // Of "/run/x/" it is "/run/x", where dirname alone would pass over the slash at the end.
  const directory = dirname(`${path}.`);
  if (!await isDirectory(directory)) {
    throw new ListenError(
      `the directory of socketPath does not exist: create it with "mkdir -p ${directory}"`,
    );
  }
  let info: Deno.FileInfo;
  try {
    info = await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw new ListenError(`socketPath ${path} cannot be inspected: ${(error as Error).message}`);
  }
  if (!info.isSocket) throw new ListenError(`socketPath ${path} exists and is not a socket`);
  if (await isInUse(path)) throw new ListenError(`socketPath ${path} is in use: a server listens on it`);
  await Deno.remove(path);
}

/**
 * Runs `listen`, which creates a socket at `path`, so that no other user can connect before its mode is set.
 */
export function withSocketMode<T>(path: string, mode: number, listen: () => T): T {
  const umask = Deno.umask(0o177);
  let listening: T;
  try {
    listening = listen();
  } finally {
    Deno.umask(umask);
  }
  Deno.chmodSync(path, mode);
  return listening;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

async function isInUse(path: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return true;
  } catch (error) {
    // A permission error means that it is another user's socket; only a refusal means that it is stale.
    return !(error instanceof Deno.errors.ConnectionRefused);
  }
}
