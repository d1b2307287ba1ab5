import { join } from "node:path";
import type { Handler, Transport } from "../../../../src/http/exchange.ts";
import { TIMEOUTS, type Timeouts } from "../../../../src/http/transport/timeouts.ts";
import { listen } from "../../../../src/http/transport/listener.ts";
import type { Address } from "../../../support/connection.ts";
import { freePort } from "../../../support/free_port.ts";

export type Kind = Address["transport"];

export const KINDS: readonly Kind[] = ["tcp", "unix"];

/** A transport in this process, which is closed on disposal. */
export interface Listening extends AsyncDisposable {
  readonly address: Address;
  readonly transport: Transport;
  /** Statuses of requests that were rejected before the handler saw them. */
  readonly malformed: readonly number[];
}

export interface ListeningOptions {
  readonly connectionsMax?: number;
  readonly timeouts?: Partial<Timeouts>;
}

/** Listens in this process with the transport under test. */
export function listening(kind: Kind, handler: Handler, options: ListeningOptions = {}): Listening {
  const malformed: number[] = [];
  const place = freeAddress(kind);
  const transport = listen(place.address, handler, {
    hasCapacity: (open) => open < (options.connectionsMax ?? 1000),
    onMalformed: (status) => malformed.push(status),
    timeouts: { ...TIMEOUTS, ...options.timeouts },
  });
  return {
    address: place.address,
    transport,
    malformed,
    async [Symbol.asyncDispose]() {
      await transport.close(0).catch(() => {});
      place[Symbol.dispose]();
    },
  };
}

export interface Place extends Disposable {
  readonly address: Address;
}

/** An address on which no server listens. */
export function freeAddress(kind: Kind): Place {
  if (kind === "unix") {
    const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
    const path = join(directory, "test.sock");
    return {
      address: { transport: "unix", path },
      [Symbol.dispose]: () => Deno.removeSync(directory, { recursive: true }),
    };
  }
  return {
    address: { transport: "tcp", hostname: "127.0.0.1", port: freePort() },
    [Symbol.dispose]: () => {},
  };
}
