import assert from "node:assert/strict";
import type { ErrorBody } from "./client.ts";
import type { Reply } from "./connection.ts";

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/** Asserts a JSON refusal. Without `message` the envelope must not carry one. */
export function assertRefused(reply: Reply, status: number, error: string, message?: string | RegExp): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.headers.get("content-type"), "application/json");
  const envelope = reply.json<ErrorBody>();
  assert.equal(envelope.error, error);
  if (message instanceof RegExp) assert.match(envelope.message ?? "", message);
  else assert.equal(envelope.message, message);
  const keys = message === undefined ? ["error"] : ["error", "message"];
  assert.deepEqual(Object.keys(envelope).sort(), keys);
  if (error !== "ProjectionNotFound") assert.equal(reply.headers.has("x-service-store"), false);
  assert.equal(reply.headers.has("x-service-head"), false);
}

/** Asserts an answer in plain text of one line, as for unknown paths and malformed requests. */
export function assertPlainText(reply: Reply, status: number): void {
  assert.equal(reply.status, status, reply.text);
  assert.match(reply.headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(reply.text, /^[^\n{]+\n?$/);
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
