import type { Client } from "./client.ts";
import { expectStatus } from "./replies.ts";

/** The samples of `GET /metrics`, by name and labels as they are written. */
export async function metrics(client: Client): Promise<ReadonlyMap<string, number>> {
  const { text } = expectStatus(await client.request("GET", "/metrics"), 200);
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map((line) => {
    const space = line.lastIndexOf(" ");
    return [line.slice(0, space), Number(line.slice(space + 1))];
  }));
}

/** The types of the metrics of a page, by name and in the order of the page. */
export function metricTypes(page: string): [name: string, type: string][] {
  return [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]);
}
