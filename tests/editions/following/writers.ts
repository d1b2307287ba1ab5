import type { Client } from "../../support/client.ts";
import { pause } from "../../support/eventually.ts";
import { isGone } from "../../server/acknowledged_writes.ts";
import { Session } from "../b_tx/session.ts";
import type { NewEvent, Write } from "./writes.ts";

/** The length of some payloads, so that pages come in several pieces. A kill may come between two of them. */
const LONG = 5000;

/** Clients that write all the time, even while the server is down. */
export class Writers implements AsyncDisposable {
  /** The payloads of all acknowledged events. */
  readonly acknowledged = new Set<string>();
  /** True when some of the events are `Noted`; false when all are `Counted`. */
  areNoting = true;
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(client: Client, write: Write, count: number) {
    this.#running = Promise.all(
      Array.from({ length: count }, (_, writer) => this.#writeOn(client, write, String(writer))),
    );
    // `stop` reports the error.
    this.#running.catch(() => {});
  }

  /** Lets each writer finish its write. @throws AssertionError when a writer got an unexpected answer */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #writeOn(client: Client, write: Write, writer: string): Promise<void> {
    for (let turn = 0; !this.#isStopped;) {
      try {
        using session = await Session.open(client);
        while (!this.#isStopped) await this.#writeNext(session, write, writer, turn++);
      } catch (error) {
        if (!isGone(error)) throw error;
        await pause(20);
      }
    }
  }

  /** Writes one event, or three. */
  async #writeNext(session: Session, write: Write, writer: string, turn: number): Promise<void> {
    const type = this.areNoting && turn % 3 === 0 ? "Noted" : "Counted";
    const identifiers = { writer, turn: String(turn) };
    const events = Array.from({ length: turn % 4 === 0 ? 3 : 1 }, (_, part): NewEvent => {
      return { type, identifiers, payload: `${writer} ${turn} ${part}`.padEnd(turn % 5 === 0 ? LONG : 0) };
    });
    if (!await write(session, events, turn)) return;
    for (const { payload } of events) this.acknowledged.add(payload);
  }
}
