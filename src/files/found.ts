/*
 * Functions that return information on a path, or undefined when nothing exists there. `node:fs` has such functions,
 * but loading it takes 7 MB and 25 ms in every thread.
 */

/** Follows links. @throws every error of the operating system except NotFound */
export function found(path: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.statSync(path));
}

/** Does the same for the link itself. */
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
