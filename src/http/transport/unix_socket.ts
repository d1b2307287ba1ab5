import { foundLink } from "../../files/found.ts";
import { isThere, removeIfThere } from "../../files/is_there.ts";
import { directoryOf, fromRoot } from "../../files/paths.ts";
import type { Transport } from "../exchange.ts";

/** Why the server cannot listen where it should. `message` is one line that names the place. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  /** Whether the directory of the socket is missing, or closed to this user. */
  readonly lacksDirectory: boolean;

  constructor(message: string, lacksDirectory = false) {
    super(message);
    this.lacksDirectory = lacksDirectory;
  }
}

/** The longest path that the kernel takes for a socket. */
const PATH_BYTES_MAX = 107;

/**
 * Finds out whether a server may listen at `path`, and changes nothing.
 * @returns the stale socket there, on which no server is listening, if there is one
 * @throws ListenError for a missing directory, a socket in use, or anything that is not a socket
 */
export async function checkSocketPath(path: string): Promise<Deno.FileInfo | undefined> {
  // Of "/run/x/" it is "/run/x", where directoryOf alone would pass over the slash at the end.
  const directory = directoryOf(`${path}.`);
  if (!await isDirectory(directory)) {
    throw new ListenError(
      `the directory of socketPath does not exist: create it with "mkdir -p ${fromRoot(directory)}"`,
      true,
    );
  }
  let there: Deno.FileInfo | undefined;
  try {
    there = foundLink(path);
  } catch (error) {
    const { message } = error as Error;
    throw new ListenError(`socketPath ${fromRoot(path)} cannot be inspected: ${message}`, true);
  }
  if (there === undefined) return undefined;
  if (!there.isSocket) throw new ListenError(`socketPath ${fromRoot(path)} exists and is not a socket`);
  if (await isInUse(path)) throw inUse(path);
  return there;
}

/**
 * Listens at `path`, in the place of a stale socket. The socket is created under another name beside it and gets its
 * own when it is complete: so nobody can connect before its mode is set, a socket that another server has just
 * created is not replaced, and the runtime, which removes the name it knows whenever it closes the socket, cannot
 * remove that of another server.
 * @param listen starts listening at the path that it is given
 * @returns a transport that, when it is closed, removes the socket at `path` if it is still its own
 * @throws ListenError, or what `listen` throws
 */
export async function listenAtPath(
  { path, mode }: { readonly path: string; readonly mode: number },
  listen: (path: string) => Transport,
): Promise<Transport> {
  const stale = await checkSocketPath(path);
  if (stale !== undefined) removeStale(path, stale);
  const temporary = temporaryPath(path);
  const transport = withUmask(0o177, () => listen(temporary));
  let own: Deno.FileInfo | undefined;
  try {
    Deno.chmodSync(temporary, mode);
    own = foundLink(temporary);
    giveName(temporary, path);
  } catch (error) {
    await transport.close(0);
    throw error;
  } finally {
    removeIfThere(temporary);
  }
  return {
    close(graceMilliseconds) {
      try {
        // While the socket is open, no other file has its number.
        const there = foundLink(path);
        if (there !== undefined && there.ino === own?.ino && there.dev === own.dev) Deno.removeSync(path);
      } catch {
        // It stays behind, as after a crash. The next start removes it.
      }
      return transport.close(graceMilliseconds);
    },
  };
}

/** Removes a stale socket, unless another start has put a fresh one in its place since. */
function removeStale(path: string, stale: Deno.FileInfo): void {
  const there = foundLink(path);
  // The fresh one may have got the number of the stale one.
  if (there?.ino === stale.ino && there.mtime?.getTime() === stale.mtime?.getTime()) Deno.removeSync(path);
}

/** @throws ListenError when something has this name already */
function giveName(temporary: string, path: string): void {
  try {
    Deno.linkSync(temporary, path);
  } catch (error) {
    if (isThere(path)) throw inUse(path);
    if (error instanceof Deno.errors.NotFound) throw error;
    // A file system without hard links.
    Deno.renameSync(temporary, path);
  }
}

function inUse(path: string): ListenError {
  return new ListenError(`socketPath ${fromRoot(path)} is in use: a server listens on it`);
}

/** A free name beside `path`, as close to it as the length of a path allows. */
function temporaryPath(path: string): string {
  const directory = path.slice(0, path.lastIndexOf("/") + 1);
  const room = PATH_BYTES_MAX - bytesOf(directory);
  while (true) {
    const random = crypto.randomUUID().slice(0, 8);
    const longest = `${path}.${random}`;
    const name = bytesOf(longest) <= PATH_BYTES_MAX ? longest : directory + random.slice(0, room);
    if (name !== path && !isThere(name)) return name;
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function withUmask<T>(mask: number, act: () => T): T {
  const before = Deno.umask(mask);
  try {
    return act();
  } finally {
    Deno.umask(before);
  }
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
    // A permission error means that it is another user's socket; only a rejection means that it is stale.
    return !(error instanceof Deno.errors.ConnectionRefused);
  }
}
