import assert from "node:assert/strict";
import type { Client } from "../../../support/client.ts";
import { type ServerProcess, startServer } from "../../../support/server_process.ts";
import type { PostgresCluster } from "./cluster.ts";
import { inTime } from "./in_time.ts";
import { serverVariables } from "./shared_stores.ts";

/** Editions with one active server, while the others stand by. */
export type PairEdition = "B" | "C";

/** Two servers of one edition on one store: one is active, and the other stands by. */
export class Pair implements AsyncDisposable {
  active: ServerProcess;
  standby: ServerProcess;

  private constructor(active: ServerProcess, standby: ServerProcess) {
    this.active = active;
    this.standby = standby;
  }

  static async start(
    cluster: PostgresCluster,
    edition: PairEdition,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Pair> {
    const env = {
      ...serverVariables(cluster.url(), `pair_${crypto.randomUUID().replaceAll("-", "")}`),
      SERVICE_EDITION: edition,
      ...more,
    };
    const active = await startServer({ env, listen: "tcp", listenOnly: true });
    try {
      return new Pair(active, await startServer({ env, listen: "tcp", listenOnly: true }));
    } catch (error) {
      await active[Symbol.asyncDispose]();
      throw error;
    }
  }

  get servers(): readonly ServerProcess[] {
    return [this.active, this.standby];
  }

  /** Waits until the server that stood by is the active one. */
  async tookOver(): Promise<void> {
    await becomesActive(this.standby);
    [this.active, this.standby] = [this.standby, this.active];
  }

  /** Waits until one server is active and the other stands by, whichever it is. */
  async settled(): Promise<void> {
    await inTime(async () => {
      const healths = await Promise.all(this.servers.map((server) => healthOf(server.client())));
      assert.deepEqual(healths.toSorted(), ["Standby", "ok"]);
      if (healths[0] !== "ok") [this.active, this.standby] = [this.standby, this.active];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]();
  }
}

/** Waits until a server is active. */
export async function becomesActive(server: ServerProcess): Promise<void> {
  const client = server.client();
  await inTime(async () => assert.equal(await healthOf(client), "ok"));
}

/** Waits until a server stands by. */
export async function standsBy(server: ServerProcess): Promise<void> {
  const client = server.client();
  await inTime(async () => assert.equal(await healthOf(client), "Standby"));
}

/** The answer of `GET /health`: `ok`, or the error. */
export async function healthOf(client: Client): Promise<string> {
  const { status, error } = (await client.request("GET", "/health")).json<
    { status?: string; error?: string }
  >();
  return status ?? error!;
}
