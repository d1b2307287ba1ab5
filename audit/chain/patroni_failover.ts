import { parsePostgresUrl, type PostgresAddress } from "../../src/config/postgres_url.ts";
import { numberIn } from "../../src/store/postgres/protocol/cells.ts";
import { debianPrograms } from "../../tests/system/support/debian_program.ts";
import { PATRONI_PROGRAMS, type PatroniNode } from "../../tests/system/postgres/support/patroni_node.ts";
import { PatroniCluster } from "../../tests/system/postgres/support/patroni_cluster.ts";
import { runSql } from "../../tests/system/postgres/support/run_sql.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { untilPromoted } from "../postgres/promotion.ts";
import type { Failover } from "./evidence.ts";
import { microseconds } from "./observed.ts";
import { urlOf } from "./plan.ts";
import type { Failing } from "./streaming_failover.ts";

const CAUGHT_UP_SECONDS = 60;

/** Three hosts with Patroni, which promotes the synchronous standby when the primary is lost. */
export class PatroniFailover implements Failing {
  readonly #cluster: PatroniCluster;
  #killed: PatroniNode | undefined;

  private constructor(cluster: PatroniCluster) {
    this.#cluster = cluster;
  }

  static async start(): Promise<PatroniFailover> {
    const cluster = await PatroniCluster.start(await debianPrograms(PATRONI_PROGRAMS), 3);
    return new PatroniFailover(cluster);
  }

  get ports(): readonly number[] {
    return this.#cluster.nodes.map(({ postgresPort }) => postgresPort);
  }

  async prepare(): Promise<void> {
    await this.#cluster.complete();
  }

  beginLoss(): void {}

  async strike(onStruck: () => void): Promise<Omit<Failover, "isKnownWhole">> {
    const primary = await this.#cluster.complete();
    const struckAt = microseconds();
    await primary.kill();
    this.#killed = primary;
    onStruck();
    await untilPromoted(this.#cluster);
    return { isLossy: false, kept: undefined, struckAt, promotedAt: microseconds() };
  }

  async mend(): Promise<void> {
    this.#killed?.start();
    await this.#cluster.complete();
  }

  async settle(): Promise<void> {
    const primary = await this.#cluster.complete();
    const sql = "SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint";
    const written = await numberOf(primary, sql);
    for (const node of this.#cluster.nodes) {
      if (node === primary) continue;
      await eventually(async () => {
        const applied = await numberOf(node, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint");
        if (applied < written) throw new Error(`${node.name} lags`);
      }, CAUGHT_UP_SECONDS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
  }
}

async function numberOf({ postgresPort }: PatroniNode, sql: string): Promise<number> {
  const address = parsePostgresUrl(urlOf([postgresPort], undefined)) as PostgresAddress;
  const [row] = await runSql(address, [sql]);
  return numberIn(row![0]);
}
