import type { StoredEvent } from "./events.ts";
import type { Server, TextAnswer } from "./server.ts";
import { storedEvents } from "./wire.ts";

/** Parses a page of a read inside a transaction. @throws ConnectionLost when its last line is missing */
export async function pageOf<Events extends object>(
  { body, json, lost }: TextAnswer,
  server: Server,
): Promise<{ readonly events: StoredEvent<Events>[]; readonly hasMore: boolean }> {
  const lines = body.split("\n").slice(0, -1);
  // Edition B only marks the end.
  const { end, hasMore = end && false } = json<{ hasMore?: boolean; end?: true }>(lines.pop() ?? "{}");
  if (hasMore === undefined) throw lost("half a page");
  return { events: await storedEvents<Events>(lines.map((line) => json(line)), server), hasMore };
}
