import type { NewEvent, Position } from "./events.ts";
import { STORE_HEADER } from "./exchange.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Condition } from "./queries.ts";
import type { Server } from "./server.ts";
import { payloadText, wireCondition, wireEvents } from "./wire.ts";

/** A projection to write. */
export interface NewProjection {
  /** The kind of projection, such as `course`. */
  readonly type: string;
  /** The ID among projections of this type, such as `c1`. */
  readonly id: string;
  /** Any JSON value; with `payload: "text"` a string. */
  readonly payload: unknown;
}

/** A projection, and the version that it must still have. */
export interface ProjectionVersion {
  /** The kind of projection. */
  readonly type: string;
  /** The ID among projections of this type. */
  readonly id: string;
  /** From a read, or from the result of a write. */
  readonly version: string;
}

/** Projections to change, all or none. */
export interface ProjectionChanges {
  /** They must not exist. */
  readonly create?: readonly NewProjection[];
  /** They must exist, each in the given version. */
  readonly replace?: readonly (NewProjection & ProjectionVersion)[];
  /** They must exist, each in the given version. */
  readonly delete?: readonly ProjectionVersion[];
}

/** The new versions of the projections, each list in the order of the request. */
export interface ProjectionVersions {
  /** Versions of the created projections. */
  readonly create: readonly { readonly version: string }[];
  /** Versions of the replaced projections. */
  readonly replace: readonly { readonly version: string }[];
}

/** Conditions of a write, and further changes in it. */
export interface AppendOptions<Events extends object = Record<string, unknown>> extends CallOptions {
  /** All of them must hold, or nothing is written. */
  readonly conditions?: OneOrMore<Condition<Events>>;
  /** Changes that are written together with the events. */
  readonly projections?: ProjectionChanges;
}

/** The values that the server has given an event. */
export interface AppendedEvent {
  /** Its sequence in the store. */
  readonly sequence: number;
  /** The same for all events of one write. */
  readonly time: string;
}

/** The result of a write. It is durable. */
export interface Appended {
  /** In the order in which the events were given. */
  readonly events: readonly AppendedEvent[];
  /** The position of the last event; undefined when there was none. */
  readonly position: Position | undefined;
  /** The new versions of the projections that were written together with the events. */
  readonly projections: ProjectionVersions;
}

/** Sends one `POST /write`. It is repeated only while the server says that it has written nothing. */
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
      events: await wireEvents(server, events),
      projections: projections && wireProjections(server, projections),
    },
    changes: true,
    signal,
  });
  const storeId = header(STORE_HEADER);
  const written = json<Omit<Appended, "position">>(body);
  const last = written.events.at(-1);
  return { ...written, position: last && { storeId, sequence: last.sequence } };
}

/** The lists of projections as the server expects them. */
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
