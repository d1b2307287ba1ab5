import type { Tag } from "../filter/tag.ts";
import { partsOf, timeText } from "../parts/format.ts";
import type { StoredEvent } from "../store/stored_event.ts";

/** The columns of a row, besides the sequence, which is the link to the event. */
export const COLUMNS = ["time", "type", "identifiers", "metadata", "payload"] as const;
export type Column = typeof COLUMNS[number];

/** Parses the stored names of hidden columns. Unknown ones are ignored. */
export function hiddenColumns(text: string | null): Set<Column> {
  const names = (text ?? "").split(" ");
  return new Set(COLUMNS.filter((column) => names.includes(column)));
}

/** Widths in characters of the column's font. */
export interface Widths {
  readonly sequence: number;
  readonly type: number;
  readonly tags: number;
}

/** Longer texts are cut. */
const TYPE_MAX = 36;
const TAG_MAX = 48;
const TAGS_MAX = 130;
/** The border and the padding of a tag, and the gap behind it. */
const AROUND_TAG = 3.5;
/** The faded end of the column. */
const END = 3.5;

/** The width of each column that shows all of a row, within limits. */
export function widthsOf(
  { sequence, type }: Pick<StoredEvent, "sequence" | "type">,
  tags: readonly Tag[],
): Widths {
  let characters = END;
  for (const { kind, name, value } of tags) {
    const marks = kind === "metadata" ? "@:" : ":";
    characters += Math.min(TAG_MAX, name.length + value.length + marks.length) + AROUND_TAG;
  }
  return {
    sequence: String(sequence).length,
    type: Math.min(TYPE_MAX, type.length),
    tags: Math.min(TAGS_MAX, characters),
  };
}

/** True when every event of a list, which is in the order of time, is of today: its rows need no date. */
export function areOfToday(events: readonly StoredEvent[], today = new Date()): boolean {
  const { date } = partsOf(today);
  return [events[0], events.at(-1)].every((event) =>
    event === undefined || timeText(event.time).date === date
  );
}
