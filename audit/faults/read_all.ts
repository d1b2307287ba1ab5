import { type Client, type EventLine, parsePage, projectionPath } from "../../tests/support/client.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import type { Reply } from "../../tests/support/connection.ts";
import { AuditFailure } from "../report.ts";
import type { ProjectionChange } from "../history/record.ts";
import { ACT_TAG, actOf, sentText, type WireEvent } from "../history/wire_event.ts";
import type { EditionName } from "../../src/config/setting.ts";

/** The content that a store must hold, in the order in which it was written. */
export interface Known {
  readonly events: readonly WireEvent[];
  readonly projections: readonly ProjectionChange[];
}

/** A read, and the events that it must find. */
interface Read {
  readonly query: unknown;
  readonly range?: { readonly backwards: true };
  readonly finds: (event: WireEvent) => boolean;
}

/**
 * Reads a store in every way while calls fail: all events, those of a tag or a type, backwards, within a transaction,
 * and projections. Each answer is right, or says that it is incomplete.
 * @returns the number of complete answers
 * @throws AuditFailure
 */
export async function readAll(
  edition: EditionName,
  client: Client,
  { events, projections }: Known,
): Promise<number> {
  const [first] = events;
  if (first === undefined) throw new Error("nothing is known that could be read");
  const every = { query: edition === "B" ? "all" : "*", finds: () => true };
  const byTag = {
    query: [{ metadata: [{ name: ACT_TAG, value: String(actOf(first)) }] }],
    finds: (event: WireEvent) => actOf(event) === actOf(first),
  };
  const byType = { query: [{ types: [first.type] }], finds: ({ type }: WireEvent) => type === first.type };
  const reads: readonly Read[] = [
    every,
    byTag,
    byType,
    { ...byTag, range: { backwards: true } },
    { ...every, range: { backwards: true } },
  ];
  const outside = (read: Read) => answered(client.request("QUERY", "/events", { json: jsonOf(read) }));
  let complete = 0;
  for (const read of reads) complete += countPage(await outside(read), read, events);
  complete += countPage(await readInside(edition, client, byTag), byTag, events);
  for (const change of projections) complete += countProjection(await readOne(client, change), change);
  return complete;
}

function jsonOf({ query, range }: Read): object {
  return { query, ...range };
}

/** @returns undefined when the server is gone */
async function answered(asking: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Reads in a transaction, which ends without changing anything. @returns undefined when no transaction begins */
async function readInside(edition: EditionName, client: Client, read: Read): Promise<Reply | undefined> {
  if (edition === "A") return undefined;
  const begun = await answered(client.request("POST", edition === "B" ? "/tx" : "/begin"));
  if (begun?.status !== 200) return undefined;
  const { txId, ticket } = begun.json<{ txId: string; ticket: string }>();
  const [path, headers] = edition === "B" ? [`/tx/${txId}`, {}] : ["", { "x-service-ticket": ticket }];
  const reply = await answered(client.request("QUERY", `${path}/events`, { json: jsonOf(read), headers }));
  const [method, end] = edition === "B" ? ["DELETE", path] : ["POST", "/rollback"];
  await answered(client.request(method, end, { headers }));
  return reply;
}

function readOne(client: Client, { type, id }: ProjectionChange): Promise<Reply | undefined> {
  return answered(client.request("GET", projectionPath(type, id)));
}

/** @returns 1 if the page is complete, and 0 if not @throws AuditFailure */
function countPage(reply: Reply | undefined, read: Read, known: readonly WireEvent[]): 0 | 1 {
  if (reply === undefined) return 0;
  const { events, hasMore } = parsePage(reply);
  if (hasMore !== false) return 0;
  const expected = known.filter(read.finds);
  if (read.range?.backwards) expected.reverse();
  const texts = (of: readonly (WireEvent | EventLine)[]) =>
    of.map((event) => sentText(event as WireEvent)).join();
  if (texts(events) === texts(expected)) return 1;
  throw new AuditFailure(`a complete page of ${JSON.stringify(jsonOf(read))}`, [
    `${events.length} events, and ${expected.length} match`,
  ]);
}

/** @returns 1 if the answer was right, and 0 if the server could not answer @throws AuditFailure */
function countProjection(reply: Reply | undefined, { type, id, payload }: ProjectionChange): 0 | 1 {
  if (reply === undefined || reply.cutShort || reply.status >= 500) return 0;
  const isRight = payload === undefined
    ? reply.status === 404
    : reply.status === 200 && reply.text === payload;
  if (isRight) return 1;
  throw new AuditFailure(`the projection ${type} ${id}`, [`it was answered ${reply.status} ${reply.text}`]);
}
