import type { EventOf } from "../events.ts";

/*
 * The Standard Schema interface, version 1, as far as the client uses it. So the library of the schemas belongs to the
 * application, and this client depends on nothing.
 */

/** A schema of any library with the Standard Schema interface, such as Zod, Valibot and ArkType. */
export interface StandardSchema<Output = unknown> {
  /** The interface. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Only for the compiler. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** The checked value, or what is wrong with it. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** A fault of a value. */
export interface SchemaIssue {
  /** The fault in words. */
  readonly message: string;
  /** The keys that lead to the faulty part. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The event that is upcast, besides its payload. */
export type UpcastEvent = Omit<EventOf<Record<string, unknown>, number | undefined>, "payload">;

/** One version of a payload. */
export interface PayloadVersion {
  /** The schema of payloads in this version. */
  readonly schema: StandardSchema;
  /** Makes a payload of this version from one of the version before. The first version has none. */
  readonly upcast?: (payload: never, event: UpcastEvent) => unknown;
}

/** The versions of a payload, as `versions` returns them. As a schema it is that of the newest version. */
export interface VersionedSchema<Payload> extends StandardSchema<Payload> {
  /** All versions, oldest first. */
  readonly "~versions": readonly PayloadVersion[];
  /** Adds a version, and the function that makes its payload from one of the version before. */
  next<Newer>(
    schema: StandardSchema<Newer>,
    upcast: (payload: Payload, event: UpcastEvent) => Newer,
  ): VersionedSchema<Newer>;
}

/** A schema for each type of event. */
export type Schemas<Events extends object> = {
  readonly [Type in keyof Events]: StandardSchema<Events[Type]>;
};

/** The map of event types that schemas describe, for models and functions that need its name. */
export type EventsOf<SchemaMap extends Readonly<Record<string, StandardSchema>>> = {
  [Type in keyof SchemaMap]: SchemaMap[Type] extends StandardSchema<infer Payload> ? Payload : never;
};

/** Options that check payloads. */
export interface SchemaOptions<Events extends object> {
  /**
   * A schema for each type of event, from which the types of payloads are inferred. The client checks each payload
   * before it sends it, and stores the output of the schema. For other versions of a payload, see `versions`.
   */
  readonly schemas?: Schemas<Events> | undefined;
  /** Also checks the payloads that are read, and returns the output of the schema. Default false. */
  readonly checkReads?: boolean;
}
