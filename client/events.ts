/** Names with values, as an event carries them: `{ course: "c1", student: ["s1", "s2"] }`. */
export type Tags = Readonly<Record<string, string | readonly string[]>>;

/** The types of events of a map such as `interface Events { CourseDefined: { capacity: number } }`. */
export type TypeOf<Events extends object> = keyof Events & string;

/** An event as it is handed over; the server adds `sequence` and `time`. */
export type NewEvent<Events extends object = Record<string, unknown>> = {
  [Type in TypeOf<Events>]: {
    readonly type: Type;
    /** What the event is about; queries find it by these. */
    readonly identifiers?: Tags;
    /** Everything else that queries should find it by. */
    readonly metadata?: Tags;
    /** Stored as JSON text; with the option `payload: "text"` a string that is stored as it is. */
    readonly payload: Events[Type];
  };
}[TypeOf<Events>];

/** An event as it is read. `switch (event.type)` tells TypeScript which payload it has. */
export type StoredEvent<Events extends object = Record<string, unknown>> = EventOf<Events, number>;

/** An event that is read; in a transaction of edition B it may have no sequence yet. */
export type EventOf<Events extends object, Sequence> = {
  [Type in TypeOf<Events>]: {
    /** 1, 2, 3, ...; the only order to rely on. */
    readonly sequence: Sequence;
    /** UTC with microseconds, such as `2026-11-20T19:07:36.048101Z`. */
    readonly time: string;
    readonly type: Type;
    /** A name with one value holds a string, any other an array. */
    readonly identifiers: Tags;
    readonly metadata: Tags;
    readonly payload: Events[Type];
  };
}[TypeOf<Events>];

/**
 * A place in one store: behind the event of this sequence; 0 is the beginning. Plain JSON, so it can be saved
 * as it is. Sequences mean nothing in another store, so both belong together.
 */
export interface Position {
  /** The ID of the store. It changes when the store is reset or restored. */
  readonly storeId: string;
  /** Of the last event before the place. */
  readonly sequence: number;
}

/** How payloads become text: `json`, or `text` for a store whose payloads are not JSON. */
export type PayloadFormat = "json" | "text";
