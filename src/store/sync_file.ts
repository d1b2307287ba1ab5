/** Makes the content of a file, or the entries of a directory, durable. */
export function syncFile(path: string): void {
  using file = Deno.openSync(path, { read: true });
  file.syncSync();
}

/** The same without keeping this thread from its other work. */
export async function syncInBackground(path: string): Promise<void> {
  using file = await Deno.open(path, { read: true });
  await file.sync();
}

/** The directory that holds `path`. */
export function parentOf(path: string): string {
  const name = path.replace(/\/+$/, "");
  const slash = name.lastIndexOf("/");
  return slash < 0 ? "." : name.slice(0, slash) || "/";
}
