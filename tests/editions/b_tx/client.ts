import assert from "node:assert/strict";
import { type Client, projectionPath, type RequestOptions } from "../../support/client.ts";
import { metrics } from "../../support/metrics.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import type { Reply } from "../../support/connection.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../support/server_process.ts";

/** A line of a read in a transaction. A committed event has a `sequence`; an event of the transaction has none. */
export interface TxLine {
  readonly sequence?: number;
  readonly time: string;
  readonly type: string;
  readonly identifiers: Readonly<Record<string, string | readonly string[]>>;
  readonly metadata: Readonly<Record<string, string | readonly string[]>>;
  readonly payload: string;
}

export interface TxProjections {
  readonly create?: unknown;
  readonly replace?: unknown;
  readonly delete?: unknown;
}

export interface StatisticsDocument {
  readonly startedAt: string;
  readonly lastOptimizeAt: string;
  readonly writes: {
    readonly committed: number;
    readonly conflicts: { readonly condition: number; readonly projection: number };
    readonly writeQueueFull: number;
  };
  readonly transactions: Readonly<
    Record<"begun" | "committed" | "abandoned" | "expired" | "designErrors" | "busy" | "paused", number>
  >;
  readonly pause: { readonly state: string; readonly since: string; readonly openTransactions: number };
  readonly errors: { readonly internal: number };
}

/** The options of a server with edition B, in development mode. */
export function editionB(
  env: Readonly<Record<string, string>> = {},
  options: Omit<ServerOptions, "env"> = {},
): ServerOptions {
  return { listen: "unix", ...options, env: { SERVICE_EDITION: "B", SERVICE_DEV_MODE: "true", ...env } };
}

/** Starts the real program with edition B. */
export function startEditionB(...options: Parameters<typeof editionB>): Promise<ServerProcess> {
  return startServer(editionB(...options));
}

/** One transaction, with the calls of its client. */
export class Tx {
  readonly id: string;
  readonly #client: Pick<Client, "request">;

  constructor(client: Pick<Client, "request">, id: string) {
    this.#client = client;
    this.id = id;
  }

  call(method: string, rest: string, options: RequestOptions = {}): Promise<Reply> {
    return this.#client.request(method, `/tx/${this.id}${rest}`, options);
  }

  read(query: unknown): Promise<Reply> {
    return this.call("QUERY", "/events", { json: { query } });
  }

  write(...events: readonly unknown[]): Promise<Reply> {
    return this.call("POST", "/events", { json: { events } });
  }

  get(type: string, id: string): Promise<Reply> {
    return this.call("GET", projectionPath(type, id));
  }

  change(changes: TxProjections): Promise<Reply> {
    return this.call("POST", "/projections", { json: changes });
  }

  commit(): Promise<Reply> {
    return this.call("POST", "/commit");
  }

  abandon(): Promise<Reply> {
    return this.call("DELETE", "");
  }

  /** Reads, then writes; fails when either is rejected. */
  async decide(query: unknown, ...events: readonly unknown[]): Promise<TxLine[]> {
    const lines = txLines(await this.read(query));
    expectStatus(await this.write(...events), 200);
    return lines;
  }
}

export async function begin(client: Client): Promise<Tx> {
  const reply = await client.request("POST", "/tx");
  expectStatus(reply, 200);
  return new Tx(client, reply.json<{ txId: string }>().txId);
}

/** The events of a complete read in a transaction. */
export function txLines(reply: Reply): TxLine[] {
  expectStatus(reply, 200);
  assert.equal(reply.cutShort, false);
  assert.equal(reply.headers.has("x-service-head"), false);
  const lines = reply.text.split("\n");
  assert.equal(lines.pop(), "", "the last line ends");
  assert.equal(lines.pop(), '{"end":true}', "the trailer");
  return lines.map((line) => JSON.parse(line) as TxLine);
}

export function event(type: string, payload = "", identifiers: unknown = {}): unknown {
  return { type, identifiers, payload };
}

/** Writes events in their own transaction, whatever is in the store. */
export async function append(client: Client, ...events: readonly unknown[]): Promise<void> {
  const tx = await begin(client);
  await tx.decide("none", ...events);
  expectStatus(await tx.commit(), 204);
}

/** Creates a projection outside any transaction. @returns its version */
export async function createProjection(
  client: Client,
  type: string,
  id: string,
  payload = "",
): Promise<string> {
  const reply = await client.request("POST", "/projections", { json: { create: [{ type, id, payload }] } });
  expectStatus(reply, 200);
  return reply.json<{ create: { version: string }[] }>().create[0]!.version;
}

/** Replaces a projection outside any transaction, at its present version. */
export async function replaceProjection(
  client: Client,
  type: string,
  id: string,
  payload: string,
): Promise<void> {
  const read = await client.request("GET", `/projections/${type}/${id}`);
  const version = read.headers.get("x-service-version");
  const json = { replace: [{ type, id, version, payload }] };
  expectStatus(await client.request("POST", "/projections", { json }), 200);
}

export async function statistics(client: Client): Promise<StatisticsDocument> {
  const reply = await client.request("GET", "/stats");
  expectStatus(reply, 200);
  return reply.json<StatisticsDocument>();
}

/** Asserts that `/metrics` counts what `/stats` counts. */
export async function assertMetricsAgree(client: Client, document: StatisticsDocument): Promise<void> {
  const { writes, transactions, errors, lastOptimizeAt } = document;
  const samples = await metrics(client);
  const counts: Record<string, number> = {
    service_writes_committed_total: writes.committed,
    'service_writes_rejected_total{reason="condition"}': writes.conflicts.condition,
    'service_writes_rejected_total{reason="projection"}': writes.conflicts.projection,
    service_queue_full_total: writes.writeQueueFull,
    service_transactions_begun_total: transactions.begun,
    service_transactions_committed_total: transactions.committed,
    service_transactions_abandoned_total: transactions.abandoned,
    service_transactions_expired_total: transactions.expired,
    service_transactions_design_errors_total: transactions.designErrors,
    service_transactions_busy_total: transactions.busy,
    service_transactions_paused_total: transactions.paused,
    service_internal_errors_total: errors.internal,
  };
  for (const [name, count] of Object.entries(counts)) assert.equal(samples.get(name), count, name);
  const last = samples.get("service_last_optimize_timestamp_seconds")!;
  const lastMicros = Date.parse(lastOptimizeAt) * 1000 + Number(lastOptimizeAt.slice(23, 26));
  assert.equal(Math.round(last * 1e6), lastMicros);
}

/** Empties the store: pause, reset, resume. No transaction may be open. */
export async function emptyStore(client: Client): Promise<void> {
  expectStatus(await client.request("POST", "/pause"), 200);
  expectStatus(await client.request("POST", "/reset"), 204);
  expectStatus(await client.request("POST", "/resume"), 204);
}

/** The payloads of the committed events. */
export async function payloads(client: Client): Promise<string[]> {
  return (await client.queryEvents("all")).events.map((read) => read.payload);
}

/** Asserts that the transaction has ended. */
export async function assertEnded(tx: Tx): Promise<void> {
  assertRejected(await tx.read("all"), 404, "TransactionNotFound");
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
}
