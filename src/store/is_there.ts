/** Whether there is something at a path, be it only a dangling link. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** @throws Error when there is something at a path other than a regular file */
export function refuseIrregular(path: string): void {
  if (isThere(path) && !Deno.lstatSync(path).isFile) {
    throw new Error(`${path} is not a regular file, so it won't be replaced`);
  }
}

export function removeIfThere(path: string): void {
  if (isThere(path)) Deno.removeSync(path);
}
