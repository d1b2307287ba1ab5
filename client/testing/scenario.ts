import type { EventStore } from "../event_store.ts";
import type { NewEvent, StoredEvent } from "../events.ts";
import { listOf, type OneOrMore } from "../one_or_more.ts";
import type { SchemaOptions } from "../schemas/standard_schema.ts";
import type { AppendOptions } from "../writing.ts";
import { LIMITS } from "./checks.ts";
import { differenceOf, linesOfAll } from "./difference.ts";
import { memoryStore, type MemoryStoreOptions } from "./memory_store.ts";

/**
 * The outcome that a test expects: events, in order (`[]` for none), or an error, by its class, its whole message, or a
 * pattern for its message.
 */
export type Expected<Events extends object = Record<string, unknown>> =
  | OneOrMore<NewEvent<Events>>
  // deno-lint-ignore no-explicit-any
  | (new (...args: any[]) => Error)
  | string
  | RegExp;

/** A handler of events, such as that of a consumer. */
export interface EventHandler<Events extends object = Record<string, unknown>> {
  /** Selects the events that are handled. */
  readonly query: Parameters<EventStore<Events>["read"]>[0];
  /** Handles an event, and returns the events to write, or effects. */
  // deno-lint-ignore no-explicit-any
  readonly handle: (event: StoredEvent<Events>, context: any) => unknown;
}

/** The beginning of a test: a store in memory with some events. */
export interface Given<Events extends object = Record<string, unknown>> {
  /** Runs a decision: any code that uses the store. */
  when(decision: (store: EventStore<Events>) => unknown): When<Events>;
  /**
   * Handles each given event that matches, in order, and writes the results.
   * @param handler a function makes one that uses the store
   */
  whenHandledBy(
    handler: EventHandler<Events> | ((store: EventStore<Events>) => EventHandler<Events>),
  ): When<Events>;
}

/** A test whose outcome is still to be compared. */
export interface When<Events extends object = Record<string, unknown>> {
  /**
   * Runs the test, and compares the events that were written, or the error.
   *
   * Compared are types, identifiers and payloads, and the metadata of each expected event that names some.
   * @throws an `AssertionError` whose message shows what differs
   */
  then(expected: Expected<Events>): Promise<void>;
}

/**
 * Tests a decision: which events does it write, given these?
 *
 * @param events the events that the store has already
 * @param options of the store in memory
 * @example
 * ```ts
 * import type { EventStore } from "eventstore-client";
 * import { given } from "eventstore-client/testing";
 *
 * type Events = { SeatTaken: { by: string } };
 * async function takeSeat(store: EventStore<Events>, show: string, by: string): Promise<void> {
 *   const seats = { query: { identifiers: { show } }, initial: 0, apply: (taken: number) => taken + 1 };
 *   await store.decide(seats, (taken) => {
 *     if (taken >= 2) throw new Error("sold out");
 *     return { type: "SeatTaken", identifiers: { show }, payload: { by } };
 *   });
 * }
 *
 * const taken = { type: "SeatTaken", identifiers: { show: "s1" }, payload: { by: "Ada" } } as const;
 * await given<Events>([taken]).when((store) => takeSeat(store, "s1", "Ada")).then([taken]);
 * await given<Events>([taken, taken]).when((store) => takeSeat(store, "s1", "Ada")).then("sold out");
 * ```
 */
export function given<Events extends object = Record<string, unknown>>(
  events: OneOrMore<NewEvent<Events>> = [],
  options: MemoryStoreOptions & SchemaOptions<Events> = {},
): Given<Events> {
  const when = (decision: (store: EventStore<Events>) => unknown): When<Events> => ({
    then: async (expected: Expected<Events>, ...rest: readonly unknown[]) => {
      // A caller that awaits the test itself passes two functions instead of an outcome.
      const [reject] = rest as readonly ((error: Error) => void)[];
      if (reject) reject(new TypeError("say what is expected: .then([...]), or .then(an error)"));
      else await run(listOf(events), options, decision, expected);
    },
  });
  return {
    when,
    whenHandledBy: (given) =>
      when((store) => handleAll(store, typeof given === "function" ? given(store) : given)),
  };
}

async function run<Events extends object>(
  events: readonly NewEvent<Events>[],
  options: MemoryStoreOptions & SchemaOptions<Events>,
  decision: (store: EventStore<Events>) => unknown,
  expected: Expected<Events>,
): Promise<void> {
  const store = memoryStore<Events>(options);
  const most = options.limits?.maxEventsPerWrite ?? LIMITS.maxEventsPerWrite;
  for (let i = 0; i < events.length; i += most) await store.append(events.slice(i, i + most));
  let failure: { readonly error: unknown } | undefined;
  try {
    await decision(store);
  } catch (error) {
    failure = { error };
  }
  const written: StoredEvent<Events>[] = [];
  for await (const event of store.readAll("*", { after: events.length })) written.push(event);
  const isError = typeof expected === "function" || typeof expected === "string" ||
    expected instanceof RegExp;
  if (isError) compareError(expected, failure, written as StoredEvent[]);
  else compareEvents(listOf(expected) as readonly NewEvent[], failure, written as StoredEvent[]);
}

function compareEvents(
  expected: readonly NewEvent[],
  failure: { readonly error: unknown } | undefined,
  written: readonly StoredEvent[],
): void {
  if (failure) fail(`the decision failed: ${failure.error}`, failure.error);
  const difference = differenceOf(expected, written);
  if (!difference) return;
  fail(`the decision wrote other events than expected (- expected, + written):\n${difference}`);
}

function compareError(
  expected: Exclude<Expected, OneOrMore<NewEvent>>,
  failure: { readonly error: unknown } | undefined,
  written: readonly StoredEvent[],
): void {
  const name = typeof expected === "function"
    ? expected.name
    : `an error with the message ${JSON.stringify(expected)}`;
  const wanted = expected instanceof RegExp ? `an error with a message like ${expected}` : name;
  const events = written.length ? `and wrote:\n${linesOfAll(written)}` : "and wrote nothing";
  if (!failure) fail(`expected ${wanted}, but the decision succeeded ${events}`);
  const { error } = failure;
  const message = error instanceof Error ? error.message : String(error);
  const isExpected = typeof expected === "function"
    ? error instanceof expected
    : typeof expected === "string"
    ? message === expected
    : expected.test(message);
  if (!isExpected) fail(`expected ${wanted}, but the decision failed with ${error}`, error);
  if (written.length) fail(`the decision failed as expected, ${events}`, error);
}

function fail(message: string, cause?: unknown): never {
  throw Object.assign(new Error(message, { cause }), { name: "AssertionError" });
}

/** Handles the events that the store has, as a consumer would. */
async function handleAll<Events extends object>(
  store: EventStore<Events>,
  { query, handle }: EventHandler<Events>,
): Promise<void> {
  const { signal } = new AbortController();
  for await (const event of store.readAll(query)) {
    const context = { key: `test ${event.sequence}`, attempt: 1, signal };
    const result = await handle(event, context);
    if (!result) continue;
    const isEvents = Array.isArray(result) || "type" in (result as object);
    const { events = [], ...options } = isEvents ? { events: result } : result as {
      events?: OneOrMore<NewEvent<Events>>;
    } & AppendOptions<Events>;
    await store.append(events as OneOrMore<NewEvent<Events>>, options);
  }
}
