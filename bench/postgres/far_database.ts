import type { PostgresAddress } from "../../src/config/postgres_url.ts";
import { openPrimary } from "../../src/store/postgres/connection/open_session.ts";
import { median } from "../campaigns/report.ts";

/** A proxy in front of a database, in a thread of its own. It delays the messages of servers. */
export class FarDatabase implements Disposable {
  readonly port: number;
  readonly #worker: Worker;

  private constructor(worker: Worker, port: number) {
    this.#worker = worker;
    this.port = port;
  }

  static async open(databasePort: number, milliseconds: number): Promise<FarDatabase> {
    const worker = new Worker(new URL("./far_database_worker.ts", import.meta.url), { type: "module" });
    const started = Promise.withResolvers<number>();
    worker.onmessage = ({ data }: MessageEvent<number>) => started.resolve(data);
    worker.onerror = (event) => started.reject(new Error(event.message));
    worker.postMessage({ databasePort, milliseconds });
    return new FarDatabase(worker, await started.promise);
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}

const ROUND_TRIPS = 25;

/** @returns milliseconds, the median of some round trips without work */
export async function roundTripTo(address: PostgresAddress): Promise<number> {
  const session = await openPrimary({ address, schema: "public" }, "setup");
  const milliseconds: number[] = [];
  for (let i = 0; i < ROUND_TRIPS; i++) {
    const startedAt = performance.now();
    await session.run([{ sql: "SELECT" }]);
    milliseconds.push(performance.now() - startedAt);
  }
  await session.close();
  return median(milliseconds);
}
