/*
 * What there is at a path, or undefined when there is nothing. `node:fs` has such functions, but loading it takes
 * 7 MB and 25 ms in every thread.
 */

/** Follows links. @throws what the operating system reports, except that nothing is there */
export function found(path: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.statSync(path));
}

/** The same for the link itself. */
export function foundLink(path: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.lstatSync(path));
}

function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
