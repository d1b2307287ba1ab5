import assert from "node:assert/strict";
import type { ErrorBody } from "./client.ts";
import type { Reply } from "./connection.ts";

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/**
 * Asserts a JSON rejection. Without `message` the envelope must not carry one.
 * @param conflict what a conflict is about; when it is not given, it only has to agree with the message
 */
export function assertRejected(
  reply: Reply,
  status: number,
  error: string,
  message?: string | RegExp,
  conflict?: object,
): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.headers.get("content-type"), "application/json");
  const envelope = reply.json<ErrorBody>();
  assert.equal(envelope.error, error);
  assert.equal(reply.headers.get("x-service-error"), error);
  if (message instanceof RegExp) assert.match(envelope.message ?? "", message);
  else assert.equal(envelope.message, message);
  const isConflict = error === "ConcurrencyException";
  const keys = [...(isConflict ? ["conflict"] : []), "error", ...(message === undefined ? [] : ["message"])];
  assert.deepEqual(Object.keys(envelope).sort(), keys);
  if (conflict !== undefined) assert.deepEqual(envelope.conflict, conflict);
  else if (isConflict) assertNames(envelope.conflict as ConflictBody, envelope.message);
  if (error !== "ProjectionNotFound") assert.equal(reply.headers.has("x-service-store"), false);
  assert.equal(reply.headers.has("x-service-head"), false);
}

interface ConflictBody {
  readonly condition?: number;
  readonly sequence?: number;
  readonly list?: string;
  readonly item?: number;
  readonly projection?: { readonly type: string; readonly id: string };
}

/** Asserts that a conflict names what its message names. */
function assertNames({ condition, sequence, list, item, projection }: ConflictBody, message?: string): void {
  const name = condition !== undefined
    ? `conditions[${condition}] ${sequence === undefined ? "was read on another store" : "no longer holds"}`
    : projection !== undefined
    ? `projection ${projection.type}/${projection.id} `
    : `${list}[${item}] `;
  // Where only one condition is possible, there is no message.
  if (message === undefined) assert.equal(condition, 0);
  else assert.ok(message.replace(/^projections\./, "").startsWith(name), name);
  if (sequence !== undefined) assert.ok(Number.isSafeInteger(sequence) && sequence > 0);
}

/**
 * Asserts an answer in plain text of one line, as for unknown paths and malformed requests.
 * @param isOwn false where a proxy may have given it
 */
export function assertPlainText(reply: Reply, status: number, isOwn = true): void {
  assert.equal(reply.status, status, reply.text);
  assert.match(reply.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(reply.text, /^[^\n{]+\n?$/);
  if (isOwn) assert.equal(reply.headers.get("x-service-error"), "InvalidRequest");
}

/** Asserts an answer without a body. */
export function assertNoContent(reply: Reply): void {
  assert.equal(reply.status, 204, reply.text);
  assert.equal(reply.body.length, 0);
}

export function expectStatus(reply: Reply, status: number): Reply {
  assert.equal(reply.status, status, reply.text);
  return reply;
}
