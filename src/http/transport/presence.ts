import { ClientLeft } from "../../model/errors.ts";
import type { ByteSource } from "./byte_source.ts";

/** Whether the client of one request is still there. */
export class Presence {
  readonly #source: ByteSource;
  readonly #closeConnection: () => void;
  #forgotten = false;
  #gone = false;
  #controller: AbortController | undefined;

  constructor(source: ByteSource, closeConnection: () => void) {
    this.#source = source;
    this.#closeConnection = closeConnection;
  }

  /** Aborts when the client leaves. Created only on request, since most requests never need it. */
  get left(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#gone) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Watches from now on; the body must have been read. */
  async watch(): Promise<void> {
    const end = await this.#source.watch(() => this.#forgotten);
    if (this.#forgotten || end === "stopped") return;
    this.#gone = true;
    this.#controller?.abort();
    if (end === "flooding") this.#closeConnection();
  }

  /** The request is over: what the client does from now on no longer concerns it. */
  forget(): void {
    this.#forgotten = true;
  }

  /** The same stream, ending with ClientLeft when the client is gone. */
  async *whileThere<T>(stream: AsyncIterable<T>): AsyncGenerator<T, void> {
    for await (const part of stream) {
      if (this.#gone) throw new ClientLeft();
      yield part;
    }
  }
}
