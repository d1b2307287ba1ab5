import { delay } from "../../async/delay.ts";
import type { Query, StoredEvent } from "../../../client/mod.ts";
import { follow } from "../../../client/follow.ts";
import type { ShellContext } from "../context.ts";
import { reach, type Reached } from "../edition.ts";
import { ShellExit, Wrong } from "../ends.ts";
import { missingTypes } from "../missing_types.ts";
import { EventTable } from "../output/event_table.ts";
import { jsonLine } from "../output/printable.ts";
import { sequenceOf } from "../positions.ts";
import { type QueryFlags, queryOf, withWords } from "../queries.ts";
import { positionsOf, type RangeFlags, rangeOf, storedEvents, type StoredRange } from "../stored_range.ts";

interface ReadFlags extends QueryFlags, RangeFlags {
  readonly backwards: boolean;
  readonly limit: string | undefined;
  readonly follow: boolean;
  readonly json: boolean;
}

/** The events to show, and where they begin and end. */
interface Wanted extends StoredRange {
  readonly query: Query;
  readonly backwards: boolean;
}

/** The time that a reader of the output gets after a signal to take the rest. */
const FLUSH_MILLISECONDS = 1000;

/** Shows the events that flags and words ask for. */
export async function read(
  context: ShellContext,
  words: readonly string[],
  flags: ReadFlags,
): Promise<number> {
  const given = wantedOf(words, flags);
  const limit = flags.limit === undefined ? Infinity : sequenceOf(flags.limit, "limit", 1);
  const stopped = flags.follow ? context.stopOnSignal() : undefined;
  try {
    const reached = await reach(context.place, stopped);
    const wanted = { ...given, ...await positionsOf(reached, flags) };
    const batches = stopped === undefined
      ? storedEvents(reached, wanted)
      : followed(reached, wanted, stopped);
    const showing = show(context, batches, limit, flags.json);
    const count = await (stopped === undefined ? showing : Promise.race([showing, afterSignal(stopped)]));
    if (count === 0 && !flags.json) await explainNothing(context, reached, flags);
  } catch (error) {
    if (!stopped?.aborted) throw error;
  }
  return ShellExit.ok;
}

/** Reports on standard error why a read found nothing. */
async function explainNothing(
  context: ShellContext,
  { server }: Reached,
  { type, follow }: ReadFlags,
): Promise<void> {
  const lines = follow ? [] : await missingTypes(server, type);
  for (const line of lines) context.printError(line);
  if (lines.length === 0 && context.columns() !== undefined) context.printError("no event matches");
}

/** Rejects a while after a signal, so that a stalled reader cannot keep the program from ending. */
async function afterSignal(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await delay(FLUSH_MILLISECONDS);
  throw signal.reason;
}

/** Prints at most so many of the events. @returns how many it printed */
async function show(context: ShellContext, batches: Batches, limit: number, json: boolean): Promise<number> {
  const table = new EventTable();
  let shown = 0;
  for await (const events of batches) {
    const next = events.slice(0, limit - shown);
    if (next.length === 0) continue;
    await context.print(json ? next.map(jsonLine).join("") : table.rows(next, context.columns()));
    shown += next.length;
    if (shown === limit) break;
  }
  return shown;
}

function wantedOf(words: readonly string[], flags: ReadFlags): Wanted {
  const { before, until, backwards } = flags;
  if (flags.follow && (backwards || before !== undefined || until !== undefined)) {
    const old = backwards ? "backwards" : before === undefined ? "until" : "before";
    throw new Wrong(`--follow waits for new events, --${old} asks for old ones`);
  }
  return { ...rangeOf(flags), query: queryOf(withWords(words, flags)), backwards };
}

type Batches = AsyncGenerator<readonly StoredEvent[], void>;

/** Reads the stored events, and then follows new ones. */
async function* followed({ server, store }: Reached, { query, after }: Wanted, signal: AbortSignal): Batches {
  if (typeof after === "object" || after === 0) {
    const from = after === 0 ? undefined : after;
    for await (const { events } of follow(server, query, { from, signal })) yield events;
    return;
  }
  // The store may end before the given sequence.
  const { storeId, sequence } = await store.head({ signal });
  const from = { storeId, sequence: Math.min(after, sequence) };
  for await (const { events } of follow(server, query, { from, signal })) {
    yield events.filter(({ sequence }) => sequence > after);
  }
}
