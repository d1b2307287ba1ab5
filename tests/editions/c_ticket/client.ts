import assert from "node:assert/strict";
import {
  type Client,
  type EventsPage,
  parsePage,
  projectionPath,
  type RequestOptions,
} from "../../support/client.ts";
import type { Connection, Reply } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import type { DebugSnapshot } from "../../support/held_write_lock.ts";
import { metrics } from "../../support/metrics.ts";
import { expectStatus, UUID } from "../../support/replies.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../support/server_process.ts";

export interface Changes {
  readonly create?: unknown;
  readonly replace?: unknown;
  readonly delete?: unknown;
}

/** The body of edition C's `GET /debug`. */
export interface DebugDocument {
  readonly time: string;
  readonly paused: null | { readonly since: string };
  readonly write: {
    readonly active: null | {
      readonly since: string;
      readonly ageSeconds: number;
      readonly deadline: string;
      readonly ceiling: string;
      readonly calls: number;
    };
    readonly queued: readonly {
      readonly kind: string;
      readonly queuedAt: string;
      readonly waitSeconds: number;
    }[];
    readonly httpOpen: number;
    readonly sqliteInUse: number;
    readonly sqliteMax: number;
  };
  readonly read: DebugSnapshot["read"];
}

/** The options of a server with edition C, in development mode. */
export function editionC(
  env: Readonly<Record<string, string>> = {},
  options: Omit<ServerOptions, "env"> = {},
): ServerOptions {
  return { listen: "unix", ...options, env: { SERVICE_EDITION: "C", SERVICE_DEV_MODE: "true", ...env } };
}

/** Starts the real program with edition C. */
export function startEditionC(...options: Parameters<typeof editionC>): Promise<ServerProcess> {
  return startServer(editionC(...options));
}

/** A call of a transaction. Each header name is sent once. */
export interface CallOptions extends RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

/** One transaction, with the calls of its client. Every call carries the ticket. */
export class Transaction {
  readonly ticket: string;
  readonly #client: Client;

  constructor(client: Client, ticket: string) {
    this.#client = client;
    this.ticket = ticket;
  }

  call(method: string, target: string, options: CallOptions = {}): Promise<Reply> {
    return this.#client.request(method, target, this.#carried(options));
  }

  /** Sends a call in one packet and does not wait for its reply; the caller closes the connection. */
  start(method: string, target: string, options: CallOptions = {}): Promise<Connection> {
    return this.#client.begin(method, target, this.#carried(options));
  }

  /** The bytes of a call, for tests that send them in their own way. */
  bytesOf(method: string, target: string, options: CallOptions = {}): Uint8Array {
    return this.#client.bytesOf(method, target, this.#carried(options));
  }

  async read(query: unknown = "*", rest: Readonly<Record<string, unknown>> = {}): Promise<EventsPage> {
    return parsePage(await this.call("QUERY", "/events", { json: { query, ...rest } }));
  }

  append(events: readonly unknown[], condition?: unknown): Promise<Reply> {
    return this.call("POST", "/events", { json: { events, condition } });
  }

  get(type: string, id: string): Promise<Reply> {
    return this.call("GET", projectionPath(type, id));
  }

  change(changes: Changes): Promise<Reply> {
    return this.call("POST", "/projections", { json: changes });
  }

  commit(): Promise<Reply> {
    return this.call("POST", "/commit");
  }

  rollback(): Promise<Reply> {
    return this.call("POST", "/rollback");
  }

  #carried(options: CallOptions): CallOptions {
    return { ...options, headers: { ...options.headers, "X-Service-Ticket": this.ticket } };
  }
}

/** Waits for a ticket without a time limit. */
export async function begin(client: Client): Promise<Transaction> {
  return beginReply(client, await client.request("POST", "/begin"));
}

/** A `POST /begin` that waits on its own connection. */
export class WaitingBegin implements Disposable {
  readonly connection: Connection;
  readonly #client: Client;

  private constructor(client: Client, connection: Connection) {
    this.#client = client;
    this.connection = connection;
  }

  static async send(client: Client): Promise<WaitingBegin> {
    return new WaitingBegin(client, await client.begin("POST", "/begin"));
  }

  reply(): Promise<Reply> {
    return this.connection.readReply("POST");
  }

  async ticket(): Promise<Transaction> {
    return beginReply(this.#client, await this.reply());
  }

  [Symbol.dispose](): void {
    this.connection.close();
  }
}

function beginReply(client: Client, reply: Reply): Transaction {
  const { ticket, ...rest } = expectStatus(reply, 200).json<{ ticket: string }>();
  assert.match(ticket, UUID);
  assert.deepEqual(rest, {});
  return new Transaction(client, ticket);
}

export function event(type: string, payload = "", identifiers: unknown = {}): unknown {
  return { type, identifiers, payload };
}

/** Returns the sequences of an accepted append. */
export function sequencesOf(reply: Reply): number[] {
  return expectStatus(reply, 200).json<{ events: { sequence: number }[] }>().events.map((e) => e.sequence);
}

/** Appends events in their own transaction. */
export async function append(client: Client, ...events: readonly unknown[]): Promise<void> {
  const transaction = await begin(client);
  expectStatus(await transaction.append(events), 200);
  expectStatus(await transaction.commit(), 204);
}

/** Creates a projection in its own transaction. @returns its version */
export async function createProjection(
  client: Client,
  type: string,
  id: string,
  payload = "",
): Promise<string> {
  const transaction = await begin(client);
  const reply = expectStatus(await transaction.change({ create: [{ type, id, payload }] }), 200);
  expectStatus(await transaction.commit(), 204);
  return reply.json<{ create: { version: string }[] }>().create[0]!.version;
}

export async function debugDocument(client: Client): Promise<DebugDocument> {
  return expectStatus(await client.request("GET", "/debug"), 200).json<DebugDocument>();
}

/** Waits until exactly this number of requests wait for their turn. */
export async function waitForWaiting(client: Client, count: number): Promise<void> {
  await eventually(async () => {
    const { write } = await debugDocument(client);
    assert.equal(write.queued.length, count, "requests that wait for their turn");
  });
}

/** The number of ended transactions since startup: committed ones, and the others by reason. */
export async function ends(client: Client): Promise<Record<string, number>> {
  const samples = await metrics(client);
  const counts: Record<string, number> = {
    committed: samples.get("service_transactions_committed_total") ?? NaN,
  };
  for (const [name, value] of samples) {
    const reason = /^service_transactions_rolled_back_total\{reason="(\w+)"\}$/.exec(name)?.[1];
    if (reason !== undefined) counts[reason] = value;
  }
  return counts;
}
