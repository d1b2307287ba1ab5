import type { Client, RequestOptions } from "../../tests/support/client.ts";
import { type Connection, NoReply, type Reply } from "../../tests/support/connection.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import { pause } from "../../tests/support/eventually.ts";
import type { WireQuery } from "../../tests/editions/a_write/reference.ts";
import { AuditFailure } from "../report.ts";
import { isListening } from "../server/is_listening.ts";
import type { EditionName } from "../../src/config/setting.ts";

/** A busy machine needs time to start and to stop a server. */
const TIMEOUT_SECONDS = 120;

/** The real server, as commands use it, and the counts of the situations that they met. */
export class System {
  readonly server: ServerProcess;
  readonly edition: EditionName;
  readonly tally = {
    rounds: 0,
    runs: 0,
    requests: 0,
    rejected: 0,
    conflicts: 0,
    commits: 0,
    edges: 0,
    restarts: 0,
    kills: 0,
    interrupted: 0,
    woken: 0,
    fullQueues: 0,
    /** Queues of writes, full or not, and how many of them had a write that lost its position. */
    queues: 0,
    outOfTurn: 0,
  };
  /** The counts that the server must have reached since its start, by names that each edition defines. */
  counts: Record<string, number> = {};
  /** True after a run has failed: then the state of the server is unknown. */
  isSuspect = false;

  constructor(server: ServerProcess, edition: EditionName) {
    this.server = server;
    this.edition = edition;
  }

  async request(method: string, target: string, options?: RequestOptions): Promise<Reply> {
    return this.#met(await this.server.client().request(method, target, options));
  }

  /** Sends a request and does not wait for its answer. */
  async begin(method: string, target: string, options?: RequestOptions): Promise<Begun> {
    const connection = await this.server.client().begin(method, target, options);
    const reply = connection.readReply(method).then((reply) => this.#met(reply), ifGone);
    return { connection, reply };
  }

  /** The client that the helpers of the tests expect. */
  get client(): Client {
    return this.server.client();
  }

  count(name: string): void {
    if (name === "committed") this.tally.commits++;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  async #start(): Promise<void> {
    this.server.spawn();
    await this.started();
  }

  /** Waits for a start. */
  async started(): Promise<void> {
    if (!await isListening(this.server, "a start", TIMEOUT_SECONDS)) {
      throw new AuditFailure("a start", [this.server.stderr]);
    }
    this.counts = {};
  }

  async #killNow(): Promise<void> {
    this.server.signal("SIGKILL");
    await this.server.ended(TIMEOUT_SECONDS);
  }

  async restart(): Promise<void> {
    this.tally.restarts++;
    this.server.signal("SIGTERM");
    const { code, stderr } = await this.server.ended(TIMEOUT_SECONDS);
    if (code !== 0) throw new AuditFailure("a stop", [`exit code ${code}`, stderr]);
    await this.#start();
  }

  async kill(): Promise<void> {
    this.tally.kills++;
    await this.#killNow();
    await this.#start();
  }

  /**
   * Kills the server while it works on a request.
   * @returns its answer, if there was one
   */
  async interrupt({ connection, reply }: Begun, afterMilliseconds: number): Promise<Reply | undefined> {
    if (afterMilliseconds > 0) await pause(afterMilliseconds);
    await this.kill();
    connection.close();
    const answer = await reply;
    this.tally.interrupted += Number(answer === undefined);
    return answer;
  }

  /** Prepares a server in an unknown state for the next run, after a failure. */
  async recover(): Promise<void> {
    if (!this.isSuspect) return;
    await this.#killNow().catch(() => {});
    await this.#start();
    this.isSuspect = false;
  }

  /** The query in the syntax of the edition. */
  wire(query: WireQuery | "none"): unknown {
    return query === "*" && this.edition === "B" ? "all" : query;
  }

  #met(reply: Reply): Reply {
    this.tally.requests++;
    this.tally.rejected += Number(reply.status >= 400);
    this.tally.conflicts += Number(reply.status === 409);
    return reply;
  }
}

/** A pending request. Without a server, it gets no answer. */
export interface Begun {
  readonly connection: Connection;
  readonly reply: Promise<Reply | undefined>;
}

function ifGone(error: unknown): undefined {
  if (!(error instanceof NoReply)) throw error;
}
