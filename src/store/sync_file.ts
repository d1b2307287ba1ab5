/** Makes the content of a file, or the entries of a directory, durable. */
export function syncFile(path: string): void {
  using file = Deno.openSync(path, { read: true });
  file.syncSync();
}

/** The directory that holds `path`. */
export function parentOf(path: string): string {
  const name = path.replace(/\/+$/, "");
  const slash = name.lastIndexOf("/");
  return slash < 0 ? "." : name.slice(0, slash) || "/";
}
