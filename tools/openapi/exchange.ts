import type { Json, JsonObject } from "./json.ts";

/**
 * A request and its answer. A test sends the exchanges of an edition, in their order, to a server with an empty store.
 */
export interface Exchange {
  /** Method and path of the operation, as in its document. */
  readonly operation: string;
  /** The name of the example, unique in its edition. */
  readonly name: string;
  readonly summary: string;
  /** The values of the path parameters. */
  readonly path?: Readonly<Record<string, string>>;
  /** The values of the query parameters. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly request?: Json;
  readonly status: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** The body of the answer: JSON, one JSON value per line, or text. */
  readonly json?: JsonObject;
  readonly lines?: readonly JsonObject[];
  readonly text?: string;
}

/** Example Objects for the bodies of these requests. */
export function requestExamples(exchanges: readonly Exchange[]): JsonObject {
  const examples: Record<string, JsonObject> = {};
  for (const { name, summary, request, status } of exchanges) {
    // A body that is rejected with 400 is no example of a valid request.
    if (request !== undefined && status !== 400) examples[name] = { summary, value: request };
  }
  return inKey(examples);
}

/** Example Objects for the bodies of the answers that have this form. */
export function answerExamples(exchanges: readonly Exchange[], form: "json" | "lines" | "text"): JsonObject {
  const examples: Record<string, JsonObject> = {};
  for (const exchange of exchanges) {
    const { name, summary, [form]: body } = exchange;
    if (body !== undefined) examples[name] = { summary, ...exampleBody(exchange) };
  }
  return inKey(examples);
}

function exampleBody({ json, lines, text }: Exchange): JsonObject {
  if (json !== undefined) return { value: json };
  // The text itself, because lines of JSON are not one JSON value.
  if (lines !== undefined) {
    return { serializedValue: lines.map((line) => `${JSON.stringify(line)}\n`).join("") };
  }
  return { value: text ?? "" };
}

function inKey(examples: JsonObject): JsonObject {
  return Object.keys(examples).length === 0 ? {} : { examples };
}
