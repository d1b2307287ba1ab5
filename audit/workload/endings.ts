import { NoReply, type Reply } from "../../tests/support/connection.ts";
import { projectionPath } from "../../tests/support/client.ts";
import type { Session } from "../../tests/editions/b_tx/session.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import { AuditFailure } from "../report.ts";
import type { Act, Answer, Intent, ProjectionChange } from "../history/record.ts";

export type Write = Extract<Act, { readonly kind: "write" }>;

/** The outcome of an act. Its number is that of its intent. */
export type Ending = Omit<Answer, "id">;

/** An answer that no client should ever get. */
export class WrongAnswer extends AuditFailure {
  constructor({ status, text }: Reply) {
    super("a client was answered", [`${status} ${text}`]);
  }
}

/** The server was gone before the client had requested the end of its write: it cannot have been written. */
export class GoneBefore extends Error {
  override readonly name = "GoneBefore";
}

/** A pause that waits for open transactions. It may come into effect later, or not. */
export class Unfinished extends Error {
  override readonly name = "Unfinished";
}

/** Statuses of answers that say that nothing was done. The checker of the round decides if a 500 or 507 is allowed. */
const REJECTIONS: ReadonlySet<number> = new Set([404, 409, 410, 500, 503, 507]);

/**
 * @throws NoReply when the answer is not complete, Unfinished when another one is to follow, WrongAnswer when it is not
 *   an allowed one
 */
export function endingOf(reply: Reply): Ending {
  if (reply.cutShort) throw new NoReply("the connection ended within an answer");
  const { status } = reply;
  if (status === 202) throw new Unfinished();
  if (status === 200 || status === 204) return { fate: "done", status };
  if (REJECTIONS.has(status) && !isUnknownPath(reply)) return { fate: "rejected", status };
  throw new WrongAnswer(reply);
}

/** Returns true when the endpoint does not exist in this edition: the mistake is the client's. */
function isUnknownPath({ status, text }: Reply): boolean {
  return status === 404 && /unknown path/.test(text);
}

/** Makes a call that ends nothing. When the server is gone during it, certainly nothing was done. */
export async function before(call: () => Promise<Reply>): Promise<Reply> {
  try {
    const reply = await call();
    if (reply.cutShort) throw new GoneBefore("the connection ended within an answer");
    return reply;
  } catch (error) {
    throw isGone(error) ? new GoneBefore(String(error)) : error;
  }
}

/**
 * Returns the changes in the syntax of an edition, with the current versions of the projections, which it reads first.
 */
export async function changesOf(
  changes: readonly ProjectionChange[],
  get: (path: string) => Promise<Reply>,
): Promise<{ readonly create: object[]; readonly replace: object[]; readonly delete: object[] }> {
  const lists: { create: object[]; replace: object[]; delete: object[] } = {
    create: [],
    replace: [],
    delete: [],
  };
  for (const { type, id, payload } of changes) {
    const reply = await before(() => get(projectionPath(type, id)));
    const version = reply.headers.get("x-service-version");
    if (reply.status !== 200 && reply.status !== 404) throw new Rejected(endingOf(reply));
    if (payload === undefined) {
      if (version !== undefined) lists.delete.push({ type, id, version });
    } else if (version === undefined) lists.create.push({ type, id, payload });
    else lists.replace.push({ type, id, version, payload });
  }
  return lists;
}

/** The versions in the order of the changes, taken from the two lists of the answer. */
export function versionsOf(
  changes: readonly ProjectionChange[],
  asked: { readonly create: readonly object[]; readonly replace: readonly object[] },
  reply: Reply,
): (string | null)[] {
  const json = reply.json<Versions & { readonly projections?: Versions }>();
  const given = json.projections ?? json;
  const versions = new Map<string, string>();
  for (const list of ["create", "replace"] as const) {
    for (const [i, change] of asked[list].entries()) {
      const { type, id } = change as ProjectionChange;
      versions.set(JSON.stringify([type, id]), given[list][i]!.version);
    }
  }
  return changes.map(({ type, id }) => versions.get(JSON.stringify([type, id])) ?? null);
}

interface Versions {
  readonly create: readonly { readonly version: string }[];
  readonly replace: readonly { readonly version: string }[];
}

/** A call within a write was rejected, and with it the write. */
export class Rejected extends Error {
  override readonly name = "Refused";
  readonly ending: Ending;

  constructor(ending: Ending) {
    super(`rejected with ${ending.status}`);
    this.ending = ending;
  }
}

/** Returns an answer that accepts the request. @throws Rejected */
export function accepted(reply: Reply): Reply {
  const ending = endingOf(reply);
  if (ending.fate === "rejected") throw new Rejected(ending);
  return reply;
}

export async function rejectable(work: () => Promise<Ending>): Promise<Ending> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Rejected) return error.ending;
    throw error;
  }
}

/** The request header with the act that a request completes. A trace of the server then shows it. */
export function actHeader(id: number): Readonly<Record<string, string>> {
  return { [ACT_HEADER]: String(id) };
}

export const ACT_HEADER = "x-audit-act";

/** The acts that are one request in every edition. */
export async function performPlain(session: Session, { act, id }: Intent): Promise<Ending> {
  if (act.kind === "write") throw new Error("a write is not one request in every edition");
  const headers = actHeader(id);
  if (act.kind === "deleteProjections") {
    const path = act.type === undefined ? "/projections" : `/projections/${encodeURIComponent(act.type)}`;
    return endingOf(await session.request("DELETE", path, { headers }));
  }
  const body = act.kind === "forget" ? { json: forgetRequest(act) } : {};
  const ending = endingOf(await session.request("POST", `/${act.kind}`, { headers, ...body }));
  return act.kind === "reset" && ending.fate === "done" ? await withStoreId(session, ending) : ending;
}

/** The identifier that stands for a person in the stores of the audit that have subjects. */
export const SUBJECT = "student";

/** Returns the body of `POST /forget`. */
export function forgetRequest({ subject, events }: Omit<Extract<Act, { kind: "forget" }>, "kind">): object {
  return { identifier: { name: SUBJECT, value: subject }, events };
}

/** Adds the store ID after a reset, if the store can still be reached. */
async function withStoreId(session: Session, ending: Ending): Promise<Ending> {
  try {
    // The query may match anything; edition B uses another word for all events.
    const json = { query: [{ types: ["none"] }], limit: 1 };
    const storeId = (await session.request("QUERY", "/events", { json })).headers.get("x-service-store");
    return storeId === undefined ? ending : { ...ending, storeId };
  } catch (error) {
    if (isGone(error)) return ending;
    throw error;
  }
}
