import type { ErrorCode } from "../../src/model/errors.ts";
import { statusOf, whenOf } from "./errors.ts";
import { answerExamples, type Exchange } from "./exchange.ts";
import { type HeaderName, headersObject } from "./headers.ts";
import type { JsonObject } from "./json.ts";
import { errorsOf, nameOf, type Operation, responseName } from "./operation.ts";
import { ref } from "./schema.ts";

/** The Response Object of a rejection in one line of plain text. */
function plainResponse(description: string, example: string): JsonObject {
  return { description, ...headersObject(["Error"]), content: plainText(example) };
}

/** A plain-text body of one line that says why the request was rejected. */
function plainText(example: string): JsonObject {
  return { "text/plain; charset=utf-8": { schema: { type: "string" }, example: `${example}\n` } };
}

const FOREIGN_PAGE =
  'rejected without a token: the Host "events.example.com" may be a name that a stranger pointed ' +
  "here; add it to allowedHosts (SERVICE_ALLOWED_HOSTS), or turn on enableAuth";

/** The Response Objects of rejections that any request may get. */
export const COMMON_RESPONSES: JsonObject = {
  Forbidden: {
    description:
      `With \`enableAuth\`: ${
        whenOf("Forbidden")
      } Without it, in plain text: a page of another site may have sent ` +
      "this, or the `Host` is a public name that is not in `allowedHosts`.",
    ...headersObject(["Error"]),
    content: {
      "application/json": { schema: ref("Forbidden") },
      ...plainText(FOREIGN_PAGE),
    },
  },
  Malformed: plainResponse(
    "The request is not proper HTTP, or a segment of its path is not valid percent-encoded UTF-8.",
    'the path segment "%zz" is not valid percent-encoded UTF-8',
  ),
  NotInDevelopmentMode: plainResponse("The server is not in development mode.", "unknown path"),
  NoSubjects: plainResponse("The server has no `subjects`.", "unknown path"),
  HeadTooLarge: plainResponse(
    "The request line and the header fields are too long, or too many.",
    "the head exceeds 65536 bytes",
  ),
};

/** The Response Objects of all errors that these operations may return, by component name. */
export function errorResponses(operations: readonly Operation[], exchanges: readonly Exchange[]): JsonObject {
  const responses = new Map<string, { codes: readonly ErrorCode[]; shown: Exchange[] }>();
  for (const operation of operations) {
    for (const [status, codes] of Map.groupBy(errorsOf(operation), statusOf)) {
      const name = responseName(codes);
      const response = responses.get(name) ?? { codes, shown: [] };
      const own = exchanges.filter((exchange) => exchange.operation === nameOf(operation));
      response.shown.push(...own.filter((exchange) => exchange.status === status));
      responses.set(name, response);
    }
  }
  return Object.fromEntries(
    [...responses].map(([name, { codes, shown }]) => [name, errorResponse(codes, shown)]),
  );
}

function errorResponse(codes: readonly ErrorCode[], exchanges: readonly Exchange[]): JsonObject {
  const [only, ...others] = codes;
  const several = others.length > 0;
  const schema = several
    ? { oneOf: codes.map((code) => ref(code)), discriminator: { propertyName: "error" } }
    : ref(only!);
  const description = several
    ? codes.map((code) => `- \`${code}\`: ${whenOf(code)}`).join("\n")
    : whenOf(only!);
  return {
    description,
    ...headersObject(headersOf(codes)),
    content: {
      "application/json": { schema, ...answerExamples(exchanges, "json") },
      ...(codes.includes("SubjectNotFound") ? plainText("unknown path") : {}),
      ...(codes.includes("InvalidRequest")
        ? plainText('the path segment "%zz" is not valid percent-encoded UTF-8')
        : {}),
    },
  };
}

/**
 * Every error says that it comes from the server itself. Only the error of a read that found no projection names the
 * store, and only outside a transaction of edition B.
 */
export function headersOf(codes: readonly ErrorCode[]): readonly HeaderName[] {
  if (!codes.includes("ProjectionNotFound")) return ["Error"];
  return codes.length === 1 ? ["Error", "Store", "NotCached"] : ["Error", "NotCachedIfProjection"];
}
