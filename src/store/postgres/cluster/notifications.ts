import { sha256 } from "../../../model/sha256.ts";
import type { Statement } from "../protocol/session.ts";

/** Each schema of the database has its own channel. */
function channelOf(schema: string): string {
  return `eventstore_${(sha256(schema)[0]! >>> 0).toString(16)}`;
}

export function listenTo(schema: string): Statement {
  return { sql: `LISTEN ${channelOf(schema)}` };
}

/** Notifies listening servers that a server has written. */
export function notify(schema: string, server: string): Statement {
  return { sql: "SELECT pg_notify($1, $2)", params: [channelOf(schema), server] };
}
