import assert from "node:assert/strict";
import { EventStore } from "../../../client/mod.ts";
import { placeOf } from "../../client/support.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { EVENT, write } from "./explored.ts";

/** Fewer events than a write may have. */
const WRITE_MAX = 50;

/** A consumer that runs until it is disposed of. */
export interface RunningConsumer extends AsyncDisposable {
  /** From now on the handler succeeds. */
  repair(): void;
}

/** Starts a consumer whose handler fails, and writes events until so many are parked. */
export async function parkedConsumer(
  server: ServerProcess,
  name: string,
  count: number,
): Promise<RunningConsumer> {
  const end = new AbortController();
  const parked = Promise.withResolvers<void>();
  let isBad = true;
  let left = count;
  const running = new EventStore(placeOf(server.address)).consume(name, {
    query: { types: [EVENT.type] },
    by: "note",
    handle({ sequence }) {
      if (isBad) throw new RangeError(`no paper for ${sequence}`);
    },
  }, {
    ...{ signal: end.signal, attempts: 1, partitions: 2, leaseSeconds: 0.6 },
    onNotification: ({ kind }) => kind === "parked" && --left === 0 && parked.resolve(),
  });
  running.catch(parked.reject);
  for (let i = 0; i < count; i += WRITE_MAX) {
    await write(server, ...Array.from({ length: Math.min(WRITE_MAX, count - i) }, () => EVENT));
  }
  await parked.promise;
  return {
    repair: () => isBad = false,
    async [Symbol.asyncDispose]() {
      end.abort(new Error("the test has ended"));
      await assert.rejects(running, /the test has ended/);
    },
  };
}
