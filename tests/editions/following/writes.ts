import assert from "node:assert/strict";
import { NoReply, type Reply } from "../../support/connection.ts";
import { Tx } from "../b_tx/client.ts";
import type { Session } from "../b_tx/session.ts";

export interface NewEvent {
  readonly type: "Noted" | "Counted";
  /** The writer, and the number of its attempt. Other writers use the same numbers, and may be first. */
  readonly identifiers: { readonly writer: string; readonly turn: string };
  /** A different payload for each event. */
  readonly payload: string;
}

/**
 * Writes events with the calls of an edition, all of them or none. Every fourth turn has a condition that other
 * writers may break.
 * @returns true when the write was acknowledged
 */
export type Write = (session: Session, events: readonly NewEvent[], turn: number) => Promise<boolean>;

export async function writeA(session: Session, events: readonly NewEvent[], turn: number): Promise<boolean> {
  const conditions = turn % 4 === 1 ? [{ failIfEventsMatch: ofTurn(turn) }] : [];
  return isDone(await session.request("POST", "/write", { json: { conditions, events } }));
}

export async function writeB(session: Session, events: readonly NewEvent[], turn: number): Promise<boolean> {
  const begun = await session.request("POST", "/tx");
  if (!isDone(begun)) return false;
  const tx = new Tx(session, begun.json<{ txId: string }>().txId);
  const query = turn % 4 === 1 ? ofTurn(turn) : "none";
  return isDone(await tx.read(query)) && isDone(await tx.write(...events)) && isDone(await tx.commit());
}

/** Sends each event in its own call. Every eighth transaction is rolled back. */
export async function writeC(session: Session, events: readonly NewEvent[], turn: number): Promise<boolean> {
  const begun = await session.request("POST", "/begin");
  if (!isDone(begun)) return false;
  const headers = { "X-Service-Ticket": begun.json<{ ticket: string }>().ticket };
  const condition = turn % 4 === 1 ? { failIfEventsMatch: ofTurn(turn) } : null;
  for (const event of events) {
    const json = { events: [event], condition };
    if (!isDone(await session.request("POST", "/events", { json, headers }))) return false;
  }
  const isKept = turn % 8 !== 3;
  const end = await session.request("POST", isKept ? "/commit" : "/rollback", { headers });
  return isDone(end) && isKept;
}

function ofTurn(turn: number): unknown {
  return [{ identifiers: [{ name: "turn", value: String(turn) }] }];
}

/** The expected rejections: a conflict, a transaction from before a restart, and a server that stops. */
const REJECTIONS: readonly number[] = [404, 409, 410, 503];

/** @throws NoReply when the reply is incomplete, AssertionError when the rejection is unexpected */
function isDone({ status, text, cutShort }: Reply): boolean {
  if (cutShort) throw new NoReply("the connection ended within a reply");
  if (status === 200 || status === 204) return true;
  assert.ok(REJECTIONS.includes(status), `${status} ${text}`);
  return false;
}
