import type { StoredEvent, Tags } from "../../../client/mod.ts";
import { parseTimestamp } from "../../model/timestamp.ts";

/** A column of a table of events, with a cell for each event. `undefined` is NULL. */
export interface Column {
  readonly name: string;
  readonly type: "integer" | "time" | "text" | "json";
  /** Integers and times, in microseconds since 1970, are bigints, the others texts. */
  readonly cells: readonly (bigint | string | undefined)[];
}

/** Returns events as columns. Each name of an identifier or of a metadata entry has a column of its own. */
export function columnsOf(events: readonly StoredEvent[]): Column[] {
  const payloads = events.map(({ payload, forgotten }) => forgotten ? undefined : payload as string);
  const isJson = payloads.map((text) => text !== undefined && canParse(text));
  return [
    { name: "sequence", type: "integer", cells: events.map(({ sequence }) => BigInt(sequence)) },
    { name: "time", type: "time", cells: events.map(({ time }) => parseTimestamp(time)) },
    { name: "type", type: "text", cells: events.map(({ type }) => type) },
    ...tagColumns("tag_", events.map(({ identifiers }) => identifiers)),
    ...tagColumns("meta_", events.map(({ metadata }) => metadata)),
    { name: "payload", type: "json", cells: payloads.map((text, i) => isJson[i] ? text : undefined) },
    { name: "payload_text", type: "text", cells: payloads.map((text, i) => isJson[i] ? undefined : text) },
    {
      name: "forgotten",
      type: "text",
      cells: events.map(({ forgotten }) => forgotten && cellOf(forgotten)),
    },
  ];
}

function tagColumns(prefix: string, tags: readonly Tags[]): Column[] {
  const columns = new Map<string, (string | undefined)[]>();
  for (const [row, names] of tags.entries()) {
    for (const [name, values] of Object.entries(names)) {
      let cells = columns.get(name);
      if (cells === undefined) columns.set(name, cells = new Array(tags.length).fill(undefined));
      cells[row] = cellOf(values);
    }
  }
  // The order must not depend on the events.
  const names = [...columns.keys()].sort();
  return names.map((name) => ({ name: prefix + name, type: "text", cells: columns.get(name)! }));
}

/** One value as it is, several as a JSON array. A cell that begins with a bracket is always a JSON array. */
function cellOf(values: string | readonly string[]): string {
  const list = typeof values === "string" ? [values] : values;
  return list.length === 1 && !list[0]!.startsWith("[") ? list[0]! : JSON.stringify(list);
}

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
