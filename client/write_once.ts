import { decideMarked } from "./decide.ts";
import { Refused } from "./errors.ts";
import type { NewEvent, StoredEvent, Tags } from "./events.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Condition } from "./queries.ts";
import type { Server } from "./server.ts";
import type { AppendedEvent } from "./writing.ts";

/** Options of a write that happens once. */
export interface WriteOnceOptions<Events extends object = Record<string, unknown>> extends CallOptions {
  /** All of them must hold when the write happens. */
  readonly conditions?: OneOrMore<Condition<Events>>;
}

/** The result of a write, now or the first time. It is durable. */
export interface WrittenOnce {
  /** In the order in which the events were given. */
  readonly events: readonly AppendedEvent[];
  /** True if the write had happened before. */
  readonly repeated: boolean;
}

/** Decides to write these events if there are none under the key. Otherwise it returns the existing ones. */
export async function writeOnce<Events extends object>(
  server: Server,
  key: string,
  events: OneOrMore<NewEvent<Events>>,
  options: WriteOnceOptions<Events>,
): Promise<WrittenOnce> {
  const mark = { writeKey: key };
  const wanted = listOf(events);
  if (!wanted.length) throw new TypeError("there is no event to write");
  const written = await decideMarked(server, {}, () => wanted, { ...options, mark, mayExist: true });
  const { found } = written;
  const bodyOf = (events: readonly NewEvent[]): string => {
    const bodies = events.map(({ type, identifiers = {}, metadata, payload }, i) => [
      type,
      sorted(identifiers),
      // Each attempt has a trace of its own, and the first one may have written an older version of the payload.
      sorted({ ...metadata, ...mark, traceparent: "", schemaVersion: "" }),
      // A payload that was forgotten cannot be compared any more.
      !found?.[i]?.forgotten && payload,
    ]);
    return JSON.stringify(bodies, withSortedKeys);
  };
  if (found && bodyOf(found as readonly StoredEvent[]) !== bodyOf(await server.codec("written", wanted))) {
    const message = `other events were written under the key "${key}"`;
    throw new Refused({ code: "DifferentBody", message });
  }
  return { events: written.events, repeated: found !== undefined };
}

/** Returns the same for equal tags, however they are written. */
function sorted(tags: Tags): unknown {
  return Object.entries(tags).map((tag) => JSON.stringify(tag.flat())).sort();
}

/** Upcast payloads may have their keys in another order. */
function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
