import type { EventOf, NewEvent } from "./events.ts";
import type { OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Projection } from "./projections.ts";
import type { Query } from "./queries.ts";
import type { TextAnswer } from "./server.ts";
import type { NewProjection, ProjectionVersion } from "./writing.ts";

/** Options of a transaction. */
export interface TransactionOptions extends CallOptions {
  /** The most attempts. Default 10. */
  readonly attempts?: number;
}

/** Projections to change in a transaction. Edition B knows the versions itself, so give none there. */
export interface TransactionProjections {
  /** They must not exist. */
  readonly create?: readonly NewProjection[];
  /** They must have been read in this transaction. */
  readonly replace?: readonly (NewProjection & Partial<ProjectionVersion>)[];
  /** They must have been read in this transaction. */
  readonly delete?: readonly (Pick<NewProjection, "type" | "id"> & Partial<ProjectionVersion>)[];
}

/** The calls in a transaction. All its writes happen at its end, or none. */
export interface Transaction<Events extends object = Record<string, unknown>> {
  /**
   * All events that match, including those that the transaction has appended. In edition B the latter have no
   * sequence.
   */
  read(query: Query<Events>): Promise<EventOf<Events, number | undefined>[]>;
  /** Appends events. In edition B they depend on the read before. */
  append(events: OneOrMore<NewEvent<Events>>): Promise<void>;
  /** A projection; undefined when there is none. In edition B its version is empty. */
  getProjection<Payload = unknown>(type: string, id: string): Promise<Projection<Payload> | undefined>;
  /** Changes projections. */
  writeProjections(changes: TransactionProjections): Promise<void>;
}

/** A transaction that has begun. */
export interface OpenTransaction<Events extends object> extends Transaction<Events> {
  commit(): Promise<void>;
  /** Ends the transaction without any change. */
  abandon(): Promise<void>;
}

/** Checks that an answer to a write comes from the server itself. @throws ConnectionLost */
export function confirmed({ body, lost }: TextAnswer): void {
  // Such an answer begins with "time", "events" or "create".
  if (!/^{"(t|ev|c)/.test(body)) throw lost(body);
}
