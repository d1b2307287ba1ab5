import type { Position, StoredEvent } from "../events.ts";
import type { CallOptions } from "../options.ts";
import type { Query } from "../queries.ts";
import type { MirrorDatabase } from "./database.ts";

/** PostgreSQL cuts names after 63 bytes. The rest is for the version and a number. */
const NAME = /^[a-z_][a-z0-9_]{0,31}$/;
const VERSION = /^[a-z0-9_]{1,16}$/;

/** A table that is computed from events. */
export interface MirrorModel<Events extends object, Database extends MirrorDatabase> {
  /** The name to query: a view with this name shows the rows. Lower-case letters, digits and `_`; at most 32. */
  readonly name: string;
  /** Change it with `create`, `apply` or `query`: then the table is built anew. Lower case as well, at most 16. */
  readonly version: string;
  /** Selects the events that are applied. */
  readonly query: Query<Events>;
  /** Returns the SQL that creates the table with the given name, and its indexes. */
  readonly create: (table: string) => string;
  /** Changes the rows of the given table. It runs in the transaction that moves the checkpoint. */
  readonly apply: (
    database: Database,
    events: readonly StoredEvent<Events>[],
    table: string,
  ) => void | Promise<void>;
}

/** Options of a mirror. */
export interface MirrorOptions extends CallOptions {
  /** End when all events that are in the store have been applied, instead of waiting for more. */
  readonly stopAtEnd?: boolean;
  /** The most events that the server sends at a time. The server's settings give the default and the maximum. */
  readonly limit?: number;
  /** How long the server waits for an event, in seconds, 1 to 60. Default 25. */
  readonly waitSeconds?: number;
  /** Is called after each transaction. */
  readonly onProgress?: (progress: MirrorProgress) => void;
}

/** The state of a mirror after a transaction. */
export interface MirrorProgress {
  /** The table that was changed. */
  readonly table: string;
  /** The position up to which events are applied to it. */
  readonly checkpoint: Position;
  /** The number of events that the transaction has applied. */
  readonly events: number;
  /** True if the view shows this table. False while it is built next to an older one. */
  readonly isPublic: boolean;
}

/** @throws TypeError that names the option at fault */
export function assertModel({ name, version }: Pick<MirrorModel<never, never>, "name" | "version">): void {
  if (!NAME.test(name)) throw new TypeError(`name ${JSON.stringify(name)} does not match ${NAME.source}`);
  if (!VERSION.test(version)) {
    const given = JSON.stringify(version);
    throw new TypeError(`mirror "${name}": version ${given} does not match ${VERSION.source}`);
  }
}
