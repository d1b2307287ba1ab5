import { join } from "node:path";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { type UrlForms, urlOf } from "./plan.ts";

export interface ServerOptions {
  readonly edition: EditionName;
  readonly forms: UrlForms;
  /** The ports of the three hosts. */
  readonly ports: readonly number[];
  readonly schema: string;
  /** The setting `postgresFailover`. */
  readonly failover: "verify" | "lossless";
  /** The file for the output of each life of the server. */
  readonly log: string;
}

/** The time limit of the first start. */
const START_SECONDS = 20;

/** One server of the chain. It is restarted whenever it ends, as by a supervisor. */
export class ChainServer implements AsyncDisposable {
  readonly #options: ServerOptions;
  #process: ServerProcess | undefined;
  #isOver = false;
  #keeping: Promise<void> = Promise.resolve();
  #lastFailure = "";
  /** The number of starts, and the time of the last one, by `performance.now()`. */
  starts = 0;
  startedAt = 0;

  private constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** @throws AuditFailure when it does not start */
  static async start(options: ServerOptions): Promise<ChainServer> {
    const server = new ChainServer(options);
    server.#keeping = server.#keep();
    const endsAt = performance.now() + START_SECONDS * 1000;
    while (server.running === undefined) {
      if (performance.now() > endsAt) {
        await server[Symbol.asyncDispose]();
        throw new AuditFailure("the start of a server", [
          `it has not started in ${START_SECONDS} s with ${JSON.stringify(server.#environment())}`,
          server.#lastFailure,
        ]);
      }
      await pause(20);
    }
    return server;
  }

  /** Undefined while the server is not running. */
  get running(): ServerProcess | undefined {
    return this.#process?.isRunning ? this.#process : undefined;
  }

  kill(): void {
    this.#process?.signal("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#keeping;
    await this.#end();
  }

  async #keep(): Promise<void> {
    while (!this.#isOver) {
      if (this.running === undefined) await this.#startAgain();
      await pause(20);
    }
  }

  async #startAgain(): Promise<void> {
    await this.#end();
    try {
      this.#process = await startServer({ listen: "unix", listenOnly: true, env: this.#environment() });
      this.starts++;
      this.startedAt = performance.now();
    } catch (error) {
      this.#lastFailure = (error as Error).message;
      Deno.writeTextFileSync(this.#options.log, `--- no start\n${this.#lastFailure}\n`, { append: true });
    }
  }

  async #end(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined) return;
    const { stdout, stderr } = process;
    await process[Symbol.asyncDispose]();
    Deno.writeTextFileSync(this.#options.log, `--- ended\n${stdout}${stderr}\n`, { append: true });
  }

  #environment(): Record<string, string> {
    const { edition, forms: { order, target, read }, ports, schema, failover } = this.#options;
    const portsIn = (order: readonly number[]): number[] => order.map((place) => ports[place]!);
    return {
      SERVICE_EDITION: edition,
      SERVICE_STORAGE: "postgres",
      SERVICE_LOG_TIMESTAMPS: "true",
      SERVICE_POSTGRES_SCHEMA: schema,
      SERVICE_POSTGRES_FAILOVER: failover,
      SERVICE_POSTGRES_POOL_SIZE: "4",
      SERVICE_POSTGRES_URL: urlOf(portsIn(order), target),
      ...read === undefined ? {} : { SERVICE_POSTGRES_READ_URL: urlOf(portsIn(read.order), read.target) },
      // A transaction whose begin request lost its answer blocks all clients for this time.
      ...edition === "C" ? { SERVICE_TRANSACTION_TIMEOUT: "1", SERVICE_MAX_TRANSACTION_DURATION: "5" } : {},
    };
  }
}

/** The servers of a chain. The first one creates the store. */
export async function startServers(
  directory: string,
  forms: readonly UrlForms[],
  options: Omit<ServerOptions, "forms" | "log">,
): Promise<ChainServer[]> {
  const servers: ChainServer[] = [];
  try {
    for (const [number, its] of forms.entries()) {
      const log = join(directory, `server_${number}.log`);
      servers.push(await ChainServer.start({ ...options, forms: its, log }));
    }
    return servers;
  } catch (error) {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    throw error;
  }
}
