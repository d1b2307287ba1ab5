import type { Address } from "../../src/model/address.ts";
import { joinBytes } from "../../tests/support/bytes.ts";
import { pause } from "../../tests/support/eventually.ts";
import type { Random } from "../workload/random.ts";
import { bytesOfWords, HTTP_FAULTS, type HttpFault, NO_SERVER, randomWords } from "./http_faults.ts";
import { readHttpRequest } from "./http_request.ts";

/**
 * How requests find a server. `any`: each request goes to another server. `sticky`: to the last server that served,
 * until it no longer does. `health`: to a server that answers `GET /health` with 200.
 */
export type Balancing = "any" | "sticky" | "health";

export interface BalancerOptions {
  /** The addresses of the running servers. */
  readonly servers: () => readonly Address[];
  readonly balancing: Balancing;
  /** The share of requests that get a fault. */
  readonly faultRate: number;
  readonly random: Random;
}

const DELAY_MILLISECONDS_MAX = 150;

/**
 * Forwards each request to one of the servers of a store, and injects the faults that proxies cause into some of them.
 */
export class Balancer implements AsyncDisposable {
  readonly faults: Record<HttpFault, number>;
  readonly #options: BalancerOptions;
  readonly #listener: Deno.TcpListener;
  readonly #conns = new Set<Deno.Conn>();
  readonly #accepting: Promise<void>;
  /** Set to false to inject no faults. */
  isFaulty = true;
  #turn = 0;

  constructor(options: BalancerOptions) {
    this.#options = options;
    this.faults = Object.fromEntries(HTTP_FAULTS.map((fault) => [fault, 0])) as Record<HttpFault, number>;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#accepting = this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const conn of this.#conns) close(conn);
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    const serving = new Set<Promise<void>>();
    try {
      for (;;) {
        const conn = await this.#listener.accept();
        this.#conns.add(conn);
        const work: Promise<void> = this.#serve(conn).catch(() => {}).finally(() => {
          close(conn);
          this.#conns.delete(conn);
          serving.delete(work);
        });
        serving.add(work);
      }
    } catch {
      // It was closed.
    }
    await Promise.all(serving);
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const { random } = this.#options;
    const request = await readHttpRequest(client);
    const fault = this.#draw();
    if (fault === "cutBefore") return;
    if (fault === "wordsInstead") return await writeAll(client, bytesOfWords(randomWords(random)));
    if (fault === "delayed") await pause(random.below(DELAY_MILLISECONDS_MAX));
    const server = await this.#connect();
    if (server === undefined) return await writeAll(client, bytesOfWords(NO_SERVER));
    this.#conns.add(server);
    untilLeft(client).then(() => close(server));
    try {
      await writeAll(server, request);
      if (fault === undefined || fault === "delayed") return await this.#passOn(server, client);
      const answer = await readToEnd(server);
      if (fault === "wordsAfter") await writeAll(client, bytesOfWords(randomWords(random)));
      if (fault === "cutWithin") await writeAll(client, answer.subarray(0, random.below(answer.length)));
    } finally {
      close(server);
      this.#conns.delete(server);
    }
  }

  #draw(): HttpFault | undefined {
    const { random, faultRate } = this.#options;
    if (!this.isFaulty || !random.chance(faultRate)) return undefined;
    const fault = random.pick(HTTP_FAULTS);
    this.faults[fault]++;
    return fault;
  }

  /** Connects to a server that accepts connections. Returns undefined when none does. */
  async #connect(): Promise<Deno.Conn | undefined> {
    const { servers, balancing, random } = this.#options;
    const all = servers();
    const first = balancing === "any" ? random.below(all.length || 1) : this.#turn;
    for (let i = 0; i < all.length; i++) {
      const at = (first + i) % all.length;
      if (balancing === "health" && !await isHealthy(all[at]!)) continue;
      try {
        const conn = await connectTo(all[at]!);
        this.#turn = at;
        return conn;
      } catch {
        // Try the next server.
      }
    }
    return undefined;
  }

  async #passOn(server: Deno.Conn, client: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    let isFirst = true;
    for (let count = await server.read(buffer); count !== null; count = await server.read(buffer)) {
      const bytes = buffer.slice(0, count);
      if (isFirst && new TextDecoder().decode(bytes.subarray(9, 12)) === "503") this.#turn++;
      isFirst = false;
      await writeAll(client, bytes);
    }
    if (isFirst) this.#turn++;
  }
}

async function isHealthy(address: Address): Promise<boolean> {
  try {
    using conn = await connectTo(address);
    const head = "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    await writeAll(conn, new TextEncoder().encode(head));
    const answer = await readToEnd(conn);
    return new TextDecoder().decode(answer.subarray(9, 12)) === "200";
  } catch {
    return false;
  }
}

function connectTo(address: Address): Promise<Deno.Conn> {
  if (address.transport === "unix") return Deno.connect(address);
  return Deno.connect({ hostname: address.hostname, port: address.port });
}

/** Resolves when the client has closed its connection. The client sends nothing more. */
async function untilLeft(client: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(16);
  try {
    while (await client.read(buffer) !== null);
  } catch {
    // It was closed here.
  }
}

async function readToEnd(conn: Deno.Conn): Promise<Uint8Array> {
  const buffer = new Uint8Array(64 * 1024);
  const parts: Uint8Array[] = [];
  for (let count = await conn.read(buffer); count !== null; count = await conn.read(buffer)) {
    parts.push(buffer.slice(0, count));
  }
  return joinBytes(parts);
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await conn.write(bytes.subarray(written));
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
