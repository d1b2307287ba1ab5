import type { Queried, Query } from "../../src/model/query.ts";
import type { Tag } from "../../src/model/tag.ts";
import type { Saw } from "./seats.ts";

/* The requests of the clients of a round, and all answers that they received: the history of the chain. */

/** An event as a reader received it. */
export interface SeenEvent extends Queried {
  readonly sequence: number;
  readonly time: string;
  /** The call that wrote it, and the index of the event in the call: `call/part`. */
  readonly mark: string;
  /** For a decision: the state that its handler saw. */
  readonly saw: Saw | undefined;
}

/** An event whose sequence was in the answer to a write. */
export interface ReportedEvent {
  readonly sequence: number;
  readonly time: string;
}

/** A position in one history. */
export interface Position {
  readonly storeId: string;
  readonly sequence: number;
}

export type Operation = "decide" | "once" | "append" | "transact";

/** A call of the client library that may write, or a call of the audit's own probes. */
export interface Call {
  readonly label: string;
  readonly operation: Operation;
  /** The number of events that it writes, if it writes. Undefined when the handler decides that. */
  readonly events: number | undefined;
  /** The key of `writeOnce`. */
  readonly key?: string | undefined;
  /** The read that the condition of an `append` depends on. */
  readonly condition?: { readonly query: Query; readonly after: Position } | undefined;
  /** In microseconds. */
  readonly begun: number;
  ended: number;
  /** The number of write requests that it has sent. */
  writes: number;
  /** The IDs of the stores that it has read. */
  readonly storeIds: Set<string>;
  outcome: Outcome;
}

export type Outcome =
  /** `storeId`: when the client learns it. `events`: when the client learns the sequences. */
  | {
    readonly kind: "done";
    readonly storeId: string | undefined;
    readonly events: readonly ReportedEvent[] | undefined;
  }
  /** The handler decided to write nothing. */
  | {
    readonly kind: "declined";
    readonly at: Position | undefined;
    readonly topic: string;
    readonly saw: Saw;
  }
  /** The error says that nothing was written, or does not say that the outcome is unknown. */
  | {
    readonly kind: "failed";
    readonly name: string;
    readonly message: string;
    /** True for an error of the store, false for an error of the handler. */
    readonly isOfStore: boolean;
  }
  | { readonly kind: "unknown" };

/** A page that came with its trailer. */
export interface SeenPage {
  readonly storeId: string;
  readonly head: number;
  readonly query: Query;
  readonly after: number;
  readonly before: number | undefined;
  readonly isBackwards: boolean;
  readonly limit: number;
  readonly events: readonly SeenEvent[];
  readonly hasMore: boolean;
  readonly begun: number;
  readonly ended: number;
}

/** The events of one store that a follower received, from the beginning of the store. */
export interface Segment {
  readonly storeId: string;
  readonly events: SeenEvent[];
  /** The position that it has reached. */
  sequence: number;
  /** True when the follower was notified that the store is a new one. */
  readonly isReported: boolean;
}

/** A state that a projector has stored. */
export interface Stored {
  readonly name: string;
  readonly topic: string;
  readonly state: Saw;
  readonly at: Position;
}

/** All events of each store that clients have seen. */
export type Known = Map<string, Map<number, SeenEvent>>;

export const MARK = "mark";

/** Lines of pages as events. The same line is the same object, so that large pages use little memory. */
export class SeenEvents {
  readonly #byLine = new Map<string, SeenEvent>();

  of(line: string): SeenEvent {
    let event = this.#byLine.get(line);
    if (event === undefined) this.#byLine.set(line, event = parsed(line));
    return event;
  }
}

interface LineOfEvent {
  readonly sequence: number;
  readonly time: string;
  readonly type: string;
  readonly identifiers: Readonly<Record<string, string | readonly string[]>>;
  readonly metadata: Readonly<Record<string, string | readonly string[]>>;
  readonly payload: string;
}

function parsed(line: string): SeenEvent {
  const { sequence, time, type, identifiers, metadata, payload } = JSON.parse(line) as LineOfEvent;
  return {
    sequence,
    time,
    type,
    identifiers: tagsOf(identifiers),
    metadata: tagsOf(metadata),
    mark: String(metadata[MARK]),
    saw: (JSON.parse(payload) as { readonly saw?: Saw }).saw,
  };
}

function tagsOf(tags: LineOfEvent["identifiers"]): Tag[] {
  return Object.entries(tags).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value: value as string }))
  );
}

/** Parses a query as requests write it. */
export function queryOf(wire: unknown): Query {
  if (wire === "*" || wire === "all") return "every";
  if (wire === "none") return "none";
  const items = wire as readonly { types?: string[]; identifiers?: Tag[]; metadata?: Tag[] }[];
  return items.map(({ types = [], identifiers = [], metadata = [] }) => ({ types, identifiers, metadata }));
}

/** The time of one clock of this process. */
export function microseconds(): number {
  return Math.round(performance.now() * 1000);
}
