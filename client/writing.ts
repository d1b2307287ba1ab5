import type { NewEvent, Position } from "./events.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Condition } from "./queries.ts";
import type { Server } from "./server.ts";
import { payloadText, wireCondition, wireEvent } from "./wire.ts";

/** A projection that is to be written. */
export interface NewProjection {
  /** Of which kind it is, such as `course`. */
  readonly type: string;
  /** Which of this kind, such as `c1`. */
  readonly id: string;
  /** Any JSON value; with `payload: "text"` a string. */
  readonly payload: unknown;
}

/** A projection, and the version that it must still have. */
export interface ProjectionVersion {
  /** Of which kind it is. */
  readonly type: string;
  /** Which of this kind. */
  readonly id: string;
  /** As it was read, or given when it was written. */
  readonly version: string;
}

/** Projections to be changed, all of them or none. */
export interface ProjectionChanges {
  /** They must not exist. */
  readonly create?: readonly NewProjection[];
  /** They must exist, each in the given version. */
  readonly replace?: readonly (NewProjection & ProjectionVersion)[];
  /** They must exist, each in the given version. */
  readonly delete?: readonly ProjectionVersion[];
}

/** The new versions of the projections, each list in the order in which they were handed over. */
export interface ProjectionVersions {
  /** Of those that were created. */
  readonly create: readonly { readonly version: string }[];
  /** Of those that were replaced. */
  readonly replace: readonly { readonly version: string }[];
}

/** What a write depends on, and what it does besides. */
export interface AppendOptions<Events extends object = Record<string, unknown>> extends CallOptions {
  /** All of them must hold, or nothing is written. */
  readonly conditions?: OneOrMore<Condition<Events>>;
  /** What is written together with the events. */
  readonly projections?: ProjectionChanges;
}

/** What the server has given an event. */
export interface AppendedEvent {
  /** Its place in the store. */
  readonly sequence: number;
  /** The same for all events of one write. */
  readonly time: string;
}

/** What a write has done. It is durable. */
export interface Appended {
  /** In the order in which the events were handed over. */
  readonly events: readonly AppendedEvent[];
  /** Of the last event; undefined when there was none. */
  readonly position: Position | undefined;
  /** The new versions of what was written together with the events. */
  readonly projections: ProjectionVersions;
}

/** One `POST /write`, repeated only while the server says that it has written nothing. */
export async function write<Events extends object>(
  server: Server,
  events: OneOrMore<NewEvent<Events>>,
  { conditions = [], projections, signal }: AppendOptions<Events>,
): Promise<Appended> {
  const { header, json, body } = await server.repeat({
    method: "POST",
    path: "/write",
    body: {
      conditions: listOf(conditions).map(wireCondition),
      events: listOf(events).map((event) => wireEvent(event, server.payload)),
      projections: projections && wireProjections(server, projections),
    },
    changes: true,
    signal,
  });
  const storeId = header("x-service-store");
  const written = json<Omit<Appended, "position">>(body);
  const last = written.events.at(-1);
  return { ...written, position: last && { storeId, sequence: last.sequence } };
}

/** The lists of projections as the server takes them. */
export function wireProjections(
  server: Server,
  changes: { readonly [list in keyof ProjectionChanges]: readonly unknown[] },
): unknown {
  const withText = (projections?: readonly unknown[]): unknown =>
    (projections as NewProjection[] | undefined)?.map((one) => ({
      ...one,
      payload: payloadText(one.payload, server.payload),
    }));
  return { ...changes, create: withText(changes.create), replace: withText(changes.replace) };
}
