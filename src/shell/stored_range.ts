import type { Position, Query, StoredEvent } from "../../client/mod.ts";
import { walk } from "../../client/walk.ts";
import type { Reached } from "./edition.ts";
import { Wrong } from "./ends.ts";
import { positionOf, positionOfTime, sequenceOf, timeOf } from "./positions.ts";

/** The bounds of a read, as flags give them. */
export interface RangeFlags {
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** Where a read begins and ends. */
export interface StoredRange {
  readonly after: Position | number;
  readonly before: number | undefined;
}

/** Parses the bounds that need no server. @throws Wrong */
export function rangeOf({ after, before, since, until }: RangeFlags): StoredRange {
  if (after !== undefined && since !== undefined) throw new Wrong("give only one of --after and --since");
  if (before !== undefined && until !== undefined) throw new Wrong("give only one of --before and --until");
  const from = since === undefined ? undefined : timeOf(since, "since");
  const to = until === undefined ? undefined : timeOf(until, "until");
  if (from !== undefined && to !== undefined && from > to) {
    throw new Wrong(`--since (${since}) must not be later than --until (${until})`);
  }
  const position = after === undefined ? 0 : positionOf(after, "after");
  const end = before === undefined ? undefined : sequenceOf(before, "before", 1);
  const begin = typeof position === "number" ? position : position.sequence;
  if (end !== undefined && begin > end) {
    throw new Wrong(`--after (${begin}) must not be later than --before (${end})`);
  }
  return { after: position, before: end };
}

/** Finds where the times of flags are in the store. */
export async function positionsOf(
  { server }: Reached,
  { since, until }: RangeFlags,
): Promise<Partial<StoredRange>> {
  const [after, end] = [
    since === undefined ? undefined : await positionOfTime(server, since),
    until === undefined ? undefined : await positionOfTime(server, until),
  ];
  return {
    ...after === undefined ? {} : { after },
    ...end === undefined ? {} : { before: end.sequence + 1 },
  };
}

/** Reads the events that are stored when it begins. It ends even if later ones are committed as fast as it reads. */
export async function* storedEvents(
  { server }: Reached,
  { query, after, before, backwards }: StoredRange & { readonly query: Query; readonly backwards?: boolean },
): AsyncGenerator<readonly StoredEvent[], void> {
  const range = { after, before, backwards };
  for await (const { events, isEnd } of walk(server, query, range, undefined, false)) {
    yield events;
    if (isEnd) return;
  }
}
