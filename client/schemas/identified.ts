import type { Identified } from "../events.ts";
import type { StandardSchema } from "./standard_schema.ts";

/**
 * Names the identifiers of the events with this schema, for the compiler. It returns the schema unchanged.
 *
 * @param _names those that each event has
 * @param _optional those that it may have
 * @example
 * ```ts
 * import { EventStore } from "eventstore-client";
 * import { identified } from "eventstore-client/schemas";
 * import { z } from "zod";
 *
 * const OrderPlaced = identified(z.object({ cents: z.number() }), ["order"], ["customer"]);
 * const store = new EventStore({ url: "http://127.0.0.1:8085", schemas: { OrderPlaced } });
 * await store.append({ type: "OrderPlaced", identifiers: { order: "o1" }, payload: { cents: 1900 } });
 * ```
 */
export function identified<Payload, Names extends string, Optional extends string = never>(
  schema: StandardSchema<Payload>,
  _names: readonly Names[],
  _optional: readonly Optional[] = [],
): StandardSchema<Identified<Payload, Names, Optional>> {
  return schema as StandardSchema as StandardSchema<Identified<Payload, Names, Optional>>;
}
