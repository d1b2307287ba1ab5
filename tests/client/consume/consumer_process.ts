import { EventStore, type EventStoreOptions } from "../../../client/mod.ts";
import type { Address } from "../../support/connection.ts";
import { placeOf, type SchoolEvents } from "../support.ts";

/** Options of the consumer of a process. */
export interface ProcessOptions {
  readonly leaseSeconds: number;
  /** The time that a handler takes at most, in milliseconds. */
  readonly milliseconds: number;
}

/** A process that runs the consumer `c` until it is killed. */
export interface ConsumerProcess extends AsyncDisposable {
  send(signal: Deno.Signal): void;
}

/**
 * Starts a process whose handler writes an event for each `Noted`, with its sequence as metadata `of`, and counts the
 * events of the key in a projection.
 */
export function startConsumer(address: Address, options: ProcessOptions): ConsumerProcess {
  const place = JSON.stringify(placeOf(address));
  const args = ["run", "--quiet", "--no-check", "--allow-all", import.meta.filename!, place];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args, JSON.stringify(options)],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  return {
    send: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has been killed.
      }
      await child.status;
    },
  };
}

if (import.meta.main) {
  const store = new EventStore<SchoolEvents>(JSON.parse(Deno.args[0]!) as EventStoreOptions);
  const { leaseSeconds, milliseconds } = JSON.parse(Deno.args[1]!) as ProcessOptions;
  const end = new AbortController();
  Deno.addSignalListener("SIGTERM", () => end.abort(new Error("SIGTERM")));
  await store.consume("c", {
    query: { types: ["Noted"] },
    by: "key",
    async handle({ identifiers, sequence }) {
      const id = String(identifiers["key"]);
      const count = await store.projections.get<number>("count", id);
      if (milliseconds) await new Promise((resolve) => setTimeout(resolve, milliseconds * Math.random()));
      const next = { type: "count", id, payload: (count?.payload ?? 0) + 1 };
      return {
        events: { type: "StudentEnrolled", identifiers, metadata: { of: String(sequence) }, payload: null },
        projections: count ? { replace: [{ ...next, version: count.version }] } : { create: [next] },
      };
    },
  }, { leaseSeconds, signal: end.signal }).catch((error) => {
    if (!end.signal.aborted) throw error;
  });
}
