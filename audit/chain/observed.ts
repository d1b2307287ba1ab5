import type { Queried, Query } from "../../src/model/query.ts";
import type { Tag } from "../../src/model/tag.ts";
import type { Saw } from "./seats.ts";

/*
 * What the clients of a round asked for, and everything that they were told: the evidence of the chain.
 */

/** An event as a reader got it. */
export interface SeenEvent extends Queried {
  readonly sequence: number;
  readonly time: string;
  /** Which call wrote it, and which of the call's events it is: `call/part`. */
  readonly mark: string;
  /** Of a decision: what its handler saw. */
  readonly saw: Saw | undefined;
}

/** An event of which the answer to a write told the sequence. */
export interface ReportedEvent {
  readonly sequence: number;
  readonly time: string;
}

/** A place in one history. */
export interface Position {
  readonly storeId: string;
  readonly sequence: number;
}

export type Operation = "decide" | "once" | "append" | "transact";

/** A call of the client library that may write, or of the audit's own probes. */
export interface Call {
  readonly label: string;
  readonly operation: Operation;
  /** How many events it writes if it writes. Undefined when the handler decides that. */
  readonly events: number | undefined;
  /** The key of `writeOnce`. */
  readonly key?: string | undefined;
  /** What an `append` rests on. */
  readonly condition?: { readonly query: Query; readonly after: Position } | undefined;
  /** In microseconds. */
  readonly begun: number;
  ended: number;
  /** How many requests to write it has sent. */
  writes: number;
  outcome: Outcome;
}

export type Outcome =
  /** `storeId`: where the client is told. `events`: where it is told the sequences. */
  | {
    readonly kind: "done";
    readonly storeId: string | undefined;
    readonly events: readonly ReportedEvent[] | undefined;
  }
  /** The handler wanted to write nothing. */
  | {
    readonly kind: "declined";
    readonly at: Position | undefined;
    readonly topic: string;
    readonly saw: Saw;
  }
  /** An error that says that nothing was written, or does not say that the outcome is unknown. */
  | {
    readonly kind: "failed";
    readonly name: string;
    readonly message: string;
    /** Whether it is an error of the store, and not one of the handler. */
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

/** What a follower got of one store, from its beginning on. */
export interface Segment {
  readonly storeId: string;
  readonly events: SeenEvent[];
  /** How far it has come. */
  sequence: number;
  /** Whether the follower was told that the store is a new one. */
  readonly isReported: boolean;
}

/** A state that a projector has stored. */
export interface Stored {
  readonly name: string;
  readonly topic: string;
  readonly state: Saw;
  readonly at: Position;
}

/** All events of each store that anybody has seen. */
export type Known = Map<string, Map<number, SeenEvent>>;

export const MARK = "mark";

/** A line of a page; the same line is the same object, so that large pages cost little. */
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

/** A query as requests spell it. */
export function queryOf(wire: unknown): Query {
  if (wire === "*" || wire === "all") return "every";
  if (wire === "none") return "none";
  const items = wire as readonly { types?: string[]; identifiers?: Tag[]; metadata?: Tag[] }[];
  return items.map(({ types = [], identifiers = [], metadata = [] }) => ({ types, identifiers, metadata }));
}

/** By one clock of this process. */
export function microseconds(): number {
  return Math.round(performance.now() * 1000);
}
