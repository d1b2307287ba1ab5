import type { EventOf, NewEvent } from "./events.ts";
import type { OneOrMore } from "./one_or_more.ts";
import type { CallOptions } from "./options.ts";
import type { Projection } from "./projections.ts";
import type { Query } from "./queries.ts";
import type { TextAnswer } from "./server.ts";
import type { NewProjection, ProjectionVersion } from "./writing.ts";

/** How hard a transaction tries. */
export interface TransactionOptions extends CallOptions {
  /** How often it runs at most. Default 10. */
  readonly attempts?: number;
}

/** Projections to be changed in a transaction. Edition B knows the versions itself and takes none. */
export interface TransactionProjections {
  /** They must not exist. */
  readonly create?: readonly NewProjection[];
  /** They must have been read in this transaction. */
  readonly replace?: readonly (NewProjection & Partial<ProjectionVersion>)[];
  /** They must have been read in this transaction. */
  readonly delete?: readonly (Pick<NewProjection, "type" | "id"> & Partial<ProjectionVersion>)[];
}

/** What can be done in a transaction. Everything is written at its end, or nothing. */
export interface Transaction<Events extends object = Record<string, unknown>> {
  /** All events that match, those that the transaction has appended included. In edition B these have no sequence. */
  read(query: Query<Events>): Promise<EventOf<Events, number | undefined>[]>;
  /** Appends events. In edition B they are based on the read before. */
  append(events: OneOrMore<NewEvent<Events>>): Promise<void>;
  /** A projection; undefined when there is none. In edition B its version is empty. */
  getProjection<Payload = unknown>(type: string, id: string): Promise<Projection<Payload> | undefined>;
  /** Changes projections. */
  writeProjections(changes: TransactionProjections): Promise<void>;
}

/** A transaction that has begun. */
export interface OpenTransaction<Events extends object> extends Transaction<Events> {
  commit(): Promise<void>;
  /** Ends it without a trace. */
  abandon(): Promise<void>;
}

/** Makes sure that an answer to a write is the server's own. @throws ConnectionLost */
export function confirmed({ body, lost }: TextAnswer): void {
  // It begins with "time", "events" or "create".
  if (!/^{"(t|ev|c)/.test(body)) throw lost(body);
}
