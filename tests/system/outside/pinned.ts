const ROOT = new URL("../../../", import.meta.url);

/**
 * The version of a package that a list for pip pins.
 * @param list its path from the root of the repository
 */
export function pinnedIn(list: string, name: string): string {
  const pinned = new RegExp(`^${name}==(\\S+)`, "m").exec(Deno.readTextFileSync(new URL(list, ROOT)));
  if (pinned === null) throw new Error(`${list} pins no version of ${name}`);
  return pinned[1]!;
}
