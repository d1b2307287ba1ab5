import { decide } from "./decide.ts";
import { Refused } from "./errors.ts";
import type { NewEvent, Tags } from "./events.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Condition } from "./queries.ts";
import type { Server } from "./server.ts";
import { wireEvent } from "./wire.ts";
import type { AppendedEvent } from "./writing.ts";

/** What a write that happens once depends on besides. */
export interface WriteOnceOptions<Events extends object = Record<string, unknown>> extends CallOptions {
  /** All of them must hold when it happens. */
  readonly conditions?: OneOrMore<Condition<Events>>;
}

/** What a write has done, now or the first time. It is durable. */
export interface WrittenOnce {
  /** In the order in which the events were handed over. */
  readonly events: readonly AppendedEvent[];
  /** Whether it had happened before. */
  readonly repeated: boolean;
}

/** The decision to write these events if none were written under the key, and to see which ones if there were. */
export async function writeOnce<Events extends object>(
  server: Server,
  key: string,
  events: OneOrMore<NewEvent<Events>>,
  options: WriteOnceOptions<Events>,
): Promise<WrittenOnce> {
  const mark = { writeKey: key };
  const wanted = listOf(events);
  if (!wanted.length) throw new TypeError("there is no event to write");
  const written = await decide(server, {}, () => wanted, { ...options, mark, mayExist: true });
  const bodyOf = (events: readonly NewEvent<Events>[]): string =>
    JSON.stringify(events.map((event) => {
      const { type, identifiers, metadata, payload } = wireEvent(event, server.payload);
      return [type, sorted(identifiers), sorted({ ...metadata, ...mark }), payload];
    }));
  const { found } = written;
  if (found && bodyOf(found) !== bodyOf(wanted)) {
    const message = `other events were written under the key "${key}"`;
    throw new Refused({ code: "DifferentBody", message });
  }
  return { events: written.events, repeated: found !== undefined };
}

/** The same for the same tags, in whatever way they are written. */
function sorted(tags: Tags): unknown {
  return Object.entries(tags).map((tag) => JSON.stringify(tag.flat())).sort();
}
