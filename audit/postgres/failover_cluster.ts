import { debianPrograms } from "../../tests/system/support/debian_program.ts";
import { PATRONI_PROGRAMS, type PatroniNode } from "../../tests/system/postgres/support/patroni_node.ts";
import { PatroniCluster } from "../../tests/system/postgres/support/patroni_cluster.ts";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import { rolesFor } from "./roles.ts";

/** Longer than Patroni itself would try. */
const PROMOTED_SECONDS = 120;

/** A primary and a synchronous standby. The current primary is killed again and again. */
export class FailoverCluster implements AsyncDisposable {
  readonly #cluster: PatroniCluster;

  private constructor(cluster: PatroniCluster) {
    this.#cluster = cluster;
  }

  static async start(servers: number): Promise<FailoverCluster> {
    const cluster = await PatroniCluster.start(await debianPrograms(PATRONI_PROGRAMS));
    try {
      await (await cluster.complete()).sql(...rolesFor(servers));
      return new FailoverCluster(cluster);
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The port of the primary, as a load balancer that asks Patroni finds it. @throws Error while there is no primary */
  async primaryPort(): Promise<number> {
    const primary = await this.#cluster.primary();
    if (primary === undefined) throw new Error("there is no primary");
    return primary.postgresPort;
  }

  /** Kills the primary, as soon as a standby can take over. @returns the killed node */
  async killPrimary(): Promise<PatroniNode> {
    const primary = await this.#cluster.complete();
    await primary.kill();
    return primary;
  }

  /** Waits until the other node accepts writes. @returns after how many milliseconds */
  async untilPromoted(): Promise<number> {
    const started = performance.now();
    while (!await this.#takesWrites()) {
      if (performance.now() > started + PROMOTED_SECONDS * 1000) {
        throw new AuditFailure("Patroni", ["no failover", this.#cluster.output]);
      }
      await pause(20);
    }
    return performance.now() - started;
  }

  /** Waits until the killed node is a synchronous standby again. */
  async bringBack(killed: PatroniNode): Promise<void> {
    killed.start();
    await this.#cluster.complete();
  }

  async drop(schema: string): Promise<void> {
    await (await this.#cluster.complete()).sql(`DROP SCHEMA ${schema} CASCADE`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
  }

  async #takesWrites(): Promise<boolean> {
    try {
      await (await this.#cluster.primary())!.sql("CREATE TEMPORARY TABLE written ()");
      return true;
    } catch {
      return false;
    }
  }
}
