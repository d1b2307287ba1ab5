import type { ErrorCode } from "../../src/model/errors.ts";
import { statusOf } from "./errors.ts";
import { answerExamples, type Exchange, requestExamples } from "./exchange.ts";
import { type HeaderName, headersObject } from "./headers.ts";
import type { JsonObject } from "./json.ts";
import { ref, type Schema } from "./schema.ts";

/** The answer of an operation that succeeds. */
export interface Success {
  readonly status: 200 | 202 | 204;
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  readonly body?: AnswerBody;
}

/** The body of an answer, and the form that an exchange gives it in. */
export interface AnswerBody {
  readonly mediaType: string;
  readonly form: "json" | "lines" | "text";
  /** The schema of the whole body, or of each line. */
  readonly schema: Schema;
}

/** One method of one path. */
export interface Operation {
  readonly method: "GET" | "POST" | "QUERY" | "DELETE";
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Names of parameter components besides those of the path. */
  readonly parameters?: readonly string[];
  /** The name of the schema of the body; without one, a body is ignored. */
  readonly body?: string;
  readonly successes: readonly Success[];
  /** Additional errors, besides those of every request. */
  readonly errors?: readonly ErrorCode[];
  /** The answer of a server on which the operation does not exist. */
  readonly absent?: "NotInDevelopmentMode" | "NoSubjects";
  /** Set if the operation answers without reading a body. */
  readonly bodyUnread?: true;
}

export const NO_CONTENT: Success = { status: 204, description: "Done." };

export function json(schemaName: string): AnswerBody {
  return { mediaType: "application/json", form: "json", schema: ref(schemaName) };
}

export function jsonLines(schemaName: string): AnswerBody {
  return { mediaType: "application/x-ndjson", form: "lines", schema: ref(schemaName) };
}

export function text(description: string, mediaType = "text/plain; charset=utf-8"): AnswerBody {
  return { mediaType, form: "text", schema: { type: "string", description } };
}

/** All errors of an operation, including those of every request. */
export function errorsOf({ errors = [], body, bodyUnread }: Operation): ErrorCode[] {
  const ofBody: ErrorCode[] = body === undefined || errors.includes("InvalidRequest")
    ? []
    : ["InvalidRequest"];
  const ofSize: ErrorCode[] = bodyUnread === true ? [] : ["PayloadTooLarge"];
  return [...ofBody, "Unauthorized", "Forbidden", ...errors, ...ofSize, "InternalError"];
}

/** The name of the response component for these errors, which have one status. */
export function responseName(codes: readonly ErrorCode[]): string {
  return codes.join("Or");
}

/** An Operation Object. @param exchanges the examples of the edition */
export function operationObject(operation: Operation, exchanges: readonly Exchange[]): JsonObject {
  const { id, tag, summary, description, body } = operation;
  const parameters = parametersOf(operation);
  const own = exchanges.filter((exchange) => exchange.operation === nameOf(operation));
  const content = { "application/json": { schema: ref(body ?? ""), ...requestExamples(own) } };
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0
      ? {}
      : { parameters: parameters.map((name) => component("parameters", name)) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content } }),
    responses: responsesOf(operation, own),
  };
}

/** The name of an operation in exchanges. */
export function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function parametersOf({ path, parameters = [] }: Operation): string[] {
  return [...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!), ...parameters];
}

function component(kind: string, name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

function responsesOf(operation: Operation, exchanges: readonly Exchange[]): JsonObject {
  const responses: Record<string, JsonObject> = {
    400: component("responses", "Malformed"),
    431: component("responses", "HeadTooLarge"),
  };
  for (const success of operation.successes) responses[success.status] = successObject(success, exchanges);
  for (const [status, codes] of Map.groupBy(errorsOf(operation), statusOf)) {
    responses[status] = component("responses", responseName(codes));
  }
  const { absent } = operation;
  if (absent !== undefined && responses[404] === undefined) responses[404] = component("responses", absent);
  // JavaScript orders numeric keys in ascending order.
  return responses;
}

function successObject(
  { status, description, headers = [], body }: Success,
  all: readonly Exchange[],
): JsonObject {
  return {
    description,
    ...headersObject(headers),
    ...contentOf(body, all.filter((one) => one.status === status)),
  };
}

function contentOf(body: AnswerBody | undefined, exchanges: readonly Exchange[]): JsonObject {
  if (body === undefined) return {};
  const { mediaType, form, schema } = body;
  const shape = form === "lines" ? { itemSchema: schema } : { schema };
  return { content: { [mediaType]: { ...shape, ...answerExamples(exchanges, form) } } };
}
