import type { Client } from "../support/client.ts";
import { begin } from "./b_tx/client.ts";

export const EDITIONS = ["A", "B", "C"] as const;
export type EditionName = typeof EDITIONS[number];

/** Appends events with the calls of the edition. @returns the status of the call that writes them */
export async function appendAs(
  edition: EditionName,
  client: Client,
  ...events: readonly unknown[]
): Promise<number> {
  if (edition === "A") return (await client.write({ events })).status;
  if (edition === "B") {
    const tx = await begin(client);
    await tx.decide("none", ...events);
    return (await tx.commit()).status;
  }
  const begun = await client.request("POST", "/begin");
  if (begun.status !== 200) return begun.status;
  const headers = { "x-service-ticket": begun.json<{ ticket: string }>().ticket };
  const appended = await client.request("POST", "/events", { headers, json: { events } });
  if (appended.status !== 200) return appended.status;
  return (await client.request("POST", "/commit", { headers })).status;
}
