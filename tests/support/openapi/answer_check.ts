import { Malformed } from "../../../src/http/exchange.ts";
import { makeRouter, type Route, type Router } from "../../../src/http/router.ts";
import { pathOf } from "../../../src/http/target.ts";
import { editionDocument } from "../../../tools/openapi/document.ts";
import { EDITION_INTERFACES } from "../../../tools/openapi/editions.ts";
import type { Json, JsonObject } from "../../../tools/openapi/json.ts";
import type { Asked } from "../client.ts";
import type { Reply } from "../connection.ts";
import { SchemaCheck } from "./schema_check.ts";

/*
 * Compares answers with what the OpenAPI document of an edition says of them: status, headers, media type and
 * body. Stricter than clients should be: here an answer has no key and no header that is not documented.
 */

type Answered = Pick<Reply, "status" | "headers" | "text" | "cutShort">;

/** An answer that is not the documented one. */
export class UndocumentedAnswer extends Error {
  constructor({ method, target }: Asked, { status, text }: Answered, faults: readonly string[]) {
    super(`${method} ${target} -> ${status} ${text.slice(0, 500)}\n${faults.join("\n")}`);
    this.name = "UndocumentedAnswer";
  }
}

const checks = new Map<string, AnswerCheck>();

/** The check of an edition's answers, made once. @param edition its name */
export function answerCheckOf(edition: string): AnswerCheck {
  const known = checks.get(edition);
  if (known !== undefined) return known;
  const found = EDITION_INTERFACES.find(({ name }) => name === edition);
  if (found === undefined) throw new Error(`there is no edition ${edition}`);
  const check = new AnswerCheck(editionDocument(found));
  checks.set(edition, check);
  return check;
}

/** Header fields that belong to HTTP and not to the interface. */
const TRANSPORT_FIELDS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "transfer-encoding",
]);

/** The answers that any request may get, also one that has found no operation: the response component by status. */
const ANYWHERE: Readonly<Record<number, string>> = {
  400: "Malformed",
  401: "Unauthorized",
  403: "Forbidden",
  431: "HeadTooLarge",
};

/** The statuses of requests that have found no operation, by what was wrong with them. */
const OUTSIDE = {
  malformed: [400],
  unknownPath: [404],
  wrongMethod: [405],
  // Outside of development mode, or without subjects, the path is unknown.
  wrongMethodIfPresent: [404, 405],
} as const satisfies Record<string, readonly number[]>;

export class AnswerCheck {
  readonly #document: JsonObject;
  readonly #find: Router;
  readonly #schemas: SchemaCheck;

  constructor(document: JsonObject) {
    this.#document = document;
    this.#find = makeRouter(routesOf(document));
    this.#schemas = new SchemaCheck(document);
  }

  /** @throws UndocumentedAnswer */
  assertDocumented(asked: Asked, answered: Answered): void {
    const faults = this.faults(asked, answered);
    if (faults.length > 0) throw new UndocumentedAnswer(asked, answered, faults);
  }

  /** The differences from the document, one line each. */
  faults(asked: Asked, answered: Answered): string[] {
    const operation = this.#operationOf(asked);
    if (typeof operation === "string") return this.#faultsOutside(operation, asked, answered);
    const { responses, requestBody } = operation;
    const response = (responses as JsonObject)[answered.status];
    if (response === undefined) return [`the status ${answered.status} is not documented`];
    return [
      ...this.#faultsOfResponse(this.#resolved(response), asked, answered),
      ...this.#faultsOfRequest(requestBody as JsonObject | undefined, asked, answered),
    ];
  }

  /** The Operation Object, or why there is none. */
  #operationOf({ method, target }: Asked): JsonObject | keyof typeof OUTSIDE {
    try {
      const routing = this.#find(method, pathOf(target));
      if (routing.kind === "unknownPath") return "unknownPath";
      if (routing.kind === "wrongMethod") {
        const [other = ""] = routing.allow.split(", ");
        const { responses } = this.#operationOf({ method: other, target }) as {
          readonly responses: JsonObject;
        };
        return isUnknownPath(responses[404]) ? "wrongMethodIfPresent" : "wrongMethod";
      }
      const { path, method: documented } = routing.route;
      return this.#at("paths", path.replaceAll(/:(\w+)/g, "{$1}"), documented.toLowerCase());
    } catch (error) {
      if (error instanceof Malformed) return "malformed";
      throw error;
    }
  }

  /**
   * Checks an answer without an operation. In plain text it says that there is none, or that something was wrong
   * before.
   */
  #faultsOutside(why: keyof typeof OUTSIDE, asked: Asked, answered: Answered): string[] {
    const { status, headers } = answered;
    const statuses: readonly number[] = OUTSIDE[why];
    if (statuses.includes(status) && headers.get("content-type") === "text/plain; charset=utf-8") {
      return status === 405 && !headers.has("allow") ? ["405 without Allow"] : [];
    }
    const name = ANYWHERE[status];
    if (name !== undefined) {
      return this.#faultsOfResponse(this.#at("components", "responses", name), asked, answered);
    }
    return [`${why}: the document has no such operation, but the answer does not say so`];
  }

  #faultsOfResponse(response: JsonObject, asked: Asked, answered: Answered): string[] {
    const { headers = {}, content } = response;
    return [
      ...this.#faultsOfHeaders(headers as JsonObject, answered),
      ...this.#faultsOfContent(content as JsonObject | undefined, asked, answered),
    ];
  }

  #faultsOfHeaders(documented: JsonObject, { headers }: Answered): string[] {
    const faults: string[] = [];
    const known = new Map(Object.entries(documented).map(([name, header]) => [name.toLowerCase(), header]));
    for (const name of headers.keys()) {
      if (!known.has(name) && !TRANSPORT_FIELDS.has(name)) {
        faults.push(`the header ${name} is not documented`);
      }
    }
    for (const [name, header] of known) {
      const { schema, required } = this.#resolved(header) as {
        readonly schema: JsonObject;
        readonly required: boolean;
      };
      const text = headers.get(name);
      if (text === undefined && required) faults.push(`the header ${name} is missing`);
      if (text === undefined) continue;
      const value = schema["type"] === "integer" ? Number(text) : text;
      faults.push(...this.#schemas.faults(schema, value, `header ${name}`));
    }
    return faults;
  }

  #faultsOfContent(content: JsonObject | undefined, { method }: Asked, answered: Answered): string[] {
    const { headers, text, cutShort } = answered;
    const mediaType = headers.get("content-type");
    if (content === undefined) {
      return mediaType === undefined && text === "" ? [] : ["there must be no body, and no Content-Type"];
    }
    const media = content[mediaType ?? ""] as JsonObject | undefined;
    if (media === undefined) {
      return [`the Content-Type is ${mediaType}, not one of ${Object.keys(content).join(", ")}`];
    }
    if (method === "HEAD") return [];
    const { schema, itemSchema } = media as {
      readonly schema?: JsonObject;
      readonly itemSchema?: JsonObject;
    };
    if (itemSchema !== undefined) return this.#faultsOfLines(itemSchema, text);
    // Text may be anything, and a part of JSON cannot be checked.
    if (schema === undefined || mediaType !== "application/json" || cutShort) return [];
    return this.#schemas.faults(schema, JSON.parse(text), "body");
  }

  #faultsOfLines(schema: JsonObject, text: string): string[] {
    // The text after the last line feed was cut short.
    const lines = text.split("\n").slice(0, -1);
    for (const [i, line] of lines.entries()) {
      const faults = this.#schemas.faults(schema, JSON.parse(line), `line ${i + 1}`);
      if (faults.length > 0) return faults;
    }
    return [];
  }

  /** Checks the body of a request that was accepted: the document must allow it. */
  #faultsOfRequest(requestBody: JsonObject | undefined, { body }: Asked, { status }: Answered): string[] {
    if (status >= 300 || body === undefined || requestBody === undefined) return [];
    const content = requestBody["content"] as Readonly<Record<string, { readonly schema: JsonObject }>>;
    const value = JSON.parse(new TextDecoder().decode(body)) as Json;
    return this.#schemas.faults(content["application/json"]!.schema, value, "accepted request");
  }

  /** The object at a place of the document. */
  #at(...keys: readonly string[]): JsonObject {
    let value: Json = this.#document;
    for (const key of keys) value = (value as JsonObject)[key]!;
    return value as JsonObject;
  }

  /** The object itself, or the one that it refers to. */
  #resolved(value: Json): JsonObject {
    const reference = (value as JsonObject)["$ref"] as string | undefined;
    return reference === undefined ? value as JsonObject : this.#at(...reference.split("/").slice(1));
  }
}

/** True when the operation with this response to status 404 exists only in development mode, or with subjects. */
function isUnknownPath(response: Json | undefined): boolean {
  const ref = (response as JsonObject | undefined)?.["$ref"];
  return ["NotInDevelopmentMode", "NoSubjects", "SubjectNotFound"]
    .some((name) => ref === `#/components/responses/${name}`);
}

function routesOf(document: JsonObject): Route[] {
  return Object.entries(document["paths"] as JsonObject).flatMap(([path, operations]) =>
    Object.keys(operations as JsonObject).map((method): Route => ({
      method: method.toUpperCase() as Route["method"],
      path: path.replaceAll(/\{(\w+)\}/g, ":$1"),
      right: "none",
      body: "ignored",
      handle: () => {
        throw new Error("only looked up");
      },
    }))
  );
}
