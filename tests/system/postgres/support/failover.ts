import assert from "node:assert/strict";
import { booleanIn, numberIn } from "../../../../src/store/postgres/protocol/cells.ts";
import type { Client } from "../../../support/client.ts";
import { type ServerProcess, startServer } from "../../../support/server_process.ts";
import { PostgresCluster, type PostgresPrograms } from "./cluster.ts";
import { postgresTest } from "./postgres_test.ts";
import { serverVariables } from "./shared_stores.ts";
import { inTime } from "./in_time.ts";

/** Several PostgreSQL hosts, one of them the primary, and the servers on them. */
export class Failover implements AsyncDisposable {
  readonly hosts: readonly PostgresCluster[];
  readonly servers: ServerProcess[] = [];

  private constructor(hosts: readonly PostgresCluster[]) {
    this.hosts = hosts;
  }

  /** The first host is the primary, and the others follow it. */
  static async start(programs: PostgresPrograms, replicas = 1): Promise<Failover> {
    const primary = await PostgresCluster.start(programs);
    const hosts = [primary];
    try {
      for (let i = 0; i < replicas; i++) {
        hosts.push(await PostgresCluster.start(programs, { replicaOf: primary }));
      }
      return new Failover(hosts);
    } catch (error) {
      for (const host of hosts) await host[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A URL with the hosts in this order. */
  url(order: readonly number[], target?: string): string {
    const hosts = order.map((i) => `127.0.0.1:${this.hosts[i]!.port}`).join(",");
    return `postgresql://postgres@${hosts}/postgres${
      target === undefined ? "" : `?target_session_attrs=${target}`
    }`;
  }

  /** Starts a server whose URL names the replicas first. */
  async serve(env: Readonly<Record<string, string>> = {}): Promise<Client> {
    const order = [...this.hosts.keys()].reverse();
    const server = await startServer({
      listen: "unix",
      listenOnly: true,
      env: { ...serverVariables(this.url(order)), ...env },
    });
    this.servers.push(server);
    return server.client();
  }

  /** Waits until a replica has these events. */
  async caughtUp(host: number, head: number): Promise<void> {
    await inTime(async () => {
      const sql = "SELECT head FROM eventstore.turn ORDER BY number DESC LIMIT 1";
      assert.equal(numberIn((await this.hosts[host]!.sql(sql))[0]![0]), head);
    });
  }

  /** Makes a replica receive nothing any more. */
  async stall(host: number): Promise<void> {
    const replica = this.hosts[host]!;
    await replica.sql("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
    await inTime(async () => {
      const [row] = await replica.sql("SELECT EXISTS (SELECT FROM pg_stat_wal_receiver)");
      assert.equal(booleanIn(row![0]), false);
    });
  }

  /** Ends the primary without notice, and promotes a replica. */
  async promote(host: number): Promise<void> {
    await this.hosts[0]!.end("SIGKILL");
    await this.hosts[host]!.sql("SELECT pg_promote()");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]();
    for (const host of this.hosts.toReversed()) await host[Symbol.asyncDispose]();
  }
}

/** Registers a test with a primary and its replica. */
export function failoverTest(name: string, test: (failover: Failover) => Promise<void>): Promise<void> {
  return postgresTest(name, async (programs) => {
    await using failover = await Failover.start(programs);
    await test(failover);
  });
}

/** Writes an event as soon as that is possible again. */
export async function appendedAgain(client: Client, type: string): Promise<void> {
  await inTime(async () => {
    assert.equal((await client.write({ events: [{ type, payload: "" }] })).status, 200);
  });
}
