import type { Session } from "../../tests/editions/b_tx/session.ts";
import type { Reply } from "../../tests/support/connection.ts";
import type { Intent } from "../history/record.ts";
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

export function performC(session: Session, intent: Intent): Promise<Ending> {
  const { act, id } = intent;
  return act.kind === "write" ? rejectable(() => write(session, act, id)) : performPlain(session, intent);
}

async function write(session: Session, act: Write, id: number): Promise<Ending> {
  // Only while the store is paused, and alone.
  if (act.events.length === 0 && act.condition === "none") {
    const alone = await changeAlone(session, act, id);
    if (alone.fate === "done") return alone;
  }
  const begun = accepted(await before(() => session.request("POST", "/begin")));
  const ticket = { "X-Service-Ticket": begun.json<{ ticket: string }>().ticket };
  return await transact(session, act, id, ticket);
}

async function changeAlone(session: Session, act: Write, id: number): Promise<Ending> {
  const changes = await changesOf(act.projections, (path) => session.request("GET", path));
  const headers = actHeader(id);
  const reply = await session.request("POST", "/projections", { json: changes, headers });
  if (reply.status === 400) return { fate: "rejected", status: 400 };
  const ending = endingOf(reply);
  return ending.fate === "rejected"
    ? ending
    : { ...ending, versions: versionsOf(act.projections, changes, reply) };
}

async function transact(
  session: Session,
  act: Write,
  id: number,
  ticket: Readonly<Record<string, string>>,
): Promise<Ending> {
  const call = (method: string, path: string, json?: unknown): Promise<Reply> =>
    before(() => session.request(method, path, { headers: ticket, ...json === undefined ? {} : { json } }));
  const condition = act.condition === "doomed" ? { failIfEventsMatch: "*", afterSequence: 0 } : null;
  const written: { sequence: number; time: string }[] = [];
  // In several calls, as transactions of this edition allow.
  for (let at = 0; at < act.events.length; at += 2) {
    const events = act.events.slice(at, at + 2);
    const reply = accepted(await call("POST", "/events", { events, condition: at === 0 ? condition : null }));
    written.push(...reply.json<{ events: { sequence: number; time: string }[] }>().events);
  }
  const changes = await changesOf(act.projections, (path) => call("GET", path));
  const changed = accepted(await call("POST", "/projections", changes));
  if (act.condition === "rolledBack") {
    accepted(await call("POST", "/rollback"));
    return { fate: "rejected", status: 204 };
  }
  const headers = { ...ticket, ...actHeader(id) };
  const ending = endingOf(await session.request("POST", "/commit", { headers }));
  if (ending.fate === "rejected") return ending;
  return {
    ...ending,
    sequences: written.map(({ sequence }) => sequence),
    times: written.map(({ time }) => time),
    versions: versionsOf(act.projections, changes, changed),
  };
}
