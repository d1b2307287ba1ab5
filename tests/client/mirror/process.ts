import { mirror } from "../../../client/mirror/mod.ts";
import { EventStore, type EventStoreOptions } from "../../../client/mod.ts";
import type { Address } from "../../support/connection.ts";
import { connect, type NoteEvents, notes } from "./places.ts";
import { placeOf } from "../support.ts";

/** Starts a process that runs a mirror until it is killed. */
export function startMirror(address: Address, place: string): { kill(): Promise<void> } {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-check", "--allow-all", import.meta.filename!],
      ...[JSON.stringify(placeOf(address)), place],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  return {
    async kill() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

if (import.meta.main) {
  const [options, place] = Deno.args as [string, string];
  const { database } = await connect(place);
  // Small pages, so that there are many transactions to be killed in.
  const store = new EventStore<NoteEvents>(JSON.parse(options) as EventStoreOptions);
  await mirror(store, database, notes(), { limit: 3 });
}
