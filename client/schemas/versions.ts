import type { PayloadVersion, StandardSchema, VersionedSchema } from "./standard_schema.ts";

/**
 * The versions of an event's payload, oldest first. Events that were written in an older version are read as if they
 * had been written in the newest one. From version 2 on, an event carries its version as the metadata entry
 * `schemaVersion`.
 *
 * @example
 * ```ts
 * import { EventStore } from "eventstore-client";
 * import { versions } from "eventstore-client/schemas";
 * import { z } from "zod";
 *
 * const OrderPlaced = versions(z.object({ cents: z.number() }))
 *   .next(z.object({ cents: z.number(), currency: z.string() }), (old) => ({ ...old, currency: "EUR" }));
 * const store = new EventStore({ url: "http://127.0.0.1:8085", schemas: { OrderPlaced } });
 * await store.append({ type: "OrderPlaced", payload: { cents: 1900, currency: "USD" } });
 * for await (const { payload } of store.readAll("*")) console.log(payload.cents, payload.currency);
 * ```
 */
export function versions<Payload>(schema: StandardSchema<Payload>): VersionedSchema<Payload> {
  return versioned(schema, [{ schema }]);
}

function versioned<Payload>(
  newest: StandardSchema<Payload>,
  all: readonly PayloadVersion[],
): VersionedSchema<Payload> {
  return {
    "~standard": newest["~standard"],
    "~versions": all,
    next: (schema, upcast) => versioned(schema, [...all, { schema, upcast }]),
  };
}
