import { connect, type NetConnectOpts, type Socket } from "node:net";
import { AnswerReader } from "./answer_reader.ts";

const BUFFER_BYTES = 64 * 1024;

/** One connection. It is busy from `begin` to `release`, and idle otherwise. */
export class Connection {
  readonly answers = new AnswerReader(this, BUFFER_BYTES);
  /** True if a byte was received since `begin`. */
  isAnswered = false;
  readonly #socket: Socket;
  readonly #close = (): void => this.close();
  #signal: AbortSignal | undefined;
  #failure: Error | undefined;
  /** It is destroyed earlier, before its failure is known. */
  #isClosed = false;
  /** When it became idle, in milliseconds. */
  #idleSince = 0;
  #wake = (): void => {};

  /** It may be used at once. A failure to connect shows when an answer is read. */
  constructor(place: NetConnectOpts) {
    this.#socket = connect(place).setNoDelay(true);
    this.#socket.on("error", (error) => this.#failure = error)
      .on("readable", () => this.#wake())
      .on("close", () => {
        this.#isClosed = true;
        this.#wake();
      });
  }

  /** Sends a request. When the signal is aborted, the connection is closed. */
  begin(request: string, signal: AbortSignal): void {
    this.isAnswered = false;
    this.#wake = () => {};
    this.#socket.ref();
    this.#signal = signal;
    signal.onabort = this.#close;
    this.#socket.write(request);
  }

  /** Call it after a complete answer. An idle connection does not keep the process alive. */
  release(): void {
    this.#signal!.onabort = null;
    this.answers.forget();
    this.#idleSince = performance.now();
    // The server has nothing to say on an idle connection, so it closes it.
    this.#wake = this.#close;
    this.#socket.unref();
  }

  /** False if the server has closed it, or may close it just now. */
  isUsable(idleMillisecondsMax: number): boolean {
    const idle = performance.now() - this.#idleSince;
    return !this.#socket.destroyed && this.#socket.readableLength === 0 && idle < idleMillisecondsMax;
  }

  close(): void {
    if (this.#signal) this.#signal.onabort = null;
    this.#socket.destroy();
  }

  /** Waits for bytes of the answer. @returns their number; null at the end */
  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      // For no byte, it only starts to receive.
      const piece = this.#socket.read(Math.min(into.length, this.#socket.readableLength)) as
        | Uint8Array
        | null;
      if (piece !== null) {
        this.isAnswered = true;
        into.set(piece);
        return piece.length;
      }
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#socket.readableEnded || this.#isClosed) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
