import type { Transport } from "./transport.ts";

type Socket = import("node:net").Socket;

/** Adapts a socket of Node to a connection of Deno: it reads on request. */
export class NodeTransport implements Transport {
  readonly #socket: Socket;
  readonly #received: AsyncIterator<Uint8Array, undefined>;
  /** Received bytes that did not fit into the last read. */
  #rest: Uint8Array | undefined;
  #error: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    // A socket without a listener for its errors would end the process.
    socket.on("error", (error) => this.#error ??= error);
    // `release` leaves the socket open.
    this.#received = socket.iterator({ destroyOnReturn: false });
  }

  /**
   * Waits for an event of the socket.
   * @throws Error when the socket closes first
   */
  happens(event: "connect" | "secureConnect"): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#socket.once(event, resolve);
    this.#socket.once("close", () => reject(this.#error ?? new Error("the connection was closed")));
    return promise;
  }

  /** Leaves later bytes to another reader of the same socket. */
  async release(): Promise<void> {
    await this.#received.return!();
  }

  async read(into: Uint8Array): Promise<number | null> {
    const bytes = this.#rest ?? (await this.#received.next()).value;
    if (bytes === undefined) return null;
    const count = Math.min(bytes.length, into.length);
    into.set(bytes.subarray(0, count));
    this.#rest = count < bytes.length ? bytes.subarray(count) : undefined;
    return count;
  }

  write(bytes: Uint8Array): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }
}
