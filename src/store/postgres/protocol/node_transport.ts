import type { Transport } from "./transport.ts";

type Socket = import("node:net").Socket;

/** Adapts a socket of Node to a connection of Deno: it reads on request. */
export class NodeTransport implements Transport {
  readonly #socket: Socket;
  /** Received bytes that did not fit into the last read. */
  #rest: Uint8Array | undefined;
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    // A socket without a listener for its errors would end the process.
    socket.on("error", (error) => this.#error ??= error);
    socket.on("close", this.#onOver);
    socket.on("end", this.#onOver);
    socket.on("readable", this.#onReadable);
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
  release(): void {
    this.#socket.off("readable", this.#onReadable);
  }

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      const bytes: Uint8Array | null = this.#rest ?? this.#socket.read();
      if (bytes !== null) {
        const count = Math.min(bytes.length, into.length);
        into.set(bytes.subarray(0, count));
        this.#rest = count < bytes.length ? bytes.subarray(count) : undefined;
        return count;
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.#isOver) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    return promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  readonly #onReadable = (): void => this.#wake?.();

  readonly #onOver = (): void => {
    this.#isOver = true;
    this.#wake?.();
  };
}
