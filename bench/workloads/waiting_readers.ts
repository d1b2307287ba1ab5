import { type Address, Connection } from "../connection.ts";

/** The endless loop of one reader: it reads, waits for events, and reads again. */
export type Follow = (connection: Connection, reader: number) => Promise<never>;

/** Readers that wait for events, each on its own connection, until they are disposed of. */
export class WaitingReaders implements AsyncDisposable {
  readonly #connections: DisposableStack;
  readonly #ended: Promise<unknown>;
  #isClosing = false;
  #haveFailed = false;

  private constructor(connections: DisposableStack, reading: readonly Promise<never>[]) {
    this.#connections = connections;
    this.#ended = Promise.all(reading.map((reader) => reader.catch((error) => this.#onEnd(error))));
    // The error is thrown when the readers are disposed of.
    this.#ended.catch(() => {});
  }

  static async start(address: Address, count: number, follow: Follow): Promise<WaitingReaders> {
    using connections = new DisposableStack();
    const opened: Connection[] = [];
    while (opened.length < count) opened.push(connections.use(await Connection.open(address)));
    return new WaitingReaders(connections.move(), opened.map(follow));
  }

  /** True if a reader has failed. Disposing of the readers throws the reason. */
  get haveFailed(): boolean {
    return this.#haveFailed;
  }

  #onEnd(error: unknown): void {
    // The connection was closed on purpose.
    if (this.#isClosing) return;
    this.#haveFailed = true;
    throw error;
  }

  /** @throws the error of a reader that failed */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#connections.dispose();
    await this.#ended;
  }
}
