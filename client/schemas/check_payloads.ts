import type { EventReader } from "../event_reader.ts";
import type { Position, StoredEvent } from "../events.ts";
import type { CallOptions } from "../options.ts";
import type { Query } from "../queries.ts";
import type { Server } from "../server.ts";
import { walk } from "../walk.ts";
import { payloadOf } from "../wire.ts";
import { type Options, read, versionOf, versionsOf } from "./codec.ts";
import type { Schemas } from "./standard_schema.ts";

/** The most failures that a report names. */
const FAILURES_MAX = 100;

/** The events to check. */
export interface CheckPayloadsOptions extends CallOptions {
  /** Default `"*"`: every event. */
  readonly query?: Query;
  /** Only events after this position, such as that of an earlier report. Default: the beginning. */
  readonly after?: Position | number;
  /** Only events before this sequence. */
  readonly before?: Position | number;
}

/** The payloads that a store holds, and those that this program could not read. */
export interface PayloadReport {
  /** The number of events that were read. */
  readonly events: number;
  /** The number of events whose payload does not fit. */
  readonly failed: number;
  /** The first 100 of them. */
  readonly failures: readonly PayloadFailure[];
  /** Counts for each type and version, in the order in which they appear in the store. */
  readonly versions: readonly VersionCount[];
  /** The position up to which events were checked. */
  readonly position: Position;
}

/** An event whose payload does not fit. */
export interface PayloadFailure {
  /** Its sequence in the store. */
  readonly sequence: number;
  /** Its type. */
  readonly type: string;
  /** The version that it was written in. */
  readonly version: string;
  /** The error of a read with `checkReads`. */
  readonly message: string;
}

/** The events of one type and version. */
export interface VersionCount {
  /** Their type. */
  readonly type: string;
  /** The version that they were written in. */
  readonly version: string;
  /** False if there is no schema for the type: such payloads are not checked. */
  readonly hasSchema: boolean;
  /** The number of events, with those that failed and those that were forgotten. */
  readonly events: number;
  /** The number of those that failed. */
  readonly failed: number;
  /** The number of those whose payload was forgotten, and is not checked. */
  readonly forgotten: number;
}

/**
 * Checks that a program with these schemas could read every payload that the store holds, in whatever version it was
 * written. It reads all events, and keeps only counts and the first failures. Run it before you deploy new schemas.
 *
 * @param store a store with or without schemas of its own, which are not used
 * @throws {StoreReset} when `after` or `before` is a position in another store
 * @example
 * ```ts
 * import { EventStore } from "eventstore-client";
 * import { checkPayloads, versions } from "eventstore-client/schemas";
 * import { z } from "zod";
 *
 * const schemas = {
 *   OrderPlaced: versions(z.object({ cents: z.number() }))
 *     .next(z.object({ cents: z.number(), currency: z.string() }), (old) => ({ ...old, currency: "EUR" })),
 * };
 * const report = await checkPayloads(new EventStore({ url: "http://127.0.0.1:8085" }), schemas);
 * for (const { sequence, message } of report.failures) console.log(sequence, message);
 * if (report.failed > 0) throw new Error(`${report.failed} of ${report.events} payloads do not fit`);
 * ```
 */
export async function checkPayloads<Events extends object, Stored extends object>(
  store: EventReader<Stored>,
  schemas: Schemas<Events>,
  options: CheckPayloadsOptions = {},
): Promise<PayloadReport> {
  const { query = "*", signal, ...range } = options;
  const server: Server = {
    ...store["server"],
    payload: "text",
    codec: (_, events) => Promise.resolve(events),
  };
  const checks = { schemas, checkReads: true } as Options;
  const counts = new Map<string, Mutable<VersionCount>>();
  const failures: PayloadFailure[] = [];
  let total = 0;
  let failed = 0;
  const steps = walk(server, query, range, signal, false);
  for (;;) {
    const { events, position, isEnd } = (await steps.next()).value;
    for (const event of events) {
      total++;
      const count = countOf(counts, checks, event);
      count.events++;
      if (event.forgotten) count.forgotten++;
      const message = await faultOf(checks, event);
      if (message === undefined) continue;
      count.failed++;
      const { sequence } = event;
      const { type, version } = count;
      if (failed++ < FAILURES_MAX) failures.push({ sequence, type, version, message });
    }
    if (isEnd) return { events: total, failed, failures, versions: [...counts.values()], position };
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Returns the count for the type and version of an event. */
function countOf(
  counts: Map<string, Mutable<VersionCount>>,
  options: Options,
  { type, metadata }: StoredEvent,
): Mutable<VersionCount> {
  const version = versionOf(metadata);
  const key = JSON.stringify([type, version]);
  const hasSchema = versionsOf(options, type) !== undefined;
  const count = counts.get(key) ?? { type, version, hasSchema, events: 0, failed: 0, forgotten: 0 };
  counts.set(key, count);
  return count;
}

/** The message of the error that a read of this event throws; undefined if there is none. */
async function faultOf(options: Options, event: StoredEvent): Promise<string | undefined> {
  if (event.forgotten || !versionsOf(options, event.type)) return undefined;
  try {
    const payload = payloadOf(event.payload as string, "json", `event ${event.sequence}`);
    await read(options, [{ ...event, payload }]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
