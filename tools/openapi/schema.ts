import type { Json, JsonObject } from "./json.ts";

/* The words of JSON Schema that the documents use. */

export type Schema = JsonObject;
type Properties = Readonly<Record<string, Schema>>;

export const TEXT: Schema = { type: "string" };
export const NAME: Schema = { type: "string", minLength: 1 };
export const COUNT: Schema = { type: "integer", minimum: 0 };
export const NUMBER: Schema = { type: "number", minimum: 0 };

/** A schema of this document, by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function list(items: Schema, more: JsonObject = {}): Schema {
  return { type: "array", items, ...more };
}

/** One of some words. */
export function oneWord(...words: string[]): Schema {
  return words.length === 1 ? { type: "string", const: words[0]! } : { type: "string", enum: words };
}

/** The same schema with a sentence about what it is for. */
export function described(description: string, schema: Schema): Schema {
  // Beside a reference stands what is said of it, as JSON Schema 2020-12 allows.
  return { description, ...schema };
}

export function orNull(schema: Schema): Schema {
  return { oneOf: [{ type: "null" }, schema] };
}

/** What the server answers with. A client should pass over keys that it does not know: versions to come may add some. */
export function answer(properties: Properties, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties };
}

/** What a client sends: the server rejects keys that it does not know. */
export function request(
  { required = [], properties, ...more }: JsonObject & {
    required?: readonly string[];
    properties: Properties;
  },
): Schema {
  return {
    type: "object",
    ...more,
    ...(required.length === 0 ? {} : { required: [...required] as Json }),
    properties,
    additionalProperties: false,
  };
}
