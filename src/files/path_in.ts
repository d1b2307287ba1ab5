/** The path of a name in a directory. Unlike `join` it keeps `..`, which after a link means another place. */
export function pathIn(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, "")}/${name}`;
}
