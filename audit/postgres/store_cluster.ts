import { debianPrograms } from "../../tests/system/support/debian_program.ts";
import { SmallDisk } from "../../tests/system/support/small_disk.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "../../tests/system/postgres/support/cluster.ts";
import { rolesFor } from "./roles.ts";

/** Large enough for a new database, its log, and the stores of some rounds. */
const DISK_MEBIBYTES = 160;

const SETTINGS = {
  // Few, so that the disruption can use them up.
  max_connections: "40",
  // Little is written, so that the log takes little of the disk.
  max_wal_size: "8MB",
  min_wal_size: "2MB",
  shared_buffers: "16MB",
};

const INITDB = ["--auth=trust", "--encoding=UTF8", "--wal-segsize=1"];

/** A PostgreSQL on a small disk of its own, where one may be mounted. */
export class StoreCluster implements AsyncDisposable {
  readonly postgres: PostgresCluster;
  /** Undefined where mounting is not allowed: then its disk cannot be filled. */
  readonly disk: SmallDisk | undefined;

  private constructor(postgres: PostgresCluster, disk: SmallDisk | undefined) {
    this.postgres = postgres;
    this.disk = disk;
  }

  /** @param servers the number of servers that need a role */
  static async start(servers: number): Promise<StoreCluster> {
    const programs = await debianPrograms(POSTGRES_PROGRAMS);
    const disk = SmallDisk.mount(DISK_MEBIBYTES);
    try {
      const options = { settings: SETTINGS, initdb: INITDB, parent: disk?.path };
      const cluster = new StoreCluster(await PostgresCluster.start(programs, options), disk);
      await cluster.postgres.sql(...rolesFor(servers));
      return cluster;
    } catch (error) {
      disk?.[Symbol.dispose]();
      throw error;
    }
  }

  /** Starts it again if it has ended. */
  async runAgain(): Promise<void> {
    if (!this.postgres.isRunning) await this.postgres.run();
  }

  /** Removes the tables of a store that is no longer used. */
  async drop(schema: string): Promise<void> {
    await this.postgres.sql(`DROP SCHEMA ${schema} CASCADE`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.postgres[Symbol.asyncDispose]();
    this.disk?.[Symbol.dispose]();
  }
}
