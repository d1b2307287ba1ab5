import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { parsePage } from "../../tests/support/client.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { debugSnapshot } from "../../tests/support/held_write_lock.ts";
import type { ReferenceStore, WireQuery } from "../../tests/editions/a_write/reference.ts";
import { PAGE_EVENTS_DEFAULT } from "./limits.ts";
import type { Begun, System } from "./system.ts";

/** The longest time that a read may wait. */
const WAIT_SECONDS = 60;

/** The time limit for the server to register a waiting read. */
const TIMEOUT_SECONDS = 60;

const WAITING_READS_MAX = 3;

interface WaitingRead extends Begun {
  readonly query: WireQuery;
  readonly afterSequence: number;
  readonly endsAt: number;
}

/** Reads that wait for an event. The commit that brings it must answer them. */
export class WaitingReads {
  #waiting: WaitingRead[] = [];

  /** Begins to read. A read that matches already is answered at once. */
  async begin(
    system: System,
    store: ReferenceStore,
    query: WireQuery,
    afterSequence: number,
  ): Promise<void> {
    this.#forgetLate();
    if (this.#waiting.length === WAITING_READS_MAX) return;
    const json = { query: system.wire(query), afterSequence, waitSeconds: WAIT_SECONDS };
    const endsAt = performance.now() + WAIT_SECONDS * 1000;
    const read = { ...await system.begin("QUERY", "/events", { json }), query, afterSequence, endsAt };
    this.#waiting.push(read);
    await this.committed(system, store);
    const waiting = this.#waiting.length;
    await eventually(async () => {
      if (this.#waiting.some(isLate)) return;
      const { read } = await debugSnapshot(system.client);
      assert.equal(read.waiting, waiting, "reads that wait");
    }, TIMEOUT_SECONDS);
  }

  /**
   * Compares the answers of the reads for which the store has an event now.
   * @param heads the head of the store after each of several commits; a read may have been answered by any of them
   */
  async committed(
    system: System,
    store: ReferenceStore,
    heads: readonly number[] = [store.events.length],
  ): Promise<void> {
    const woken = this.#waiting.filter(({ query, afterSequence }) =>
      store.matching(query, afterSequence).length > 0
    );
    this.#waiting = this.#waiting.filter((read) => !woken.includes(read));
    for (const read of woken) {
      const page = await pageOf(read);
      // It had expired before the event was committed.
      if (isLate(read) && page.events.length === 0) continue;
      const { query, afterSequence } = read;
      const answered = { events: page.events, hasMore: page.hasMore };
      const possible = heads
        .map((head) =>
          store.page(query, { afterSequence, beforeSequence: head + 1, limit: PAGE_EVENTS_DEFAULT })
        )
        .filter(({ events }) => events.length > 0);
      const expected = possible.find((each) => isDeepStrictEqual(each, answered)) ?? possible.at(-1);
      assert.deepEqual(answered, expected, "a read that has waited");
      assert.equal(page.store, store.storeId);
      system.tally.woken++;
    }
  }

  /** A reset, or a server that stops, ends each of them with an empty page. */
  async ended(): Promise<void> {
    for (const read of this.#waiting.splice(0)) {
      const { events, hasMore } = await pageOf(read);
      assert.deepEqual({ events, hasMore }, { events: [], hasMore: false }, "a read that waited in vain");
    }
  }

  /** The server is gone, or the clients disconnect. */
  async leave(): Promise<void> {
    for (const { connection, reply } of this.#waiting.splice(0)) {
      connection.close();
      await reply;
    }
  }

  #forgetLate(): void {
    for (const { connection } of this.#waiting.filter(isLate)) connection.close();
    this.#waiting = this.#waiting.filter((read) => !isLate(read));
  }
}

/** Returns true when its wait is over, or nearly so. */
function isLate({ endsAt }: WaitingRead): boolean {
  return performance.now() > endsAt - 1000;
}

async function pageOf({ connection, reply }: WaitingRead) {
  const answer = await reply;
  connection.close();
  assert.ok(answer !== undefined, "a read that waited got no answer");
  assert.equal(answer.status, 200, answer.text);
  return parsePage(answer);
}
