import { dirname, join } from "node:path";

import { parsePostgresUrl, type PostgresAddress } from "../../../../src/config/postgres_url.ts";
import { freePort } from "../../../support/free_port.ts";
import type { DebianProgram } from "../../support/debian_program.ts";
import { runSql } from "./run_sql.ts";
import { asUnprivileged, disown } from "./unprivileged.ts";

export const PATRONI_PROGRAMS = ["patroni", "etcd", "postgres", "initdb"] as const;
export type PatroniPrograms = Readonly<Record<(typeof PATRONI_PROGRAMS)[number], DebianProgram>>;

/** Seconds: how long a silent primary keeps its role, and the interval of Patroni's checks. */
const TTL = 10;
const LOOP_WAIT = 1;
const RETRY_TIMEOUT = 3;

const ANSWER_MILLISECONDS = 5000;

/** Patroni, and the PostgreSQL that it manages. */
export class PatroniNode {
  readonly name: string;
  readonly postgresPort: number = freePort();
  readonly #restPort = freePort();
  readonly #directory: string;
  readonly #programs: PatroniPrograms;
  #patroni: Deno.ChildProcess | undefined;

  constructor(name: string, parent: string, programs: PatroniPrograms, etcdPort: number) {
    this.name = name;
    this.#directory = join(parent, name);
    this.#programs = programs;
    Deno.mkdirSync(this.#directory);
    disown(this.#directory);
    Deno.writeTextFileSync(this.#configuration, JSON.stringify(this.#settings(etcdPort)));
  }

  /** Starts Patroni, which starts PostgreSQL: as a new cluster, or as a replica of the primary. */
  start(): void {
    const { patroni, postgres } = this.#programs;
    const [program, ...args] = [...asUnprivileged(), patroni.path, this.#configuration];
    const libraries = [patroni, postgres].map(({ environment }) => environment["LD_LIBRARY_PATH"]);
    const log = Deno.openSync(this.#log, { create: true, append: true });
    log.close();
    disown(this.#log);
    this.#patroni = new Deno.Command("sh", {
      args: ["-c", 'log=$0; exec "$@" >>"$log" 2>&1', this.#log, program!, ...args],
      cwd: this.#directory,
      env: {
        LC_ALL: "C",
        LD_LIBRARY_PATH: libraries.filter((path) => path !== undefined).join(":"),
        PYTHONPATH: join(patroni.root, "usr/lib/python3/dist-packages"),
      },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  /** Runs statements one after the other, each in its own transaction. */
  async sql(...statements: readonly string[]): Promise<void> {
    const address = parsePostgresUrl(`postgresql://postgres@127.0.0.1:${this.postgresPort}/postgres`);
    await runSql(address as PostgresAddress, statements);
  }

  /** True when it is the primary, by the request that load balancers send. */
  isPrimary(): Promise<boolean> {
    return this.#says("primary");
  }

  /** True when it is a replica that has everything that was acknowledged. */
  isSynchronous(): Promise<boolean> {
    return this.#says("synchronous");
  }

  /** Ends all its processes at once (SIGKILL), as when its machine loses power. */
  async kill(): Promise<void> {
    const patroni = this.#patroni;
    this.#patroni = undefined;
    const postmaster = this.#postmaster();
    // First the process that would start the others again.
    if (patroni !== undefined) killed(patroni.pid);
    for (const pid of postmaster === undefined ? [] : [postmaster, ...childrenOf(postmaster)]) killed(pid);
    await patroni?.status;
  }

  /** The last output of Patroni and PostgreSQL. */
  get output(): string {
    return Deno.readTextFileSync(this.#log).slice(-5000);
  }

  async #says(path: string): Promise<boolean> {
    try {
      const reply = await fetch(`http://127.0.0.1:${this.#restPort}/${path}`, {
        signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
      });
      await reply.body?.cancel();
      return reply.status === 200;
    } catch {
      return false;
    }
  }

  #postmaster(): number | undefined {
    try {
      return Number(Deno.readTextFileSync(join(this.#directory, "data", "postmaster.pid")).split("\n")[0]);
    } catch {
      return undefined;
    }
  }

  get #log(): string {
    return join(this.#directory, "patroni.log");
  }

  get #configuration(): string {
    return join(this.#directory, "patroni.yml");
  }

  /** The settings as JSON, which is also YAML. */
  #settings(etcdPort: number): unknown {
    const rest = `127.0.0.1:${this.#restPort}`;
    const postgres = `127.0.0.1:${this.postgresPort}`;
    return {
      scope: "eventstore",
      name: this.name,
      restapi: { listen: rest, connect_address: rest },
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ttl: TTL,
          loop_wait: LOOP_WAIT,
          retry_timeout: RETRY_TIMEOUT,
          synchronous_mode: true,
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_log_hints: "on" } },
        },
        initdb: [{ encoding: "UTF8" }, { locale: "C" }, { auth: "trust" }],
        pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
      },
      postgresql: {
        listen: postgres,
        connect_address: postgres,
        data_dir: join(this.#directory, "data"),
        bin_dir: dirname(Deno.realPathSync(this.#programs.initdb.path)),
        pgpass: join(this.#directory, "pgpass"),
        authentication: {
          superuser: { username: "postgres" },
          replication: { username: "postgres" },
          rewind: { username: "postgres" },
        },
        // The tests kill processes, not machines.
        parameters: { fsync: "off", unix_socket_directories: this.#directory, shared_buffers: "16MB" },
      },
    };
  }
}

function killed(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`);
    return text.split(" ").filter((child) => child !== "").map(Number);
  } catch {
    return [];
  }
}
