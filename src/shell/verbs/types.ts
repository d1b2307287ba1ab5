import type { Query } from "../../../client/mod.ts";
import type { ShellContext } from "../context.ts";
import { reach } from "../edition.ts";
import { ShellExit } from "../ends.ts";
import { missingTypes } from "../missing_types.ts";
import { numberTable } from "../output/number_table.ts";
import { jsonLine } from "../output/printable.ts";
import { StoredTypes, type TypeFields, TYPES_MAX } from "../payload_fields.ts";
import { sequenceOf } from "../positions.ts";
import { type QueryFlags, queryOf, withWords } from "../queries.ts";
import { positionsOf, type RangeFlags, rangeOf, storedEvents, type StoredRange } from "../stored_range.ts";
import { catalogTypes } from "./catalog.ts";

interface TypesFlags extends QueryFlags, RangeFlags {
  readonly limit: string | undefined;
  readonly fields: boolean;
  readonly json: boolean;
}

/**
 * Prints the types of the store's events, the most frequent first: from the catalog, or, if a flag or a word selects
 * events or asks for fields, from the events themselves.
 */
export async function types(
  context: ShellContext,
  words: readonly string[],
  flags: TypesFlags,
): Promise<number> {
  const { type, tag, meta, query, after, before, since, until, limit, fields, json } = flags;
  const given = [...words, ...type, ...tag, ...meta, query, after, before, since, until, limit];
  if (!fields && given.every((one) => one === undefined)) return await catalogTypes(context, flags);
  const wanted = { ...rangeOf(flags), query: queryOf(withWords(words, flags)) };
  const most = limit === undefined ? Infinity : sequenceOf(limit, "limit", 1);
  const counted = await count(context, wanted, most, flags);
  if (json) await context.print(counted.map((one) => jsonLine(fields ? one : withoutFields(one))).join(""));
  else await context.print(numberTable(["EVENTS", "FIRST", "LAST", "VERSION", "TYPE"], rowsOf(counted)));
  return ShellExit.ok;
}

/** Reads the events and counts them. Standard error says why there are none, or not all. */
async function count(
  context: ShellContext,
  wanted: StoredRange & { readonly query: Query },
  most: number,
  flags: TypesFlags,
): Promise<TypeFields[]> {
  const reached = await reach(context.place);
  const counts = new StoredTypes();
  let rest = most;
  for await (const events of storedEvents(reached, { ...wanted, ...await positionsOf(reached, flags) })) {
    const next = events.slice(0, rest);
    for (const event of next) counts.add(event, flags.fields);
    rest -= next.length;
    if (rest === 0) break;
  }
  const counted = counts.result();
  if (counts.left > 0) {
    context.printError(
      `only the first ${TYPES_MAX} types and versions are counted, without ${counts.left} events of others`,
    );
  }
  if (counted.length === 0 && !flags.json) {
    for (const line of await missingTypes(reached.server, flags.type)) context.printError(line);
  }
  return counted;
}

function withoutFields({ fields: _fields, moreFields: _moreFields, ...rest }: TypeFields): unknown {
  return rest;
}

/** A row for each type and version, followed by one for each of its fields. */
function rowsOf(counted: readonly TypeFields[]): (string | number)[][] {
  return counted.flatMap(({ type, version, count, first, last, fields, moreFields, forgotten = 0 }) => [
    [count, first, last, version, type],
    ...(forgotten > 0 ? [[forgotten, "", "", "", "  (forgotten)"]] : []),
    ...fields.map(({ path, count, types }) => [count, "", "", "", `  ${path}: ${types.join(", ")}`]),
    ...(moreFields ? [["", "", "", "", "  (and further fields)"]] : []),
  ]);
}
