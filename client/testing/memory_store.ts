import { EventStore } from "../event_store.ts";
import type { EventStoreOptions } from "../options.ts";
import type { SchemaOptions } from "../schemas/standard_schema.ts";
import { LIMITS, type Limits } from "./checks.ts";
import { MemoryTransport } from "./memory_transport.ts";
import type { TestClock } from "./test_clock.ts";

/** Options of a store in memory. */
export interface MemoryStoreOptions
  extends Omit<EventStoreOptions, "url" | "socketPath" | "fetchOptions" | "token" | "edition" | "transport"> {
  /** The clock that gives events their time. Default: the system's. */
  readonly clock?: Pick<TestClock, "now">;
  /** The setting `subjects`: names of identifiers that stand for a person, for `forget`. */
  readonly subjects?: readonly string[];
  /** The settings of your server that differ from the defaults, such as `maxTagsPerEvent`. */
  readonly limits?: Partial<Limits>;
}

/**
 * An empty store in memory, for tests. It is an `EventStore` with a server of edition A behind it that exists only in
 * this process: the same methods, rules, limits and errors.
 *
 * @example
 * ```ts
 * import { memoryStore, TestClock } from "eventstore-client/testing";
 *
 * const clock = new TestClock("2026-11-28T09:00:00Z");
 * const store = memoryStore<{ SeatTaken: { by: string } }>({ clock });
 * await store.append({ type: "SeatTaken", identifiers: { show: "s1" }, payload: { by: "Ada" } });
 * clock.advance(60);
 * for await (const event of store.readAll("*")) console.log(event.time); // 2026-11-28T09:00:00.000000Z
 * ```
 */
export function memoryStore<Events extends object = Record<string, unknown>>(
  options: MemoryStoreOptions & SchemaOptions<Events> = {},
): EventStore<Events> {
  const { clock, subjects = [], limits, ...others } = options;
  const now = (): Date => clock?.now() ?? new Date();
  const transport = new MemoryTransport({ now, subjects, limits: { ...LIMITS, ...limits } });
  return new EventStore<Events>({ ...others, transport });
}
