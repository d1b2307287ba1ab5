import { isGone } from "../../tests/server/acknowledged_writes.ts";
import { projectionPath } from "../../tests/support/client.ts";
import type { Session } from "../../tests/editions/b_tx/session.ts";
import type { Intent } from "../history/record.ts";
import { ACT_TAG } from "../history/wire_event.ts";
import {
  accepted,
  actHeader,
  before,
  changesOf,
  type Ending,
  endingOf,
  performPlain,
  rejectable,
  versionsOf,
  type Write,
} from "./endings.ts";

/** More than there are clients. */
const NEARBY_ACTS = 12;

export async function performB(session: Session, intent: Intent): Promise<Ending> {
  const { act, id } = intent;
  if (act.kind !== "write") return await performPlain(session, intent);
  return await rejectable(() =>
    act.events.length === 0 ? changeAlone(session, act, id) : transact(session, act, id)
  );
}

/** Changes projections outside a transaction. */
async function changeAlone(session: Session, act: Write, id: number): Promise<Ending> {
  const changes = await changesOf(act.projections, (path) => session.request("GET", path));
  const headers = actHeader(id);
  const reply = await session.request("POST", "/projections", { json: changes, headers });
  const ending = endingOf(reply);
  return ending.fate === "rejected"
    ? ending
    : { ...ending, versions: versionsOf(act.projections, changes, reply) };
}

async function transact(session: Session, act: Write, id: number): Promise<Ending> {
  const begun = accepted(await before(() => session.request("POST", "/tx")));
  const path = `/tx/${begun.json<{ txId: string }>().txId}`;
  const call = async (method: string, rest: string, json?: unknown) =>
    accepted(await before(() => session.request(method, path + rest, json === undefined ? {} : { json })));
  await call("QUERY", "/events", { query: act.condition === "doomed" ? actsAround(id) : "none" });
  const written = await call("POST", "/events", { events: act.events });
  const changes: Record<string, object[]> = { create: [], replace: [], delete: [] };
  for (const { type, id, payload } of act.projections) {
    const { status } = await before(() => session.request("GET", path + projectionPath(type, id)));
    if (payload === undefined) {
      if (status === 200) changes["delete"]!.push({ type, id });
    } else changes[status === 200 ? "replace" : "create"]!.push({ type, id, payload });
  }
  // A deletion of a projection that does not exist is no change.
  if (Object.values(changes).some(({ length }) => length > 0)) await call("POST", "/projections", changes);
  if (act.condition === "rolledBack") {
    accepted(await before(() => session.request("DELETE", path)));
    return { fate: "rejected", status: 204 };
  }
  const headers = actHeader(id);
  const ending = endingOf(await session.request("POST", `${path}/commit`, { headers }));
  if (ending.fate === "rejected") return ending;
  const { time } = written.json<{ time: string }>();
  const versions = await givenVersions(session, act);
  return { ...ending, times: act.events.map(() => time), ...versions === undefined ? {} : { versions } };
}

/**
 * Reads the versions: a commit does not report those that it has assigned. No other client changes these projections
 * meanwhile.
 */
async function givenVersions(session: Session, act: Write): Promise<(string | null)[] | undefined> {
  const versions: (string | null)[] = [];
  try {
    for (const { type, id, payload } of act.projections) {
      const reply = await session.request("GET", projectionPath(type, id));
      const isThere = payload !== undefined;
      if (reply.cutShort || reply.status !== (isThere ? 200 : 404)) return undefined;
      versions.push(isThere ? reply.headers.get("x-service-version")! : null);
    }
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  return versions;
}

/**
 * The acts made at about the same time. A decision that depends on them is overtaken by any write of another client.
 * Reading all events would do the same, but take longer and longer.
 */
function actsAround(id: number): unknown {
  return Array.from({ length: 2 * NEARBY_ACTS }, (_, i) => ({
    metadata: [{ name: ACT_TAG, value: String(id - NEARBY_ACTS + i) }],
  }));
}
