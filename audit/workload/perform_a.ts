import type { Session } from "../../tests/editions/b_tx/session.ts";
import type { WriteResult } from "../../tests/support/client.ts";
import type { Intent } from "../history/record.ts";
import {
  actHeader,
  changesOf,
  type Ending,
  endingOf,
  performPlain,
  rejectable,
  versionsOf,
  type Write,
} from "./endings.ts";

export function performA(session: Session, intent: Intent): Promise<Ending> {
  const { act } = intent;
  return act.kind === "write"
    ? rejectable(() => write(session, act, intent.id))
    : performPlain(session, intent);
}

async function write(session: Session, act: Write, id: number): Promise<Ending> {
  const projections = await changesOf(act.projections, (path) => session.request("GET", path));
  const conditions = act.condition === "none" ? [] : [{ failIfEventsMatch: "*" }];
  const json = { conditions, projections, events: act.events };
  const reply = await session.request("POST", "/write", { json, headers: actHeader(id) });
  const ending = endingOf(reply);
  if (ending.fate === "rejected") return ending;
  const { events } = reply.json<WriteResult>();
  return {
    ...ending,
    sequences: events.map(({ sequence }) => sequence),
    times: events.map(({ time }) => time),
    versions: versionsOf(act.projections, projections, reply),
  };
}
