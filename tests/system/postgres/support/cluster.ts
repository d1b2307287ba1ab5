import { basename, dirname, join } from "node:path";
import { parsePostgresUrl, type PostgresAddress } from "../../../../src/config/postgres_url.ts";
import { type Row, textIn } from "../../../../src/store/postgres/protocol/cells.ts";
import { eventually } from "../../../support/eventually.ts";
import { freePort } from "../../../support/free_port.ts";
import { run } from "../../support/apt.ts";
import type { DebianProgram } from "../../support/debian_program.ts";
import { madeOnce } from "../../support/made_once.ts";
import { runSql } from "./run_sql.ts";
import { asUnprivileged, disown, reachable } from "./unprivileged.ts";

/** The programs that a cluster needs. */
export const POSTGRES_PROGRAMS = ["postgres", "initdb"] as const;
export type PostgresPrograms = Readonly<Record<(typeof POSTGRES_PROGRAMS)[number], DebianProgram>>;

const START_SECONDS = 30;
const STOP_MILLISECONDS = 10_000;

export interface ClusterOptions {
  /** The directory in which it creates its own. Default: the system's directory for temporary files. */
  readonly parent?: string | undefined;
  /** Settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Arguments of `initdb`. Default: those for a database in UTF-8 with trusted logins. */
  readonly initdb?: readonly string[];
  /** The cluster that this one follows by streaming, as its replica. */
  readonly replicaOf?: PostgresCluster;
}

/**
 * A PostgreSQL of its own, in a directory of its own. All that are no replicas begin as copies of one data directory, so
 * they have the same system identifier: a test that needs two different ones cannot start both in this way.
 */
export class PostgresCluster implements AsyncDisposable {
  readonly directory: string;
  readonly port: number;
  readonly #programs: PostgresPrograms;
  readonly #settings: Readonly<Record<string, string>>;
  #process: Deno.ChildProcess | undefined;
  #isOver = false;

  private constructor(programs: PostgresPrograms, { parent, settings = {} }: ClusterOptions) {
    this.#settings = settings;
    const place = parent === undefined ? {} : { dir: parent };
    this.directory = Deno.makeTempDirSync({ ...place, prefix: "eventstore_test_" });
    disown(this.directory);
    this.#programs = reachable(programs, this.directory);
    this.port = freePort();
  }

  static async start(programs: PostgresPrograms, options: ClusterOptions = {}): Promise<PostgresCluster> {
    const cluster = new PostgresCluster(programs, options);
    try {
      if (options.replicaOf === undefined) await cluster.#copyMade(options);
      else await cluster.#make(cluster.#baseBackup(options.replicaOf));
      await cluster.run();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get dataDirectory(): string {
    return join(this.directory, "data");
  }

  url(user = "postgres", database = "postgres"): string {
    return `postgresql://${user}@127.0.0.1:${this.port}/${database}`;
  }

  address(user?: string, database?: string): PostgresAddress {
    return parsePostgresUrl(this.url(user, database)) as PostgresAddress;
  }

  get pid(): number {
    return this.#process!.pid;
  }

  /** True while the server runs. It ends by itself when it cannot recover, as on a full disk. */
  get isRunning(): boolean {
    return this.#process !== undefined && !this.#isOver;
  }

  /** Starts the server and waits until it takes connections. */
  async run(): Promise<void> {
    const settings = {
      port: String(this.port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: this.directory,
      max_connections: "300",
      // The tests kill processes, not machines.
      fsync: "off",
      ...this.#settings,
    };
    const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const start = this.#command(this.#programs.postgres, ["-D", this.dataDirectory, ...given]);
    this.#isOver = true;
    await eventually(async () => {
      // After a crash, it does not start before all processes of the old one have ended.
      if (this.#isOver) {
        this.#isOver = false;
        this.#process = start.spawn();
        this.#process.status.then(() => this.#isOver = true);
      }
      // While it was down, another program may have taken its port.
      const [row] = await this.sql("SELECT current_setting('data_directory')");
      if (textIn(row![0]) !== this.dataDirectory) throw new Error(`another PostgreSQL has port ${this.port}`);
    }, START_SECONDS);
  }

  /** Ends the server as a crash would (SIGKILL) or at once (SIGQUIT), or asks it to end (SIGINT). */
  async end(signal: Deno.Signal): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    this.#process = undefined;
    process.kill(signal);
    const timer = setTimeout(() => process.kill("SIGKILL"), STOP_MILLISECONDS);
    await process.status;
    clearTimeout(timer);
  }

  /** Begins again as a replica of another cluster, whatever it was before. */
  async becomeReplicaOf(primary: PostgresCluster): Promise<void> {
    await this.end("SIGQUIT");
    // The processes of one that was killed may still write their last file.
    await eventually(() => Deno.removeSync(this.dataDirectory, { recursive: true }), START_SECONDS);
    await this.#make(this.#baseBackup(primary));
    await this.run();
  }

  /** Runs statements one after the other, each in its own transaction. @returns the rows of the last */
  sql(...statements: readonly string[]): Promise<readonly Row[]> {
    return this.sqlIn(this.address(), ...statements);
  }

  /** The same, as another role or in another database. */
  sqlIn(address: PostgresAddress, ...statements: readonly string[]): Promise<readonly Row[]> {
    return runSql(address, statements);
  }

  /** Replaces a file of its configuration. */
  configure(name: string, text: string): void {
    Deno.writeTextFileSync(join(this.dataDirectory, name), text);
  }

  /** Copies files into the data directory, where only PostgreSQL reads them. */
  copyIn(...paths: readonly string[]): void {
    for (const path of paths) {
      const copy = join(this.dataDirectory, basename(path));
      Deno.copyFileSync(path, copy);
      Deno.chmodSync(copy, 0o600);
      disown(copy);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGQUIT");
    Deno.removeSync(this.directory, { recursive: true });
  }

  async #make(making: Deno.Command): Promise<void> {
    if (!(await making.spawn().status).success) throw new Error("a data directory could not be made");
  }

  /** Copies a data directory from the cache, since `initdb` takes several times as long as a copy. */
  async #copyMade({ initdb: args = ["--auth=trust", "--encoding=UTF8"] }: ClusterOptions): Promise<void> {
    const { initdb } = this.#programs;
    const name = `postgres${args.join("").replaceAll(/\W+/g, "_")}`;
    const made = await madeOnce(name, [initdb.path], async (directory) => {
      const place = ["--pgdata", this.dataDirectory, "--username=postgres", "--locale=C", "--no-sync"];
      await this.#make(this.#command(initdb, [...place, ...args]));
      await Deno.remove(directory, { recursive: true }).catch(() => {});
      await Deno.mkdir(directory);
      await run("mv", [this.dataDirectory, join(directory, "data")]);
    });
    await run("cp", ["--archive", join(made, "data"), this.dataDirectory]);
  }

  #baseBackup({ port }: PostgresCluster): Deno.Command {
    const { path, ...program } = this.#programs.initdb;
    const source = [`--dbname=postgresql://postgres@127.0.0.1:${port}/postgres`, "--checkpoint=fast"];
    const target = ["--pgdata", this.dataDirectory, "--write-recovery-conf", "--no-sync"];
    // Next to the other programs of this version: the one on the path may be a link to it, or choose another version.
    const folder = dirname(Deno.realPathSync(path));
    return this.#command({ path: join(folder, "pg_basebackup"), ...program }, [...source, ...target]);
  }

  #command({ path, environment }: DebianProgram, args: readonly string[]): Deno.Command {
    const [program, ...all] = [...asUnprivileged(), path, ...args];
    return new Deno.Command(program!, {
      args: all,
      cwd: this.directory,
      env: { ...environment, LC_ALL: "C" },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
  }
}
