import { queryValues, simplifiedItems } from "../../../model/query.ts";
import type { BatchSize } from "../../core/chunks/batch_size.ts";
import type { ChunkSearch, FoundEvents } from "../../core/chunks/chunk_search.ts";
import { type TermItem, termItem } from "../../core/index_terms.ts";
import { Matcher } from "../../core/matcher.ts";
import { type Direction, positionBehind, type Range, restOf, startOf } from "../../core/ranges/direction.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session } from "../protocol/session.ts";
import { ListReach } from "../tables/list_reach.ts";
import { IndexWalks, type SoughtItem, together, type Walked } from "../tables/tag_index.ts";
import { rangesInTime } from "../tables/time_index.ts";
import { batchesAt, batchesOf } from "./event_batches.ts";

export interface Search extends ChunkSearch {
  readonly size: BatchSize;
  /** The first events of the range, if the search wants all events and the caller has read these already. */
  readonly asked: readonly Row[] | undefined;
}

/** Bounds for the size of a range that is scanned, instead of searched by the index. */
const SCANNED_EVENTS_MIN = 64;
const SCANNED_EVENTS_MAX = 1000;

/** Entries of each list that one step walks: few at first, since a search often wants only one event. */
const WALKED_FIRST = 64;
const WALKED_MAX = 2048;
/** Entries of all lists together in one step. Otherwise a query with many terms would take too long. */
const WALKED_TOGETHER_MAX = 64 * 1024;
const WALKED_MIN = 8;

/**
 * Finds the events of a search, in its order, and maybe others at other times. The caller stops when it has enough
 * events, or when the search takes too long.
 */
export async function* findEvents(
  session: Pick<Session, "run">,
  search: Search,
): AsyncGenerator<FoundEvents> {
  const { query, time, range, direction } = search;
  if (query === "none") return;
  const parts = time === undefined ? [range] : rangesInTime(session, range, time, direction);
  const items = query === "every" ? undefined : simplifiedItems(query);
  for await (const part of parts) {
    yield* items === undefined ? every(session, part, search) : matching(session, part, search, items);
  }
}

async function* every(
  session: Pick<Session, "run">,
  part: Range,
  { direction, size, time, limit, asked }: Search,
): AsyncGenerator<FoundEvents> {
  const eventsMax = time === undefined ? limit : Infinity;
  for await (const rows of batchesOf(session, part, direction, size, eventsMax, asked)) {
    yield { rows, reached: positionBehind(rows.at(-1)!.sequence, direction) };
  }
}

async function* matching(
  session: Pick<Session, "run">,
  part: Range,
  { direction, size }: Search,
  items: ReturnType<typeof simplifiedItems>,
): AsyncGenerator<FoundEvents> {
  if (items.length === 0) return;
  let sought: SoughtItem[] | undefined;
  let walked = WALKED_FIRST;
  let rest = part;
  while (rest.after < rest.upTo) {
    if (rest.upTo - rest.after <= scannedMax(queryValues(items))) {
      return yield* scan(session, rest, direction, size, new Matcher(items));
    }
    sought ??= await sparsestLists(session, items.map(termItem), rest, direction);
    const step = await walk(session, sought, rest, walked, direction);
    for await (const rows of batchesAt(session, step.found, direction, size)) {
      yield { rows, reached: positionBehind(rows.at(-1)!.sequence, direction) };
    }
    yield { rows: [], reached: step.reached };
    rest = restOf(rest, step.reached, direction);
    walked = Math.min(WALKED_MAX, 4 * walked);
  }
}

async function sparsestLists(
  session: Pick<Session, "run">,
  items: readonly TermItem[],
  range: Range,
  direction: Direction,
): Promise<SoughtItem[]> {
  const reach = new ListReach(items, range, direction);
  return reach.read(await session.run(reach.statements));
}

/** The largest range that is scanned. With many values, reading the events is cheaper than one lookup per value. */
function scannedMax(values: number): number {
  return Math.min(SCANNED_EVENTS_MAX, Math.max(SCANNED_EVENTS_MIN, values));
}

async function* scan(
  session: Pick<Session, "run">,
  range: Range,
  direction: Direction,
  size: BatchSize,
  matcher: Matcher,
): AsyncGenerator<FoundEvents> {
  const decoder = new TextDecoder();
  for await (const rows of batchesOf(session, range, direction, size, Infinity)) {
    const matching = rows.filter(({ body }) => matcher.matches(decoder.decode(body)));
    yield { rows: matching, reached: positionBehind(rows.at(-1)!.sequence, direction) };
  }
}

/** Walks the lists of all items, up to the position that all of them have reached. */
async function walk(
  session: Pick<Session, "run">,
  sought: readonly SoughtItem[],
  range: Range,
  walked: number,
  direction: Direction,
): Promise<Walked> {
  const start = startOf(range, direction);
  const terms = sought.reduce((count, { lists }) => count + lists.flat().length, 0);
  const entriesMax = Math.max(WALKED_MIN, Math.min(walked, Math.floor(WALKED_TOGETHER_MAX / terms)));
  const walks = new IndexWalks(sought.map((item) => ({ item, start })), range, entriesMax, direction);
  return together(walks.read(await session.run(walks.statements)), direction);
}

/** Returns the sequence of the first event in a range that matches an item, however long the search takes. */
export async function firstMatch(
  session: Pick<Session, "run">,
  item: TermItem,
  range: Range,
): Promise<number | undefined> {
  const sought = await sparsestLists(session, [item], range, "forwards");
  for (let rest = range; rest.after < rest.upTo;) {
    const { found: [first], reached } = await walk(session, sought, rest, WALKED_MAX, "forwards");
    if (first !== undefined) return first;
    rest = restOf(rest, reached, "forwards");
  }
  return undefined;
}
