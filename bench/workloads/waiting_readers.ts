import { type Address, Connection } from "../connection.ts";

/** What one reader does, without end: it reads, waiting, and reads on. */
export type Follow = (connection: Connection, reader: number) => Promise<never>;

/** Readers that wait for events, each on a connection of its own, until they are disposed of. */
export class WaitingReaders implements AsyncDisposable {
  readonly #connections: DisposableStack;
  readonly #ended: Promise<unknown>;
  #isClosing = false;
  #haveFailed = false;

  private constructor(connections: DisposableStack, reading: readonly Promise<never>[]) {
    this.#connections = connections;
    this.#ended = Promise.all(reading.map((reader) => reader.catch((error) => this.#onEnd(error))));
    // Whoever disposes of the readers hears of it.
    this.#ended.catch(() => {});
  }

  static async start(address: Address, count: number, follow: Follow): Promise<WaitingReaders> {
    using connections = new DisposableStack();
    const opened: Connection[] = [];
    while (opened.length < count) opened.push(connections.use(await Connection.open(address)));
    return new WaitingReaders(connections.move(), opened.map(follow));
  }

  /** Whether a reader has failed; who disposes of them hears why. */
  get haveFailed(): boolean {
    return this.#haveFailed;
  }

  #onEnd(error: unknown): void {
    // It was cut off.
    if (this.#isClosing) return;
    this.#haveFailed = true;
    throw error;
  }

  /** @throws what made a reader fail */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#connections.dispose();
    await this.#ended;
  }
}
