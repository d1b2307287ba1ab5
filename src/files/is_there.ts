import { found, foundLink } from "./found.ts";

/** Whether anything exists at a path, even if only a dangling link. */
export function isThere(path: string): boolean {
  return foundLink(path) !== undefined;
}

/** Where a link leads that leads nowhere, as when a disk is not mounted. It must not be taken for a missing file. */
export function missingTarget(path: string): string | undefined {
  // With a slash at its end the path would already mean what the link leads to.
  const link = path.replace(/\/+$/, "");
  const isLink = foundLink(link)?.isSymlink ?? false;
  if (!isLink || found(link) !== undefined) return undefined;
  return Deno.readLinkSync(link);
}

/** @throws Error for a link that leads nowhere, at whose end something else would be created */
export function rejectDangling(path: string): void {
  const target = missingTarget(path);
  if (target !== undefined) throw new Error(`${path} is a link to ${target}, which does not exist`);
}

/** @throws Error when something other than a regular file exists at a path */
export function rejectIrregular(path: string): void {
  const isFile = foundLink(path)?.isFile ?? true;
  if (!isFile) throw new Error(`${path} is not a regular file; it will not be replaced`);
}

export function removeIfThere(path: string): void {
  if (isThere(path)) Deno.removeSync(path);
}
