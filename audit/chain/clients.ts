import { type Appended, EventStore, EventStoreError, type Position, StoreReset } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import type { HistoryLines } from "./history_lines.ts";
import type { Observations } from "./observations.ts";
import { type Call, MARK, microseconds, type Outcome, queryOf } from "./observed.ts";
import { CAPACITY, type ChainEvents, type Saw } from "./seats.ts";
import { type Tap, tapped } from "./tapped_transport.ts";

export type Store = EventStore<ChainEvents>;

/** The inputs of a client that change from round to round. */
export interface Load {
  readonly observations: Observations;
  /** The shows of this round, and one of the round before. */
  readonly shows: readonly string[];
  readonly isOver: () => boolean;
}

/** The activity that a client repeats. */
export type Doing = (client: ChainClient, load: Load) => Promise<void>;

export interface ClientOptions {
  readonly edition: EditionName;
  readonly url: string;
  readonly number: number;
  readonly random: Random;
  readonly lines: HistoryLines | undefined;
  readonly observations: () => Observations;
}

/** The time limit of one answer, and how long a call is retried. */
const ANSWER_SECONDS = 12;
const RETRY_SECONDS = 6;

/** One client of the chain: its connection, its random choices, and the number of its next call. */
export class ChainClient {
  readonly store: Store;
  readonly random: Random;
  readonly name: string;
  readonly tap: Tap;
  /** A position that it once read, possibly in a store that is gone. */
  saved: Position | undefined;
  #calls = 0;

  constructor({ edition, url, number, random, lines, observations }: ClientOptions) {
    this.name = `c${number}`;
    this.random = random;
    this.tap = { client: number, observations, lines, call: undefined };
    this.store = new EventStore({
      edition,
      answerSeconds: ANSWER_SECONDS,
      retrySeconds: RETRY_SECONDS,
      transport: tapped(fetchTransport(url), this.tap),
    });
  }

  nextLabel(): string {
    return `${this.name}.${++this.#calls}`;
  }

  /** Makes a call and records its outcome. */
  async record(
    load: Load,
    about: Pick<Call, "label" | "operation" | "events" | "key" | "condition">,
    work: () => Promise<Outcome>,
  ): Promise<void> {
    const call: Call = {
      ...about,
      begun: microseconds(),
      ended: Infinity,
      writes: 0,
      storeIds: new Set(),
      outcome: { kind: "unknown" },
    };
    load.observations.calls.push(call);
    this.tap.call = call;
    try {
      call.outcome = await work();
    } catch (error) {
      call.outcome = failureOf(error);
    }
    call.ended = microseconds();
    this.tap.call = undefined;
  }
}

function failureOf(error: unknown): Outcome {
  const { name, message } = error as Error;
  if (!(error instanceof EventStoreError)) return { kind: "failed", name, message, isOfStore: false };
  if (error.outcomeUnknown) return { kind: "unknown" };
  return { kind: "failed", name, message: `${error.code} ${error.status}: ${message}`, isOfStore: true };
}

/**
 * Returns the handler of a decision: it draws the seats to take or free from the state of a show, or returns undefined
 * when that is impossible.
 */
export function wantedOf(random: Random, show: string, label: string): (saw: Saw) => NewSeat[] | undefined {
  const isTaking = random.chance(0.55);
  const count = random.chance(0.15) ? 2 : 1;
  // The same show always gets the same hall, so that a hall has all events of its shows.
  const hall = hallFor(show);
  return (saw) => {
    const left = isTaking ? CAPACITY - saw.taken : saw.taken;
    if (left < count) return undefined;
    return Array.from({ length: count }, (_, part) => ({
      type: isTaking ? "Taken" as const : "Released" as const,
      identifiers: { show, hall },
      metadata: { [MARK]: `${label}/${part}` },
      payload: { saw },
    }));
  };
}

export const HALLS = ["hall0", "hall1"] as const;

function hallFor(show: string): string {
  return HALLS[show.charCodeAt(show.length - 1) % HALLS.length]!;
}

export interface NewSeat {
  readonly type: "Taken" | "Released";
  readonly identifiers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly payload: { readonly saw: Saw };
}

/** Writes under a key, often one that other clients or this client have used before. */
export async function writeUnderKey(client: ChainClient, load: Load): Promise<void> {
  const { random, store } = client;
  const key = `key${load.shows[0]}.${random.below(60)}`;
  const count = 1 + Number(key.endsWith("7"));
  const events = Array.from({ length: count }, (_, part) => ({
    type: "Noted" as const,
    identifiers: { once: key },
    metadata: { [MARK]: `${key}/${part}` },
    payload: { n: part },
  }));
  // The condition is broken by the call's own events. The client must not take that for a conflict.
  const isGuarded = key.endsWith("3");
  const conditions = isGuarded ? { query: { identifiers: { once: key } } } : [];
  await client.record(load, { label: key, operation: "once", events: count, key }, async () => {
    const written = await store.writeOnce(key, events, { conditions });
    return { kind: "done", storeId: undefined, events: written.events };
  });
}

/** Appends, with or without a condition on an earlier read, which may be old. */
export async function append(client: ChainClient, load: Load): Promise<void> {
  const { random, store } = client;
  const label = client.nextLabel();
  const note = `note${random.below(12)}`;
  const query = { identifiers: { note } };
  const event = {
    type: "Noted" as const,
    identifiers: { note },
    metadata: { [MARK]: `${label}/0` },
    payload: { n: 0 },
  };
  if (client.saved !== undefined && random.chance(0.5)) client.saved = undefined;
  client.saved ??= await head(store);
  const after = client.saved;
  if (after === undefined || random.chance(0.3)) {
    await client.record(
      load,
      { label, operation: "append", events: 1 },
      async () => appended(await store.append(event)),
    );
    return;
  }
  const wire = [{ identifiers: [{ name: "note", value: note }] }];
  const condition = { query: queryOf(wire), after };
  await client.record(load, { label, operation: "append", events: 1, condition }, async () => {
    return appended(await store.append(event, { conditions: { query, after } }));
  });
}

function appended({ events, position }: Appended): Outcome {
  return { kind: "done", storeId: position?.storeId, events };
}

async function head(store: Store): Promise<Position | undefined> {
  try {
    return await store.head();
  } catch (error) {
    if (error instanceof EventStoreError) return undefined;
    throw error;
  }
}

/** Reads pages of all sizes, forwards and backwards, and sometimes the whole store. */
export async function read(client: ChainClient, { observations, shows }: Load): Promise<void> {
  const { random, store } = client;
  const show = random.pick(shows);
  const query = random.pick(["*", "*", { identifiers: { show } }, { identifiers: { fill: "f1" } }] as const);
  try {
    if (random.chance(0.15)) {
      const page = await store.read("*", { limit: 10_000 });
      client.saved = page.position;
      return;
    }
    const limit = random.pick([1, 20, 300, 3000]);
    if (random.chance(0.3)) await store.read(query, { limit, backwards: true });
    else {
      const page = await store.read(query, { limit, ...client.saved ? { after: client.saved } : {} });
      client.saved = random.chance(0.3) ? undefined : page.position;
    }
  } catch (error) {
    if (error instanceof StoreReset) client.saved = undefined;
    else if (!(error instanceof EventStoreError)) {
      observations.faults.push(`a reader failed with ${Deno.inspect(error)}`);
    }
  }
}
