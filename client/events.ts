/** Names with values, as on an event: `{ course: "c1", student: ["s1", "s2"] }`. */
export type Tags = Readonly<Record<string, string | readonly string[]>>;

/** The types of events of a map such as `interface Events { CourseDefined: { capacity: number } }`. */
export type TypeOf<Events extends object> = keyof Events & string;

/** An event to write. The server adds `sequence` and `time`. */
export type NewEvent<Events extends object = Record<string, unknown>> = {
  [Type in TypeOf<Events>]: {
    readonly type: Type;
    /** The subject of the event. Queries can select by it. */
    readonly identifiers?: Tags;
    /** Other values by which queries can select the event. */
    readonly metadata?: Tags;
    /** Stored as JSON text. With the option `payload: "text"` it is a string, which is stored unchanged. */
    readonly payload: Events[Type];
  };
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
    readonly identifiers: Tags;
    readonly metadata: Tags;
    /** `null` if it was forgotten; with the option `payload: "text"` empty. */
    readonly payload: Events[Type];
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
