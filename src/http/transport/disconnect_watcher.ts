import { ClientDisconnected } from "../../model/errors.ts";
import type { ByteSource } from "./byte_source.ts";

interface Watched {
  readonly source: ByteSource;
  readonly close: () => void;
}

/** Watches whether the client of one request is still connected. */
export class DisconnectWatcher {
  readonly #connection: Watched;
  #forgotten = false;
  #gone = false;
  #controller: AbortController | undefined;

  constructor(connection: Watched) {
    this.#connection = connection;
  }

  /** Aborts when the client disconnects. Created only on demand, since most requests never need it. */
  get disconnected(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#gone) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Starts to watch. The body must have been read. */
  async watch(): Promise<void> {
    const end = await this.#connection.source.watch(() => this.#forgotten);
    if (this.#forgotten || end === "stopped") return;
    this.#gone = true;
    this.#controller?.abort();
    if (end === "flooding") this.#connection.close();
  }

  /** The request is over, so the client's connection no longer matters to it. */
  forget(): void {
    this.#forgotten = true;
  }

  /** Returns the same stream, which throws ClientDisconnected when the client has disconnected. */
  async *whileThere<T>(stream: AsyncIterable<T>): AsyncGenerator<T, void> {
    for await (const part of stream) {
      if (this.#gone) throw new ClientDisconnected();
      yield part;
    }
  }
}
