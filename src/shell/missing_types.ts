import { openPage } from "../../client/pages.ts";
import type { Server } from "../../client/server.ts";
import { walk } from "../../client/walk.ts";
import { nearestName } from "../config/suggest.ts";

type Events = Record<string, unknown>;

/** A missing type is compared with the types of so many of the newest events. */
const EVENTS_MAX = 3000;

/** Longer types are not suggested, since they would fill the terminal. */
const CHARACTERS_MAX = 300;

/** A user should not wait longer for a hint. */
const SECONDS_MAX = 2;

/** Returns a line for each of the types that no event has, with the type that was probably meant. */
export async function missingTypes(server: Server, types: readonly string[]): Promise<string[]> {
  if (types.length === 0) return [];
  const signal = AbortSignal.timeout(1000 * SECONDS_MAX);
  const missing: string[] = [];
  for (const type of new Set(types)) {
    if (await isMissing(server, type, signal)) missing.push(type);
  }
  if (missing.length === 0) return [];
  const newest = await newestTypes(server, signal);
  return missing.map((type) => {
    const near = nearestName(type, newest);
    const quoted = JSON.stringify(type);
    return near === undefined
      ? `no event has the type ${quoted}`
      : `no type ${quoted}; did you mean ${near}?`;
  });
}

/** Returns true when it is certain that no event has the type. */
async function isMissing(server: Server, type: string, signal: AbortSignal): Promise<boolean> {
  try {
    let count = 0;
    const page = await openPage<Events>(server, { types: [type] }, { limit: 1 }, signal);
    for await (const events of page.batches()) count += events.length;
    return count === 0;
  } catch {
    // The user's read has succeeded, so this is no failure. Without an answer, nothing is certain.
    return false;
  }
}

/** Returns the types of the newest events, that of the last one first: all of them, or those read in time. */
async function newestTypes(server: Server, signal: AbortSignal): Promise<string[]> {
  const types = new Set<string>();
  let count = 0;
  try {
    for await (const { events, isEnd } of walk<Events>(server, "*", { backwards: true }, 0, signal)) {
      for (const { type } of events) if (type.length <= CHARACTERS_MAX) types.add(type);
      count += events.length;
      if (isEnd || count >= EVENTS_MAX) break;
    }
  } catch {
    // The types that were read before the failure are good enough for a hint.
  }
  return [...types];
}
