import { type Client, projectionPath, UnexpectedReply } from "../../tests/support/client.ts";
import { AuditFailure } from "../report.ts";
import { ACT_TAG, type FoundEvent } from "./wire_event.ts";
import type { FoundProjection, StoreContent } from "./store_content.ts";

/** A projection that may exist. No request lists them. */
export interface ProjectionName {
  readonly type: string;
  readonly id: string;
}

/** The server does not serve reads at the moment. */
export class StoreUnavailable extends AuditFailure {}

/**
 * Reads the whole content of a server as clients read it: all events page after page, and once more through the index
 * by their tags.
 * @param every the query of all events in this edition
 * @param names the projections to read
 * @param after only the events after this one
 * @throws StoreUnavailable when a read is answered 503 or is cut short, AuditFailure when it is answered otherwise
 */
export async function readOverHttp(
  client: Client,
  every: "*" | "all",
  names: readonly ProjectionName[],
  after = 0,
): Promise<StoreContent> {
  try {
    return await read(client, every, names, after);
  } catch (error) {
    if (!(error instanceof UnexpectedReply)) throw error;
    const { message, reply } = error;
    const isUnavailable = reply.status === 503 || reply.cutShort;
    const Failure = isUnavailable ? StoreUnavailable : AuditFailure;
    throw new Failure("the store cannot be read", [message]);
  }
}

async function read(
  client: Client,
  every: "*" | "all",
  names: readonly ProjectionName[],
  after: number,
): Promise<StoreContent> {
  const { store, reply } = await client.queryEvents(every, { limit: 1 });
  if (store === undefined) throw new UnexpectedReply("QUERY /events", reply);
  const events = await client.allEvents(every, after) as FoundEvent[];
  const faults: string[] = [];
  const head = Number(reply.headers.get("x-service-head"));
  if (head !== after + events.length) {
    faults.push(`the head is ${head}, with ${events.length} events after ${after}`);
  }
  faults.push(...await indexFaults(client, events, after));
  const projections: FoundProjection[] = [];
  for (const name of names) projections.push(...await readProjection(client, name));
  return { storeId: store, events, projections, isPaused: await readPause(client), faults };
}

/** Reads the events of each client, of one type, and of the last acts, through the index. */
async function indexFaults(
  client: Client,
  events: readonly FoundEvent[],
  after: number,
): Promise<string[]> {
  const clients = new Set(events.map((event) => String(event.identifiers["by"])));
  const lastActs = new Set(events.slice(-5).map((event) => String(event.metadata[ACT_TAG])));
  const asked = [
    ...[...clients].map((value) => ({ identifiers: [{ name: "by", value }] })),
    ...[...lastActs].map((value) => ({ metadata: [{ name: ACT_TAG, value }] })),
    { types: ["counted"] },
  ];
  const faults: string[] = [];
  for (const item of asked) {
    const isAsked = (event: FoundEvent): boolean =>
      "types" in item
        ? event.type === "counted"
        : "identifiers" in item
        ? event.identifiers["by"] === item.identifiers[0]!.value
        : event.metadata[ACT_TAG] === item.metadata[0]!.value;
    const found = (await client.allEvents([item], after)).map(({ sequence }) => sequence).join();
    if (found !== events.filter(isAsked).map(({ sequence }) => sequence).join()) {
      faults.push(`the index differs from the events: ${JSON.stringify(item)}`);
    }
  }
  return faults;
}

async function readProjection(client: Client, { type, id }: ProjectionName): Promise<FoundProjection[]> {
  const reply = await client.request("GET", projectionPath(type, id));
  if (reply.status === 404) return [];
  const version = reply.headers.get("x-service-version");
  if (reply.status !== 200 || version === undefined) throw new UnexpectedReply("GET /projections", reply);
  return [{ type, id, version, payload: reply.text }];
}

/** Edition A has no pause. */
async function readPause(client: Client): Promise<boolean> {
  const reply = await client.request("GET", "/health");
  if (reply.status !== 200) throw new UnexpectedReply("GET /health", reply);
  return reply.json<{ readonly paused?: boolean }>().paused === true;
}
