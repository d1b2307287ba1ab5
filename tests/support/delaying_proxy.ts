import { delay } from "../../src/async/delay.ts";
import { type Passage, TcpProxy } from "./tcp_proxy.ts";

/**
 * A server that is further away: the bytes of a client arrive later, in order, and any number of messages may be
 * under way. The bytes of the server come at once, so that each round trip is longer by one delay.
 */
export class DelayingProxy extends TcpProxy {
  readonly #milliseconds: number;
  /** When the last bytes of each connection have arrived. */
  readonly #feed = new WeakMap<Passage, Promise<void>>();

  constructor(serverPort: number, milliseconds: number) {
    super(serverPort);
    this.#milliseconds = milliseconds;
  }

  protected override forth(bytes: Uint8Array, passage: Passage): Promise<void> {
    const dueAt = performance.now() + this.#milliseconds;
    const before = this.#feed.get(passage) ?? Promise.resolve();
    const arrival = before
      .then(() => {
        const left = Math.max(0, dueAt - performance.now());
        return delay(left);
      })
      .then(() => super.forth(bytes, passage))
      // One of the two ends was closed meanwhile, which ends the passage.
      .catch(() => {});
    this.#feed.set(passage, arrival);
    return Promise.resolve();
  }
}
