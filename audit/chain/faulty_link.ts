import { type Passage, TcpProxy } from "../../tests/support/tcp_proxy.ts";
import { pause } from "../../tests/support/eventually.ts";

/** A link to a server on this machine. It can be slow, stall, break, and be redirected to another server. */
export class FaultyLink extends TcpProxy {
  readonly #target: { port: number | undefined };
  readonly #passages = new Set<Passage>();
  #stall: PromiseWithResolvers<void> | undefined;
  /** The delay of the next bytes from the server, in milliseconds. */
  delay: () => number = () => 0;

  /** @param port undefined while there is no target: then every new connection is closed */
  constructor(port: number | undefined) {
    const target = { port };
    super(() =>
      target.port === undefined ? Promise.reject(new Error("no server")) : Promise.resolve(target.port)
    );
    this.#target = target;
  }

  /** Breaks all connections and redirects new ones to this port. */
  leadTo(port: number | undefined): void {
    this.#target.port = port;
    this.resume();
    this.breakAll();
  }

  /** From now on no bytes pass in either direction. The connections stay open. */
  stall(): void {
    this.#stall ??= Promise.withResolvers();
  }

  /** Delivers the bytes that were held back. */
  resume(): void {
    this.#stall?.resolve();
    this.#stall = undefined;
  }

  breakAll(): void {
    for (const { client, server } of this.#passages) for (const conn of [client, server]) close(conn);
    this.#passages.clear();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await super[Symbol.asyncDispose]();
  }

  protected override async forth(bytes: Uint8Array, passage: Passage): Promise<void> {
    this.#passages.add(passage);
    await this.#stall?.promise;
    await super.forth(bytes, passage);
  }

  protected override async back(bytes: Uint8Array, passage: Passage): Promise<void> {
    const milliseconds = this.delay();
    if (milliseconds > 0) await pause(milliseconds);
    await this.#stall?.promise;
    await super.back(bytes, passage);
  }
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // It is closed already.
  }
}
