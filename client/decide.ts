import type { DecisionModel } from "./decision_model.ts";
import { Conflict, ConnectionLost, EventStoreError, StoreReset } from "./errors.ts";
import type { NewEvent, Position, StoredEvent, Tags } from "./events.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
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

/**
 * Reads, decides, and writes if nothing relevant came in between; else reads on and decides again.
 *
 * All attempts write events with the same mark, under the same condition: nothing that matters came since it was read,
 * and no other attempt has written. So when an answer is lost, reading on tells whether the write happened. If it has
 * not, the same events are sent again, or others once something relevant has come: then the condition of the lost
 * write is broken for ever, should it still arrive.
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
  let states: Record<string, unknown> = {};
  let position: Position | undefined;
  let events: readonly NewEvent<Events>[] | undefined;
  let failure: unknown;
  let lost: ConnectionLost | undefined; // whose write may have happened, or may happen yet
  for (let attempt = 1;; attempt++) {
    if (!position) {
      states = Object.fromEntries(named.map(([name, { initial }]) => [name, initial]));
    }
    const wanted = mayExist || failure ? withMark : query;
    const found: StoredEvent<Events>[] = [];
    let hasNews = false;
    try {
      for await (const step of walk(server, wanted, { after: position }, server.retrySeconds, signal)) {
        for (const event of step.events) {
          hasNews = true;
          if (matches(marked, event)) found.push(event);
          else applyTo(states, named, event);
        }
        position = step.position;
        if (step.isEnd) break;
      }
    } catch (error) {
      if (!(error instanceof StoreReset)) throw inDoubt(error, lost);
      // A write that was based on the old store cannot happen any more.
      position = lost = events = undefined;
      failure = error;
      continue;
    }
    if (found.length) return { ...decided(position!, found), found };
    // Then the condition of a lost write is broken for ever. Else the decision stands: the write may happen yet.
    if (hasNews) lost = events = undefined;
    // A conflict about nothing that has come is about the caller's own conditions.
    if (attempt > attempts || failure instanceof Conflict && !hasNews) throw failure;
    events ??= listOf(await handler(states) ?? [])
      .map((event) => ({ ...event, metadata: { ...event.metadata, ...mark } }));
    if (!events.length) return decided(position!, []);
    try {
      const all = [...listOf(conditions), { query: withMark, after: position! }];
      return decided(position!, (await write(server, events, { conditions: all, signal })).events);
    } catch (error) {
      if (error instanceof ConnectionLost) lost = error;
      else if (!(error instanceof Conflict)) throw inDoubt(error, lost);
      failure = error;
    }
    await jitter(attempt - SOONER, signal);
  }
}

/** After a lost write it remains unknown whether it happened, whatever else the store says later. */
function inDoubt(error: unknown, lost: ConnectionLost | undefined): unknown {
  return error instanceof EventStoreError && lost || error;
}

function applyTo<Events extends object>(
  states: Record<string, unknown>,
  named: readonly [string, DecisionModel<Events, unknown>][],
  event: StoredEvent<Events>,
): void {
  for (const [name, { query, apply }] of named) {
    if (matches(query, event)) states[name] = apply(states[name], event);
  }
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
