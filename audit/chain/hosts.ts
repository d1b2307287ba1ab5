import { debianPrograms } from "../../tests/system/support/debian_program.ts";
import { POSTGRES_PROGRAMS, PostgresCluster } from "../../tests/system/postgres/support/cluster.ts";
import { numberIn } from "../../src/store/postgres/protocol/cells.ts";
import { eventually, pause } from "../../tests/support/eventually.ts";
import { FaultyLink } from "./faulty_link.ts";

/** The time limit for a replica to receive everything. */
const CAUGHT_UP_SECONDS = 30;

/** A replica with WAL left to apply applies some of it within this time. */
const SETTLED_MILLISECONDS = 40;

const SETTINGS = {
  max_connections: "100",
  shared_buffers: "16MB",
  // A replica that was stalled still finds the WAL that it needs.
  wal_keep_size: "64MB",
  wal_sender_timeout: "0",
  wal_receiver_timeout: "0",
  wal_retrieve_retry_interval: "50ms",
  autovacuum: "off",
};

/** In memory where possible: copying a host then takes a tenth of the time. */
const MEMORY = "/dev/shm";

const INITDB = ["--auth=trust", "--encoding=UTF8", "--wal-segsize=1"];

/** One of the three PostgreSQL hosts. */
export class Host implements AsyncDisposable {
  readonly name: string;
  readonly cluster: PostgresCluster;
  /** The link through which the host receives the WAL of the host that it follows. */
  readonly feed: FaultyLink;
  /** The link through which the servers reach the host, unless they connect to it directly. */
  readonly front: FaultyLink;

  constructor(name: string, cluster: PostgresCluster, feed: FaultyLink) {
    this.name = name;
    this.cluster = cluster;
    this.feed = feed;
    this.front = new FaultyLink(cluster.port);
  }

  /** Follows another host with the same history, or no host. */
  follow(primary: Host | undefined): void {
    this.feed.delay = () => 0;
    this.feed.leadTo(primary?.cluster.port);
  }

  /** Starts again with a copy of another host. */
  async copy(primary: Host): Promise<void> {
    this.follow(primary);
    await this.cluster.becomeReplicaOf(primary.cluster);
  }

  /**
   * Sets the synchronous standbys: a COMMIT waits for the first of these replicas, or for none when the list is empty.
   */
  waitFor(...replicas: readonly Host[]): void {
    const names = replicas.map(({ name }) => name).join();
    this.cluster.configure("postgresql.auto.conf", `synchronous_standby_names = '${names}'\n`);
    Deno.kill(this.cluster.pid, "SIGHUP");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    await this.feed[Symbol.asyncDispose]();
    await this.front[Symbol.asyncDispose]();
  }
}

/** Three PostgreSQL hosts: a primary, and two that follow it by streaming, each over a link that can be slow. */
export class Hosts implements AsyncDisposable {
  readonly all: readonly Host[];
  primary: Host;

  private constructor(all: readonly Host[]) {
    this.all = all;
    this.primary = all[0]!;
  }

  static async start(): Promise<Hosts> {
    const programs = await debianPrograms(POSTGRES_PROGRAMS);
    const all: Host[] = [];
    try {
      for (const name of ["h1", "h2", "h3"]) {
        const first = all[0]?.cluster;
        const feed = new FaultyLink(first?.port);
        const settings = {
          ...SETTINGS,
          primary_conninfo: `host=127.0.0.1 port=${feed.port} user=postgres application_name=${name}`,
        };
        const options = { settings, initdb: INITDB, parent: isDirectory(MEMORY) ? MEMORY : undefined };
        const made = first === undefined ? options : { ...options, replicaOf: first };
        all.push(new Host(name, await PostgresCluster.start(programs, made), feed));
      }
      return new Hosts(all);
    } catch (error) {
      for (const host of all) await host[Symbol.asyncDispose]();
      throw error;
    }
  }

  get replicas(): readonly Host[] {
    return this.all.filter((host) => host !== this.primary);
  }

  /** Waits until a replica has applied everything that another host has written so far. */
  async caughtUp(replica: Host, primary: Host = this.primary): Promise<void> {
    const [row] = await primary.cluster.sql("SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint");
    await eventually(async () => {
      const applied = await appliedBy(replica);
      if (applied < numberIn(row![0])) throw new Error(`${replica.name} lags`);
    }, CAUGHT_UP_SECONDS);
  }

  /** Waits until a replica that receives nothing more has applied all it has. Its last record may be incomplete. */
  async settled(replica: Host): Promise<void> {
    for (let last = -1, now = await appliedBy(replica); now !== last;) {
      await pause(SETTLED_MILLISECONDS);
      [last, now] = [now, await appliedBy(replica)];
    }
  }

  async promote(replica: Host): Promise<void> {
    replica.waitFor();
    await replica.cluster.sql("SELECT pg_promote()");
    this.primary = replica;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.all) await host[Symbol.asyncDispose]();
  }
}

async function appliedBy(replica: Host): Promise<number> {
  const [row] = await replica.cluster.sql("SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint");
  return numberIn(row![0]);
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
