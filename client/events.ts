/** Names with values, as on an event: `{ course: "c1", student: ["s1", "s2"] }`. */
export type Tags = Readonly<Record<string, string | readonly string[]>>;

/**
 * An entry in the map of event types that names the identifiers of such events: those that each event has, and those
 * that it may have. The compiler then rejects other names, and an event that lacks one. It exists only for the compiler.
 *
 * @example
 * ```ts
 * import { EventStore, type Identified } from "eventstore-client";
 *
 * interface Events {
 *   BookAcquired: Identified<{ copies: number }, "book">;
 *   BookLent: Identified<null, "book" | "reader", "branch">;
 * }
 * const store = new EventStore<Events>({ url: "http://127.0.0.1:8085" });
 * await store.append({ type: "BookLent", identifiers: { book: "b1", reader: "r1" }, payload: null });
 * for await (const { identifiers } of store.readAll({ types: ["BookLent"] })) {
 *   console.log(identifiers.reader, identifiers.branch ?? "unknown");
 * }
 * ```
 */
export interface Identified<Payload, Names extends string, Optional extends string = never> {
  /** Only for the compiler. */
  readonly "~identified": { readonly payload: Payload; readonly names: Names; readonly optional: Optional };
}

/** The payload of an event, from its entry in the map of event types. */
export type PayloadOf<Entry> = Entry extends Identified<infer Payload, string, string> ? Payload : Entry;

/** The identifiers of an event, from its entry in the map of event types. */
export type IdentifiersOf<Entry> = Entry extends Identified<unknown, infer Names, infer Optional>
  ? { readonly [Name in Names]: Tags[string] } & { readonly [Name in Optional]?: Tags[string] }
  : Tags;

/** The key `identifiers` of an event to write. It is needed if each such event has identifiers. */
export type NewIdentifiers<Entry> = Record<never, never> extends IdentifiersOf<Entry> ? {
    /** The subject of the event. Queries can select by it. */
    readonly identifiers?: IdentifiersOf<Entry>;
  }
  : {
    /** The subject of the event. Queries can select by it. */
    readonly identifiers: IdentifiersOf<Entry>;
  };

/** The names of identifiers that events have: any name, unless the entries of all types name theirs. */
export type IdentifierName<Events extends object> = {
  [Type in keyof Events]: Events[Type] extends Identified<unknown, infer Names, infer Optional>
    ? Names | Optional
    : string;
}[keyof Events];

/** The identifiers by which a query can select events. */
export type QueryIdentifiers<Events extends object> = string extends IdentifierName<Events> ? Tags
  : { readonly [Name in IdentifierName<Events>]?: Tags[string] };

/** The types of events of a map such as `interface Events { CourseDefined: { capacity: number } }`. */
export type TypeOf<Events extends object> = keyof Events & string;

/** An event to write. The server adds `sequence` and `time`. */
export type NewEvent<Events extends object = Record<string, unknown>> = {
  [Type in TypeOf<Events>]: {
    readonly type: Type;
    /** Other values by which queries can select the event. */
    readonly metadata?: Tags;
    /** Stored as JSON text. With the option `payload: "text"` it is a string, which is stored unchanged. */
    readonly payload: PayloadOf<Events[Type]>;
  } & NewIdentifiers<Events[Type]>;
}[TypeOf<Events>];

/** An event from the store. `switch (event.type)` narrows the type of its payload. */
export type StoredEvent<
  Events extends object = Record<string, unknown>,
  Type extends TypeOf<Events> = TypeOf<Events>,
> = EventOf<Events, number, Type>;

/** An event from a read. In a transaction of edition B it may have no sequence yet. */
export type EventOf<Events extends object, Sequence, Wanted extends TypeOf<Events> = TypeOf<Events>> = {
  [Type in Wanted]: {
    /** 1, 2, 3, ...; rely on no other order. */
    readonly sequence: Sequence;
    /** UTC with microseconds, such as `2026-11-20T19:07:36.048101Z`. */
    readonly time: string;
    readonly type: Type;
    /** A name with one value has a string, any other an array. */
    readonly identifiers: IdentifiersOf<Events[Type]>;
    readonly metadata: Tags;
    /** `null` if it was forgotten; with the option `payload: "text"` empty. */
    readonly payload: PayloadOf<Events[Type]>;
    /**
     * Only on an event whose payload was forgotten: the names of the identifiers that stand for the persons. If that
     * may happen to a type of event, let its payload be `null` too in the map, and the compiler reminds you of it.
     */
    readonly forgotten?: readonly string[];
  };
}[Wanted];

/**
 * A position in one store: after the event with this sequence; 0 is the beginning. It is plain JSON, so you can
 * save it unchanged. A sequence means nothing in another store, so save both parts.
 */
export interface Position {
  /** The ID of the store. It changes when the store is reset or restored. */
  readonly storeId: string;
  /** The sequence of the last event before the position. */
  readonly sequence: number;
}

/** How payloads become text: `json`, or `text` for a store whose payloads are not JSON. */
export type PayloadFormat = "json" | "text";
