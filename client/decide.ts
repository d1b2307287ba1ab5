import { type Given, withApply } from "./apply_by_type.ts";
import type { DecisionModel } from "./decision_model.ts";
import { Conflict, type ConflictDetail, ConnectionLost, EventStoreError, StoreReset } from "./errors.ts";
import type { NewEvent, Position, StoredEvent, Tags } from "./events.ts";
import { initialState } from "./initial_state.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Range } from "./pages.ts";
import { matches, type Query, union } from "./queries.ts";
import { jitter } from "./retries.ts";
import { mustSpeak, type Server } from "./server.ts";
import { walk } from "./walk.ts";
import { type AppendedEvent, type AppendOptions, write } from "./writing.ts";

/** After a lost race a retry can follow at once. So the jitter starts this many steps lower, at about a millisecond. */
const SOONER = 4;

/** The events to write, if any, and a value to return from `decide`. */
export interface DecisionWithResult<Events extends object, Result> {
  /** The events to write, if any. */
  readonly events?: OneOrMore<NewEvent<Events>>;
  /** It becomes the `result` of `decide`. */
  readonly result: Result;
  /** Only an event has one. */
  readonly type?: never;
}

/** The result of a handler: the events to write, if any; or these and a value. */
export type Decision<Events extends object = Record<string, unknown>, Result = undefined> =
  | OneOrMore<NewEvent<Events>>
  | DecisionWithResult<Events, Result>
  | void;

/** A decision, now or later. A promise has no `type`, as in `OneOrMore`. */
export type DecisionSoon<Events extends object, Result> =
  | Decision<Events, Result>
  | Promise<Decision<Events, Result>> & { readonly type?: never };

/** Options of a decision. */
export interface DecideOptions extends CallOptions {
  /** The most attempts. Default 10. */
  readonly attempts?: number;
}

/** The result of a decision. It is durable. */
export interface Decided<Result = undefined> {
  /** In the order in which the handler returned them. */
  readonly events: readonly AppendedEvent[];
  /** The position of the last event. If the decision wrote none, the position up to which it has read. */
  readonly position: Position;
  /** The `result` that the handler returned, if any. */
  readonly result: Result;
}

/** The parameter of a handler: the state of one model, or the states of several by name. Every model has both keys. */
export type Known<State, States> = string extends keyof States ? States
  : "query" | "initial" extends keyof States ? State
  : States;

/** Decision models by name. */
export type Models<Events extends object> = Readonly<Record<string, DecisionModel<Events, unknown>>>;

/** A handler, which gets the state of each model by name. */
export type Handler<Events extends object> = (
  states: Record<string, unknown>,
  position: Position,
) => OneOrMore<NewEvent<Events>> | void | Promise<OneOrMore<NewEvent<Events>> | void>;

/** Options of a decision whose events carry a mark, by which it recognizes them. */
export interface MarkedOptions<Events extends object> extends DecideOptions {
  /** Metadata that the events of no other decision carry. */
  readonly mark: Tags;
  /** True if events with the mark may exist before the first attempt. */
  readonly mayExist?: boolean;
  /** The states of the models begin after this position. */
  readonly from?: Position | undefined;
  /** Further conditions of the write. */
  readonly conditions?: AppendOptions<Events>["conditions"] | undefined;
}

/** The result of a decision whose events carry a mark. */
interface Marked<Events extends object> extends Pick<Decided, "events" | "position"> {
  /** The events as stored, if an earlier call has written them, or an attempt without an answer. */
  readonly found?: readonly StoredEvent<Events>[];
}

type Run<Events extends object> = (
  models: Models<Events>,
  handler: Handler<Events>,
  from?: Position,
) => Promise<Marked<Events>>;

/** A write whose answer was lost: it may have happened, or may still happen. */
interface LostWrite {
  readonly error: ConnectionLost;
  /** The store that it was sent to. It cannot happen in another one. */
  readonly storeId: string;
}

/** Decides with one model, or with several that have names. */
export async function decide<Events extends object, Result>(
  server: Server,
  given: object,
  handler: (known: never) => DecisionSoon<Events, Result>,
  options: DecideOptions,
): Promise<Decided<Result>> {
  const isOne = "query" in given && "initial" in given;
  const models: Record<string, DecisionModel<Events, unknown>> = {};
  for (
    const [name, model] of Object.entries<Given>(isOne ? { one: given as Given } : { ...given })
  ) {
    models[name] = withApply(model, isOne ? "the model" : `the model "${name}"`);
  }
  let result: Result | undefined;
  // A lost write is sent again without a new decision, so the last result is that of the events.
  const upon: Handler<Events> = async (states) => {
    const decision = await handler((isOne ? states["one"] : states) as never);
    const isWithResult = decision && "result" in decision && !("type" in decision);
    result = isWithResult ? decision.result : undefined;
    return isWithResult ? decision.events : decision as OneOrMore<NewEvent<Events>> | void;
  };
  const run: Run<Events> = (models, handler, from) =>
    decideMarked(server, models, handler, { ...options, from, mark: newMark() });
  const hasSnapshots = Object.values(models).some(({ snapshot }) => snapshot);
  const { events, position } = hasSnapshots
    ? await (await import("./snapshots.ts")).withSnapshots(server, models, upon, options.signal, run)
    : await run(models, upon);
  return { events, position, result: result! };
}

/**
 * Reads, decides, and writes if no relevant event was committed in between. Otherwise it reads the new events and
 * decides again.
 *
 * All attempts write events with the same mark, under the same condition: no relevant event was committed since the
 * read, and no other attempt has written. So when an answer is lost, the next attempt shows if the write happened.
 * While no new event is known, the client sends the same events again. The store then writes them, or its conflict
 * names a new event. The client reads up to that event. If it finds its own events, they are the result. If it
 * finds others, it decides again. The condition of the lost write can then never hold again, even if the server
 * still receives it.
 *
 * A read proves only that the events in it exist, since a replica that lags may have answered. For a read up to the
 * event of a conflict the client asks for a minimum head, which such a replica does not have.
 */
export async function decideMarked<Events extends object>(
  server: Server,
  models: Models<Events>,
  handler: Handler<Events>,
  { mark, mayExist, from, conditions = [], attempts = 10, signal }: MarkedOptions<Events>,
): Promise<Marked<Events>> {
  mustSpeak(server, "A");
  const named = Object.entries(models);
  const marked: Query<Events> = { metadata: mark };
  const query = union(named.map(([, model]) => model.query));
  const withMark = union([query, marked]);
  let states: Record<string, unknown> | undefined;
  let position = from;
  let events: readonly NewEvent<Events>[] | undefined;
  let failure: EventStoreError | undefined;
  let lost: LostWrite | undefined;
  /** After a lost write its outcome stays unknown, whatever the store answers later. */
  const inDoubt = (error: unknown): unknown => error instanceof EventStoreError && lost ? lost.error : error;
  for (let attempt = 1;; attempt++) {
    if (failure) await jitter(attempt - SOONER, signal);
    const known = states ??= Object.fromEntries(named.map(([name, model]) => [name, initialState(model)]));
    const mayBeThere = mayExist || failure;
    const learned: StoredEvent<Events>[] = [];
    try {
      const range = { after: position, headAtLeast: failure?.conflict?.sequence };
      position = await readToEnd(server, mayBeThere ? withMark : query, range, signal, (events) => {
        if (mayBeThere) learned.push(...events);
        else applyTo(known, named, events);
      });
    } catch (error) {
      // In the same store, a lost write may exist, or may still happen, whatever events the store has lost.
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
    events ??= withTags(listOf(await handler(known, end) ?? []), mark);
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
 * Returns a conflict about one of the caller's conditions, with its index among those. The first condition held, so
 * no attempt has written. Since the caller's condition stays broken, no attempt can write any more.
 */
function conflictOfCaller({ code, status }: Conflict, { condition = 0, sequence }: ConflictDetail): Conflict {
  const place = condition - 1;
  const message = `conditions[${place}] ${sequence ? "no longer holds" : "was read on another store"}`;
  const conflict = { condition: place, ...sequence ? { sequence } : {} };
  return new Conflict({ code, status, message, conflict });
}

/** @param take receives the events as they are read */
async function readToEnd<Events extends object>(
  server: Server,
  query: Query<Events>,
  range: Range,
  signal: AbortSignal | undefined,
  take: (events: readonly StoredEvent<Events>[]) => void,
): Promise<Position> {
  const steps = walk(server, query, range, signal);
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

function decided(
  { storeId, sequence }: Position,
  events: readonly AppendedEvent[],
): Pick<Decided, "events" | "position"> {
  return {
    events: events.map(({ sequence, time }) => ({ sequence, time })),
    position: { storeId, sequence: events.at(-1)?.sequence ?? sequence },
  };
}

/** Random enough to be unique. Some browsers have no `randomUUID`. */
function newMark(): Tags {
  return { decisionId: crypto.getRandomValues(new Uint32Array(4)).join("-") };
}
