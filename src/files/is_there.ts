import { lstatSync } from "node:fs";

/** Whether anything exists at a path, even if only a dangling link. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** @throws Error when something other than a regular file exists at a path */
export function refuseIrregular(path: string): void {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  if (!isFile) throw new Error(`${path} is not a regular file; it will not be replaced`);
}

export function removeIfThere(path: string): void {
  if (isThere(path)) Deno.removeSync(path);
}
