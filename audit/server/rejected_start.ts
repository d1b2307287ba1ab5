import type { ServerProcess } from "../../tests/support/server_process.ts";
import { AuditFailure } from "../report.ts";

/** Returns for each file in the data directory of a place: its kind, its target if it is a link, and its bytes. */
export async function contentOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const script = `cd "$0/data" && for file in *; do
    echo "$file $(stat -c '%F %N' "$file" | tr ' ' '_') $(test -f "$file" && sha256sum < "$file")"
  done`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script, directory] }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  return new Map(lines.map((line) => [line.split(" ")[0]!, line]));
}

/**
 * @param before the files before the start
 * @throws AuditFailure when a rejected start has not said so in one line, or has changed something
 */
export async function assertRejected(
  server: ServerProcess,
  where: string,
  place: string,
  before: ReadonlyMap<string, string>,
  seconds: number,
): Promise<void> {
  const { code, stderr } = await server.ended(seconds);
  const isOneLine = /^eventstore-server: [^\n]+\n$/.test(stderr);
  if (code !== 1 || !isOneLine) {
    throw new AuditFailure(where, [`exit code ${code}, standard error: ${stderr}`]);
  }
  const changed = await changedFiles(place, before);
  if (changed.length > 0) throw new AuditFailure(`${where}, and the start was rejected`, changed);
}

/** Returns the files that changed. SQLite may leave an empty log and the memory that connections share. */
async function changedFiles(place: string, before: ReadonlyMap<string, string>): Promise<string[]> {
  const after = await contentOf(place);
  const changed = [...before].filter(([name, content]) => !/-shm$/.test(name) && after.get(name) !== content);
  const added = [...after.keys()].filter((name) =>
    !before.has(name) && !/^events\.(lock|db-shm|db-wal)$/.test(name)
  );
  return [
    ...changed.map(([name]) => `it has changed ${name}`),
    ...added.map((name) => `it has left ${name}`),
  ];
}
