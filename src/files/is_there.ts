import { found, foundLink } from "./found.ts";

/** True when anything exists at a path, even a dangling link. */
export function isThere(path: string): boolean {
  return foundLink(path) !== undefined;
}

/**
 * Returns the target of a link that leads nowhere, as when a disk is not mounted. It must not count as a missing file.
 */
export function missingTarget(path: string): string | undefined {
  // With a slash at its end, the path would already mean the link's target.
  const link = path.replace(/\/+$/, "");
  const isLink = foundLink(link)?.isSymlink ?? false;
  if (!isLink || found(link) !== undefined) return undefined;
  return Deno.readLinkSync(link);
}

/** @throws Error for a link that leads nowhere, because a write would create another file at its target */
export function rejectDangling(path: string): void {
  const target = missingTarget(path);
  if (target !== undefined) throw new Error(`${path} is a link to ${target}, which does not exist`);
}

/** @throws Error when anything but a regular file exists at a path */
export function rejectIrregular(path: string): void {
  const isFile = foundLink(path)?.isFile ?? true;
  if (!isFile) throw new Error(`${path} is not a regular file; it will not be replaced`);
}

export function removeIfThere(path: string): void {
  if (isThere(path)) Deno.removeSync(path);
}
