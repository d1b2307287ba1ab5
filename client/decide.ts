import type { DecisionModel } from "./decision_model.ts";
import { Conflict, type ConflictDetail, ConnectionLost, EventStoreError, StoreReset } from "./errors.ts";
import type { NewEvent, Position, StoredEvent, Tags } from "./events.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Range } from "./pages.ts";
import { matches, type Query, union } from "./queries.ts";
import { jitter } from "./retries.ts";
import type { Server } from "./server.ts";
import { walk } from "./walk.ts";
import { type AppendedEvent, type AppendOptions, write } from "./writing.ts";

/** A lost race is over at once: so many steps of jitter are left out, and the first pause is about a millisecond. */
const SOONER = 4;

/** What a handler returns: the events to be written, if any. */
export type Decision<Events extends object = Record<string, unknown>> = OneOrMore<NewEvent<Events>> | void;

/** How hard a decision tries. */
export interface DecideOptions extends CallOptions {
  /** How often it is taken at most. Default 10. */
  readonly attempts?: number;
}

/** What a decision has written. It is durable. */
export interface Decided {
  /** In the order in which the handler returned them. */
  readonly events: readonly AppendedEvent[];
  /** Of the last event; when there was none, how far the decision has read. */
  readonly position: Position;
}

/** Decision models by name. */
export type Models<Events extends object> = Readonly<Record<string, DecisionModel<Events, unknown>>>;

/** Given the state of each model by name. */
export type Handler<Events extends object> = (
  states: Record<string, unknown>,
) => Decision<Events> | Promise<Decision<Events>>;

/** A decision that is known by its mark. */
export interface MarkedOptions<Events extends object> extends DecideOptions {
  /** Metadata that the events of no other decision carry. */
  readonly mark: Tags;
  /** Whether events with the mark may be there from the beginning. */
  readonly mayExist?: boolean;
  /** What must hold besides. */
  readonly conditions?: AppendOptions<Events>["conditions"] | undefined;
}

/** A write of which the answer was lost: it may have happened, or may happen yet. */
interface LostWrite {
  readonly error: ConnectionLost;
  /** The store that it was for: it cannot happen in another one. */
  readonly storeId: string;
}

/**
 * Reads, decides, and writes if nothing relevant came in between; else reads on and decides again.
 *
 * All attempts write events with the same mark, under the same condition: nothing that matters came since it was read,
 * and no other attempt has written. So when an answer is lost, the next attempt tells whether the write happened. While
 * nothing is known to have come, the same events are sent again. The store then writes them, or names in its conflict
 * what has come, and reading up to there shows it: the decision's own events are the result. After anything else it
 * decides again: then the condition of the lost write is broken for ever, should it still arrive.
 *
 * A read proves only what it shows, since it may come from a replica that lags. Up to the event of a conflict it does
 * not: a page that must reach it comes from no such replica.
 *
 * @returns with the events as they are stored, if an attempt without an answer has written them, or an earlier call
 */
export async function decide<Events extends object>(
  server: Server,
  models: Models<Events>,
  handler: Handler<Events>,
  { mark, mayExist, conditions = [], attempts = 10, signal }: MarkedOptions<Events>,
): Promise<Decided & { readonly found?: readonly StoredEvent<Events>[] }> {
  const named = Object.entries(models);
  const marked: Query<Events> = { metadata: mark };
  const query = union(named.map(([, model]) => model.query));
  const withMark = union([query, marked]);
  let states: Record<string, unknown> | undefined;
  let position: Position | undefined;
  let events: readonly NewEvent<Events>[] | undefined;
  let failure: EventStoreError | undefined;
  let lost: LostWrite | undefined;
  /** After a lost write it remains unknown whether it happened, whatever else the store says later. */
  const inDoubt = (error: unknown): unknown => error instanceof EventStoreError && lost ? lost.error : error;
  for (let attempt = 1;; attempt++) {
    if (failure) await jitter(attempt - SOONER, signal);
    const known = states ??= Object.fromEntries(named.map(([name, { initial }]) => [name, initial]));
    const mayBeThere = mayExist || failure;
    const learned: StoredEvent<Events>[] = [];
    try {
      const range = { after: position, headAtLeast: failure?.conflict?.sequence };
      position = await readToEnd(server, mayBeThere ? withMark : query, range, signal, (events) => {
        if (mayBeThere) learned.push(...events);
        else applyTo(known, named, events);
      });
    } catch (error) {
      // In its own store, a lost write may be there, or happen yet, whatever the store has lost.
      const isReset = error instanceof StoreReset;
      if (!isReset || attempt > attempts || lost?.storeId === error.storeId) throw inDoubt(error);
      states = events = undefined;
      position = { storeId: error.storeId, sequence: 0 };
      failure = error;
      continue;
    }
    const end = position;
    const found = learned.filter((event) => matches(marked, event));
    if (found.length) return { ...decided(end, found), found };
    if (learned.length || lost && lost.storeId !== end.storeId) lost = events = undefined;
    if (attempt > attempts) throw inDoubt(failure);
    applyTo(known, named, learned);
    events ??= withTags(listOf(await handler(known) ?? []), mark);
    if (!events.length) return decided(end, []);
    try {
      const all = [{ query: withMark, after: end }, ...listOf(conditions)];
      return decided(end, (await write(server, events, { conditions: all, signal })).events);
    } catch (error) {
      if (error instanceof ConnectionLost) lost = { error, storeId: end.storeId };
      else if (!(error instanceof Conflict)) throw inDoubt(error);
      else if (error.conflict?.condition) throw conflictOfCaller(error, error.conflict);
      failure = error;
    }
  }
}

/**
 * A conflict about a condition of the caller's, by its place among those. The first condition has held: no attempt has
 * written, and since this one stays broken, none can any more.
 */
function conflictOfCaller({ code, status }: Conflict, { condition = 0, sequence }: ConflictDetail): Conflict {
  const place = condition - 1;
  const message = `conditions[${place}] ${sequence ? "no longer holds" : "was read on another store"}`;
  const conflict = { condition: place, ...sequence ? { sequence } : {} };
  return new Conflict({ code, status, message, conflict });
}

/** @param take is given the events as they come */
async function readToEnd<Events extends object>(
  server: Server,
  query: Query<Events>,
  range: Range,
  signal: AbortSignal | undefined,
  take: (events: readonly StoredEvent<Events>[]) => void,
): Promise<Position> {
  const steps = walk(server, query, range, server.retrySeconds, signal);
  for (;;) {
    const { events, position, isEnd } = (await steps.next()).value;
    take(events);
    if (isEnd) return position;
  }
}

function applyTo<Events extends object>(
  states: Record<string, unknown>,
  named: readonly [string, DecisionModel<Events, unknown>][],
  events: readonly StoredEvent<Events>[],
): void {
  for (const event of events) {
    for (const [name, { query, apply }] of named) {
      if (matches(query, event)) states[name] = apply(states[name], event);
    }
  }
}

function withTags<Events extends object>(
  events: readonly NewEvent<Events>[],
  tags: Tags,
): readonly NewEvent<Events>[] {
  return events.map((event) => ({ ...event, metadata: { ...event.metadata, ...tags } }));
}

function decided({ storeId, sequence }: Position, events: readonly AppendedEvent[]): Decided {
  return {
    events: events.map(({ sequence, time }) => ({ sequence, time })),
    position: { storeId, sequence: events.at(-1)?.sequence ?? sequence },
  };
}

/** Random enough that no two decisions ever have the same; `randomUUID` is not everywhere in browsers. */
export function newMark(): Tags {
  return { decisionId: crypto.getRandomValues(new Uint32Array(4)).join("-") };
}
