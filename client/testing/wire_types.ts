import type { Tags } from "../events.ts";

/* The bodies that the client sends, as far as the store in memory reads them. */

/** An event to write. */
export interface EventBody {
  readonly type: string;
  readonly identifiers: Tags;
  readonly metadata: Tags;
  readonly payload: string;
}

/** A tag in a query. */
interface QueryTag {
  readonly name: string;
  readonly value: string;
}

/** An item of a query. */
export interface ItemBody {
  readonly types?: readonly string[];
  readonly identifiers?: readonly QueryTag[];
  readonly metadata?: readonly QueryTag[];
}

/** Every event, or those that match an item. */
export type QueryBody = "*" | readonly ItemBody[];

/** The body of `QUERY /events`. */
export interface ReadBody {
  readonly query: QueryBody;
  readonly afterSequence?: number;
  readonly beforeSequence?: number;
  readonly backwards?: boolean;
  readonly limit?: number;
  readonly waitSeconds?: number;
}

/** A condition of a write. */
export interface ConditionBody {
  readonly failIfEventsMatch: QueryBody;
  readonly afterSequence?: number;
  readonly store?: string;
}

/** A projection to create, replace or delete. */
export interface ProjectionBody {
  readonly type: string;
  readonly id: string;
  readonly version?: string;
  readonly payload?: string;
}

/** The lists of projections of a write. */
export type ListName = "create" | "replace" | "delete";

/** The projections of a write. */
export type ProjectionsBody = { readonly [List in ListName]?: readonly ProjectionBody[] };

/** The body of `POST /write`. */
export interface WriteBody {
  readonly events?: readonly EventBody[];
  readonly conditions?: readonly ConditionBody[];
  readonly projections?: ProjectionsBody;
}

/** The body of `POST /forget`. */
export interface ForgetBody {
  readonly identifier: QueryTag;
  readonly events?: readonly EventBody[];
}
