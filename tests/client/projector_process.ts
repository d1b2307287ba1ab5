import { EventStore, type EventStoreOptions } from "../../client/mod.ts";
import type { Address } from "../support/connection.ts";
import { placeOf } from "./support.ts";

/** Starts a process that runs a projector until it is killed. */
export function startProjector(address: Address): { kill(): void } {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-check",
      "--allow-all",
      import.meta.filename!,
      JSON.stringify(placeOf(address)),
    ],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  return { kill: () => child.kill("SIGKILL") };
}

if (import.meta.main) {
  const store = new EventStore(JSON.parse(Deno.args[0]!) as EventStoreOptions);
  const model = {
    query: { types: ["Noted"] },
    initial: [] as readonly number[],
    apply: (
      sequences: readonly number[],
      { sequence }: { readonly sequence: number },
    ) => [...sequences, sequence],
  };
  for await (const _ of store.project("p", model, { limit: 2 }));
}
