/** Makes the content of a file, or the entries of a directory, durable. */
export function syncFile(path: string): void {
  using file = Deno.openSync(path, { read: true });
  file.syncSync();
}

/** Does the same without blocking this thread. */
export async function syncInBackground(path: string): Promise<void> {
  using file = await Deno.open(path, { read: true });
  await file.sync();
}
