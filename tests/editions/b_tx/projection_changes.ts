import type { Client } from "../../support/client.ts";
import { expectStatus } from "../../support/replies.ts";
import { begin, type Tx } from "./client.ts";

/* Changes of the projection p/1 in a transaction. */

export const payload = "in the transaction";
export const key = { type: "p", id: "1" };

export const create = { create: [{ ...key, payload }] };
export const replace = { replace: [{ ...key, payload }] };
export const remove = { delete: [key] };

/** The payload of the committed projection; undefined when there is none. */
export async function stored(client: Client): Promise<string | undefined> {
  const reply = await client.request("GET", "/projections/p/1");
  return reply.status === 404 ? undefined : reply.text;
}

/** Begins a transaction and makes these changes. With `read`, it reads the projection before. */
export async function changed(client: Client, read: boolean, ...changes: readonly unknown[]): Promise<Tx> {
  const tx = await begin(client);
  if (read) await tx.get("p", "1");
  for (const change of changes) expectStatus(await tx.change(change as Record<string, unknown>), 200);
  return tx;
}
