import type { Client } from "../support/client.ts";
import { begin } from "./b_tx/client.ts";

export const EDITIONS = ["A", "B", "C"] as const;
export type EditionName = typeof EDITIONS[number];

/** Appends an event with the calls of the edition. @returns the status of the call that writes it */
export async function appendAs(edition: EditionName, client: Client, event: unknown): Promise<number> {
  if (edition === "A") return (await client.write({ events: [event] })).status;
  if (edition === "B") {
    const tx = await begin(client);
    await tx.decide("none", event);
    return (await tx.commit()).status;
  }
  const begun = await client.request("POST", "/begin");
  if (begun.status !== 200) return begun.status;
  const headers = { "x-service-ticket": begun.json<{ ticket: string }>().ticket };
  const appended = await client.request("POST", "/events", { headers, json: { events: [event] } });
  if (appended.status !== 200) return appended.status;
  return (await client.request("POST", "/commit", { headers })).status;
}
