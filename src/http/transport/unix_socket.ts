import { foundLink } from "../../files/found.ts";
import { isThere, removeIfThere } from "../../files/is_there.ts";
import { directoryOf, fromRoot } from "../../files/paths.ts";
import type { Transport } from "../exchange.ts";

/** Thrown when the server cannot listen at its address. `message` is one line that names the address. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  /** True when the directory of the socket is missing, or this user has no access to it. */
  readonly lacksDirectory: boolean;

  constructor(message: string, lacksDirectory = false) {
    super(message);
    this.lacksDirectory = lacksDirectory;
  }
}

const PATH_BYTES_MAX = 107;

/**
 * Checks that a server can listen at `path`, and changes nothing.
 * @returns the stale socket there, on which no server listens, if there is one
 * @throws ListenError for a missing directory, a socket in use, or any file that is not a socket
 */
export async function checkSocketPath(path: string): Promise<Deno.FileInfo | undefined> {
  // This gives "/run/x" for "/run/x/". directoryOf alone would ignore the slash at the end.
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
 * Listens at `path`, and replaces a stale socket. The socket is created under another name in the same directory, and
 * gets its own name once it is complete. This has three effects:
 * - No client can connect before its mode is set.
 * - A socket that another server has just created is not replaced.
 * - The runtime removes the first name when it closes the socket, so it cannot remove another server's socket.
 * @param listen starts to listen at the path that it is given
 * @returns a transport that removes the socket at `path` on close if it is still its own
 * @throws ListenError, or as `listen`
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
        // While the socket is open, no other file has its inode number.
        const there = foundLink(path);
        if (there !== undefined && there.ino === own?.ino && there.dev === own.dev) Deno.removeSync(path);
      } catch {
        // The file stays, as after a crash. The next start removes it.
      }
      return transport.close(graceMilliseconds);
    },
  };
}

/** Removes a stale socket, unless another server has meanwhile replaced it with a fresh one. */
function removeStale(path: string, stale: Deno.FileInfo): void {
  const there = foundLink(path);
  // The fresh one may have got the inode number of the stale one.
  if (there?.ino === stale.ino && there.mtime?.getTime() === stale.mtime?.getTime()) Deno.removeSync(path);
}

/** @throws ListenError when a file with this name exists */
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

/** Returns a free name in the directory of `path`, as close to it as the length of a path allows. */
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
    // A permission error means that the socket belongs to another user. Only ConnectionRefused means that it is stale.
    return !(error instanceof Deno.errors.ConnectionRefused);
  }
}
