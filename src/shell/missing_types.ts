import { openPage } from "../../client/pages.ts";
import type { Server } from "../../client/server.ts";
import { nearestName } from "../config/suggest.ts";
import { readCatalog } from "./verbs/catalog.ts";

/** Longer types are not suggested, since they would fill the terminal. */
const CHARACTERS_MAX = 300;

/** A user should not wait longer for a hint. */
const SECONDS_MAX = 2;

/** Returns a line for each of the types that no event has, with the type that was probably meant. */
export async function missingTypes(server: Server, types: readonly string[]): Promise<string[]> {
  if (types.length === 0) return [];
  const signal = AbortSignal.timeout(1000 * SECONDS_MAX);
  try {
    const known = (await readCatalog(server, signal)).types.map(({ type }) => type);
    const near = known.filter((type) => type.length <= CHARACTERS_MAX);
    const lines: string[] = [];
    for (const type of new Set(types)) {
      if (!known.includes(type) && await isMissing(server, type, signal)) lines.push(hint(type, near));
    }
    return lines;
  } catch {
    // The user's read has succeeded, so this is no failure. Without an answer, nothing is certain.
    return [];
  }
}

/** Asks the store itself: its catalog may end before the newest events, or have too many types. */
async function isMissing(server: Server, type: string, signal: AbortSignal): Promise<boolean> {
  let count = 0;
  const page = await openPage<Record<string, unknown>>(server, { types: [type] }, { limit: 1 }, signal);
  for await (const events of page.batches()) count += events.length;
  return count === 0;
}

function hint(type: string, known: readonly string[]): string {
  const near = nearestName(type, known);
  const quoted = JSON.stringify(type);
  return near === undefined ? `no event has the type ${quoted}` : `no type ${quoted}; did you mean ${near}?`;
}
