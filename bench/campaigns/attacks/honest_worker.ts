/// <reference lib="deno.worker" />
import { delay } from "../../../src/async/delay.ts";
import {
  type Address,
  Connection,
  type Reply,
  requestBytes,
  sendWithEveryRequest,
  textOf,
} from "../../connection.ts";
import type { EditionName } from "../../../src/config/setting.ts";
import {
  EVERY_MILLISECONDS,
  type HonestOrder,
  type HonestReport,
  type HonestRequest,
} from "./honest_order.ts";
import { type Latency, now } from "./latencies.ts";

/*
 * The thread of the honest clients: one client for each kind of request, each with its own connection. Begins with
 * an order, ends with "stop".
 */

/** A request without an answer in this time counts as failed. */
const ANSWER_SECONDS_MAX = 30;

const EVENT = { type: "honest", identifiers: { honest: "1", tenant: "honest" }, payload: "x" };
const EVENTS = JSON.stringify({ events: [EVENT] });
const READ = JSON.stringify({ query: [{ identifiers: [{ name: "honest", value: "1" }] }], limit: 10 });

class HonestClients {
  readonly #order: HonestOrder;
  readonly #latencies: Partial<Record<HonestRequest, Latency[]>> = {};
  readonly #failures: string[] = [];
  #acknowledged = 0;
  #unsure = 0;
  #stopped = false;
  readonly #running: Promise<void>[] = [];

  constructor(order: HonestOrder) {
    this.#order = order;
  }

  /** Sends each kind of request once, then again and again. */
  async start(): Promise<void> {
    const { address, requests } = this.#order;
    for (const request of requests) {
      using client = await Client.open(address);
      await this.#ask(request, client);
    }
    for (const request of requests) this.#running.push(this.#askOften(request));
  }

  async stop(): Promise<HonestReport> {
    this.#stopped = true;
    await Promise.all(this.#running);
    return {
      latencies: this.#latencies,
      failures: this.#failures,
      acknowledged: this.#acknowledged,
      unsure: this.#unsure,
    };
  }

  async #askOften(request: HonestRequest): Promise<void> {
    const latencies: Latency[] = this.#latencies[request] = [];
    let client: Client | undefined;
    while (!this.#stopped) {
      const at = now();
      try {
        client ??= await Client.open(this.#order.address);
        await this.#ask(request, client);
      } catch (error) {
        this.#failures.push(`${request}: ${(error as Error).message}`);
        client?.[Symbol.dispose]();
        client = undefined;
      }
      if (request === "connect") {
        client?.[Symbol.dispose]();
        client = undefined;
      }
      const milliseconds = now() - at;
      latencies.push({ at, milliseconds });
      await delay(Math.max(0, EVERY_MILLISECONDS - milliseconds));
    }
    client?.[Symbol.dispose]();
  }

  async #ask(request: HonestRequest, client: Client): Promise<void> {
    if (request === "write") return await this.#write(client);
    if (request === "read") await client.expect("QUERY", "/events", READ, 200);
    else await client.expect("GET", "/health", "", 200);
  }

  async #write(client: Client): Promise<void> {
    this.#unsure++;
    await WRITES[this.#order.edition](client).catch((error) => {
      // After a rejection, nothing was written. Without an answer, the outcome is unknown.
      if (error instanceof Refused) this.#unsure--;
      throw error;
    });
    this.#unsure--;
    this.#acknowledged++;
  }
}

class Refused extends Error {}

class Client implements Disposable {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async open(address: Address): Promise<Client> {
    return new Client(await Connection.open(address));
  }

  async expect(method: string, path: string, body: string, status: number, field?: string): Promise<Reply> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`no answer within ${ANSWER_SECONDS_MAX} s`)),
      ANSWER_SECONDS_MAX * 1000,
    );
    const asked = this.#connection.request(requestBytes(method, path, body, field));
    asked.catch(() => {});
    const reply = await Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
    if (reply.status !== status) throw new Refused(`${method} ${path}: ${reply.status} ${textOf(reply)}`);
    return reply;
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}

/** Writes one event in each edition, all or nothing. The last request is the one that the server acknowledges. */
const WRITES: Readonly<Record<EditionName, (client: Client) => Promise<unknown>>> = {
  A: (client) => client.expect("POST", "/write", EVENTS, 200),
  async B(client) {
    const { txId } = JSON.parse(textOf(await client.expect("POST", "/tx", "", 200))) as { txId: string };
    await client.expect("QUERY", `/tx/${txId}/events`, '{"query":"none"}', 200);
    await client.expect("POST", `/tx/${txId}/events`, EVENTS, 200);
    await client.expect("POST", `/tx/${txId}/commit`, "", 204);
  },
  async C(client) {
    const { ticket } = JSON.parse(textOf(await client.expect("POST", "/begin", "", 200))) as {
      ticket: string;
    };
    const field = `X-Service-Ticket: ${ticket}`;
    await client.expect("POST", "/events", EVENTS, 200, field);
    await client.expect("POST", "/commit", "", 204, field);
  },
};

let clients: HonestClients | undefined;

self.onmessage = async ({ data }: MessageEvent<HonestOrder | "stop">) => {
  if (data !== "stop") {
    if (data.token !== undefined) sendWithEveryRequest(`Authorization: Bearer ${data.token}`);
    clients = new HonestClients(data);
    await clients.start();
    self.postMessage("started");
    return;
  }
  self.postMessage(await clients!.stop());
  self.close();
};
