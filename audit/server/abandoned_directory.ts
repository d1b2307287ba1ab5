import { startServer } from "../../tests/support/server_process.ts";

/** The number of events in the directory; their payloads are 0, 1, 2 and so on. */
export const EVENTS_LEFT = 40;

/** Creates a data directory as a server leaves it, by a stop or a kill. */
export async function makeAbandonedDirectory(
  directory: string,
  left: "stopped" | "killed",
  payloads: readonly string[] = Array.from({ length: EVENTS_LEFT }, (_, i) => String(i)),
): Promise<void> {
  Deno.mkdirSync(directory);
  // Edition A writes with one request; the file is the same for all editions.
  await using server = await startServer({ directory, listen: "unix", listenOnly: true });
  for (const payload of payloads) await server.client().append({ type: "t", identifiers: {}, payload });
  if (left === "stopped") await server.stop();
  else await server.kill();
}

/** Copies everything that a directory may hold: links, pipes, modes. */
export async function copyDirectory(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  if (!success) throw new Error(`${from} cannot be copied`);
}
