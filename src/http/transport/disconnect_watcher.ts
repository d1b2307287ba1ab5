import { ClientDisconnected } from "../../model/errors.ts";
import type { ByteSource } from "./byte_source.ts";

/** The connection of a client. */
interface Watched {
  readonly source: ByteSource;
  readonly close: () => void;
}

/** Whether the client of one request is still there. */
export class DisconnectWatcher {
  readonly #connection: Watched;
  #forgotten = false;
  #gone = false;
  #controller: AbortController | undefined;

  constructor(connection: Watched) {
    this.#connection = connection;
  }

  /** Aborts when the client leaves. Created only on request, since most requests never need it. */
  get disconnected(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#gone) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Watches from now on; the body must have been read. */
  async watch(): Promise<void> {
    const end = await this.#connection.source.watch(() => this.#forgotten);
    if (this.#forgotten || end === "stopped") return;
    this.#gone = true;
    this.#controller?.abort();
    if (end === "flooding") this.#connection.close();
  }

  /** The request is over: what the client does from now on no longer concerns it. */
  forget(): void {
    this.#forgotten = true;
  }

  /** The same stream, ending with ClientDisconnected when the client is gone. */
  async *whileThere<T>(stream: AsyncIterable<T>): AsyncGenerator<T, void> {
    for await (const part of stream) {
      if (this.#gone) throw new ClientDisconnected();
      yield part;
    }
  }
}
