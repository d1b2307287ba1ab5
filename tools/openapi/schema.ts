import type { Json, JsonObject } from "./json.ts";

/* The part of JSON Schema that the documents use. */

export type Schema = JsonObject;
type Properties = Readonly<Record<string, Schema>>;

export const TEXT: Schema = { type: "string" };
export const NAME: Schema = { type: "string", minLength: 1 };
export const COUNT: Schema = { type: "integer", minimum: 0 };
/** A sequence in a request, or 0. Larger integers than this format has are errors. */
export const POSITION: Schema = { type: "integer", format: "int64", minimum: 0 };
export const NUMBER: Schema = { type: "number", minimum: 0 };

/** A reference to a schema of this document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function list(items: Schema, more: JsonObject = {}): Schema {
  return { type: "array", items, ...more };
}

/** A string that is one of these words. */
export function oneWord(...words: string[]): Schema {
  return words.length === 1 ? { type: "string", const: words[0]! } : { type: "string", enum: words };
}

/** The same schema with a description. */
export function described(description: string, schema: Schema): Schema {
  // JSON Schema 2020-12 allows a description next to a reference.
  return { description, ...schema };
}

export function orNull(schema: Schema): Schema {
  return { oneOf: [{ type: "null" }, schema] };
}

/** An object in an answer of the server. Clients should ignore unknown keys: later versions may add some. */
export function answer(properties: Properties, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties };
}

/**
 * An object in a request of a client. The server rejects unknown keys, and takes `null` for a key that may be left out as
 * if it were.
 */
export function request(
  { required = [], properties, ...more }: JsonObject & {
    required?: readonly string[];
    properties: Properties;
  },
): Schema {
  const given = Object.entries(properties).map(([key, schema]) => [
    key,
    required.includes(key) ? schema : nullable(schema),
  ]);
  return {
    type: "object",
    ...more,
    ...(required.length === 0 ? {} : { required: [...required] as Json }),
    properties: Object.fromEntries(given),
    additionalProperties: false,
  };
}

/** The same schema, or `null`. The description stays where readers look for it. */
function nullable({ description, ...schema }: Schema): Schema {
  const text = description === undefined ? {} : { description };
  const { type } = schema;
  return typeof type === "string"
    ? { ...text, ...schema, type: [type, "null"] }
    : { ...text, ...orNull(schema) };
}

const NULL: Schema = { type: "null" };

/** A rule for an object: at least one of these keys is given, and not `null`. */
export function anyGiven(...keys: string[]): Schema {
  return { anyOf: keys.map((key) => having({ [key]: { not: NULL } }, [key])) };
}

/** A rule for an object: both keys are given, or neither. */
export function bothOrNeither(one: string, other: string): Schema {
  const given = { [one]: { not: NULL }, [other]: { not: NULL } };
  return { anyOf: [having({ [one]: NULL, [other]: NULL }), having(given, [one, other])] };
}

/** A rule for an object: the first key is `false` or left out, or the second one is left out. */
export function notBoth(flag: string, other: string): Schema {
  return { anyOf: [having({ [flag]: { enum: [false, null] } }), having({ [other]: NULL })] };
}

function having(properties: Properties, required: readonly string[] = []): Schema {
  const keys = required.length === 0 ? {} : { required: [...required] };
  return { type: "object", ...keys, properties, additionalProperties: true };
}
