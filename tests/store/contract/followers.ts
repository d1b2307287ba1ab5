import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewEvent } from "../../../src/model/event.ts";
import { matches, type Query } from "../../../src/model/query.ts";
import type { ReadRequest } from "../../../src/model/read_request.ts";
import { isInTimeRange } from "../../../src/model/time_range.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import { filterTerms } from "../../../src/store/feed/filter_terms.ts";
import type { Client, Store } from "../../../src/store/api/store.ts";
import type { StoreWrite } from "../../../src/store/api/write.ts";
import { rounds } from "../../support/rounds.ts";
import { eventually } from "../../support/eventually.ts";
import { event, queryFor } from "../arbitraries.ts";
import { prepared, queryOf, storeWrite } from "../made_writes.ts";
import { DONE, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";
import { readPage, WaitingReads } from "./waiting_reads.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";

const FOLLOWERS = 100;
const BURSTS = rounds(10, 200);
const TURNS_PER_BURST_MAX = 20;
/**
 * Longer than any follower takes, and shorter than its reads wait. So the test detects a follower that is not woken.
 */
const TIMEOUT_SECONDS = 20;

type Random = (below: number) => number;

/** Followers in parallel with a writer that never pauses. */
export function contractOfFollowers(test: StoreTest): void {
  test("during writes, followers of any queries see each match once, in order, and at once", async (store) => {
    const seed = testSeed();
    try {
      await follow(store, seed);
    } catch (error) {
      throw new Error(`with seed ${seed}`, { cause: error });
    }
  });
}

async function follow(store: Store, seed: number): Promise<void> {
  const pool = fc.sample(event, { seed, numRuns: 60 });
  const queries = fc.sample(queryFor(pool).filter(isWaitedFor), { seed, numRuns: FOLLOWERS });
  const reads = new WaitingReads(store);
  const followers = queries.map((query, i) => {
    return new Follower(reads, requestOf(i, query), seededRandom(seed + i));
  });
  const leaving = new AbortController();
  const client = { disconnected: leaving.signal };
  const ends = followers.map((follower) => follower.follow(client));
  const random = seededRandom(seed);
  const writer = new Writer(store, pool, random, followers);
  for (let burst = 0; burst < BURSTS; burst++) {
    for (let turn = random(TURNS_PER_BURST_MAX); turn >= 0; turn--) await writer.turn();
    await eventually(
      () => followers.forEach((follower) => follower.assertCaughtUp(writer.head)),
      TIMEOUT_SECONDS,
    );
  }
  leaving.abort();
  await Promise.all(ends);
  for (const { found, expected } of followers) assert.deepEqual(found, expected);
  assert.equal(reads.waiting, 0);
}

/** True when some event can match. */
function isWaitedFor(query: Query): boolean {
  return filterTerms(query).length > 0;
}

/** Queries are followed in five ways: as they are, among many other values, and with each bound of a page. */
function requestOf(i: number, query: Query): ReadRequest {
  const request = { query, afterSequence: 0, limit: Infinity };
  const others = queryOf(Array.from({ length: 300 }, (_, other) => `other ${other}`));
  switch (i % 5) {
    case 0:
      return { ...request, query: typeof query === "string" ? query : [...query, ...others] };
    case 1:
      return { ...request, time: { fromMicros: 10 * i, beforeMicros: 40 * i } };
    case 2:
      return { ...request, limit: 1 + i % 3 };
    case 3:
      return { ...request, beforeSequence: 3 * i };
    default:
      return request;
  }
}

/** Reads and waits in a loop. */
class Follower {
  /** The sequences of the events that it should have seen, and of those that it has seen. */
  readonly expected: number[] = [];
  readonly found: number[] = [];
  readonly #reads: WaitingReads;
  readonly #request: ReadRequest;
  readonly #random: Random;
  #position = 0;

  constructor(reads: WaitingReads, request: ReadRequest, random: Random) {
    this.#reads = reads;
    this.#request = request;
    this.#random = random;
  }

  /** Follows until the client disconnects, or nothing more can match. */
  async follow(client: Client): Promise<void> {
    while (this.#position + 1 < this.#before) {
      const request = { ...this.#request, afterSequence: this.#position };
      const page = await this.#reads.page(request, client).catch((error: Error) => {
        if (!(error instanceof ClientDisconnected)) throw error;
      });
      if (page === undefined) return;
      const { sequences, hasMore, head } = await readPage(page);
      this.found.push(...sequences);
      this.#position = hasMore ? sequences.at(-1)! : head;
      for (let pauses = this.#random(4); pauses > 0; pauses--) await new Promise((go) => setTimeout(go));
    }
  }

  committed(sequence: number, event: NewEvent, timeMicros: number): void {
    const { query, time } = this.#request;
    if (!matches(query, event) || sequence >= this.#before) return;
    if (time === undefined || isInTimeRange(time, timeMicros)) this.expected.push(sequence);
  }

  /** Asserts that it has seen every expected event, and does not wait when no more can come. */
  assertCaughtUp(head: number): void {
    const what = JSON.stringify(this.#request);
    assert.equal(this.found.length, this.expected.length, `events of ${what}`);
    if (head + 1 >= this.#before) assert.ok(this.#position + 1 >= this.#before, `the end of ${what}`);
  }

  get #before(): number {
    return this.#request.beforeSequence ?? Infinity;
  }
}

interface MadeWrite {
  readonly events: readonly NewEvent[];
  readonly write: StoreWrite;
}

/**
 * Writes random events in transactions of every kind, one after the other, and reports to the followers which ones
 * they should see.
 */
class Writer {
  readonly #store: Store;
  readonly #pool: readonly NewEvent[];
  readonly #random: Random;
  readonly #followers: readonly Follower[];
  #timeMicros = 0;
  /** The sequence of the last event that is committed. */
  head = 0;

  constructor(store: Store, pool: readonly NewEvent[], random: Random, followers: readonly Follower[]) {
    this.#store = store;
    this.#pool = pool;
    this.#random = random;
    this.#followers = followers;
  }

  async turn(): Promise<void> {
    const { writer } = this.#store;
    const writes = Array.from({ length: 1 + this.#random(8) }, () => this.#write());
    const kind = this.#random(4);
    if (kind < 2) {
      const outcomes = await writer.group(writes.map(({ write }) => write));
      outcomes.forEach((outcome, i) => this.#committed(written(outcome).firstSequence, writes[i]!));
      return;
    }
    await writer.begin();
    const sequences: number[] = [];
    for (const { write } of writes) sequences.push(written(await writer.writeInside(write)).firstSequence);
    if (kind === 2) return await writer.rollback();
    assert.deepEqual(await writer.commit(), DONE);
    sequences.forEach((sequence, i) => this.#committed(sequence, writes[i]!));
  }

  #write(): MadeWrite {
    const one = (): NewEvent => this.#pool[this.#random(this.#pool.length)]!;
    const events = Array.from({ length: 1 + this.#random(3) }, one);
    const write = { ...storeWrite([]), events: events.map((event) => prepared(event, ++this.#timeMicros)) };
    return { events, write };
  }

  #committed(firstSequence: number, { events, write }: MadeWrite): void {
    for (const [i, event] of events.entries()) {
      this.head = firstSequence + i;
      for (const follower of this.#followers) {
        follower.committed(this.head, event, write.events[i]!.timeMicros);
      }
    }
  }
}
