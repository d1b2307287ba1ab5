import assert from "node:assert/strict";
import type { Client, EventLine } from "../support/client.ts";
import { NoReply } from "../support/connection.ts";

/** How a write was answered. `none`: the connection ended without a complete reply. */
export type Answer = { readonly status: number; readonly text: string } | "none";

/** Writes two events and a projection, which must be there together or not at all. */
export async function writeWhole(client: Client, name: string): Promise<Answer> {
  const event = { type: "t", identifiers: { name }, payload: name };
  try {
    const reply = await client.write({
      events: [event, event],
      projections: { create: [{ type: "p", id: name, payload: name }] },
    });
    return reply.cutShort ? "none" : { status: reply.status, text: reply.text };
  } catch (error) {
    assert.ok(isGone(error), String(error));
    return "none";
  }
}

/** True when a request failed as it does when the server ends, or is not there. */
export function isGone(error: unknown): boolean {
  // A server that ends may also reject or reset the connection.
  return error instanceof NoReply || error instanceof Deno.errors.ConnectionRefused ||
    error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.NotFound;
}

export function isAcknowledged(answer: Answer): boolean {
  return answer !== "none" && answer.status === 200;
}

/**
 * Asserts the promises that hold after every failure: no gap, no half write, every acknowledged write is there and no
 * rejected one.
 * @param answers how each write was answered, by name
 */
export async function assertAnswered(client: Client, answers: ReadonlyMap<string, Answer>): Promise<void> {
  const events = await client.allEvents();
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, i) => i + 1),
    "sequences have no gap",
  );
  const byName = Map.groupBy(events, (event: EventLine) => event.payload);
  for (const [name, both] of byName) assert.equal(both.length, 2, `half a write: ${name}`);
  for (const [name, answer] of answers) {
    const { status } = await client.request("GET", `/projections/p/${encodeURIComponent(name)}`);
    assert.equal(status, byName.has(name) ? 200 : 404, `events and projection of ${name} differ`);
    if (isAcknowledged(answer)) assert.ok(byName.has(name), `acknowledged, but lost: ${name}`);
    else if (answer !== "none") {
      assert.equal(byName.has(name), false, `rejected, but there: ${name} ${answer.text}`);
    }
  }
}
