/** The path of a name in a directory, which may be written with slashes at its end. */
export function pathIn(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, "")}/${name}`;
}
