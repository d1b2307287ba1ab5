import type { StoredEvent, Tags } from "../../../client/mod.ts";
import { cellsOf, cut, padded } from "./cells.ts";
import { printable } from "./printable.ts";

const HEAD = ["SEQUENCE", "TIME", "TYPE", "TAGS", "PAYLOAD"];

/** The maximum width of a column. One long type or tag does not widen it, but sticks out. */
const CELLS_MAX = 40;

/** Events as a table for people. The table grows while it is shown. */
export class EventTable {
  /** The widths of all columns but the last. */
  #cells: readonly number[] = HEAD.slice(0, -1).map((name) => name.length);
  #isBegun = false;

  /** Returns the next rows, cut to a number of cells if given, with the header before the first row. */
  rows(events: readonly StoredEvent[], columns = Infinity): string {
    const rows = events.map((event) => rowOf(event, columns));
    if (!this.#isBegun) rows.unshift(HEAD);
    this.#isBegun = true;
    this.#cells = this.#cells.map((cells, column) =>
      Math.max(cells, Math.min(CELLS_MAX, Math.max(...rows.map((row) => cellsOf(row[column]!)))))
    );
    return rows.map((row) => `${cut(this.#line(row), columns)}\n`).join("");
  }

  #line(row: readonly string[]): string {
    return row.map((cell, column) => padded(cell, this.#cells[column] ?? 0)).join("  ").trimEnd();
  }
}

function rowOf(
  { sequence, time, type, identifiers, payload, forgotten }: StoredEvent,
  columns: number,
): string[] {
  const seconds = `${time.slice(0, "2026-11-20T12:34:56".length)}Z`;
  // A long payload is cut before it is escaped, so that its invisible rest takes no time.
  const seen = forgotten === undefined
    ? cut(String(payload), columns)
    : `(forgotten: ${forgotten.join(", ")})`;
  return [String(sequence), seconds, type, tagsText(identifiers), seen].map(printable);
}

function tagsText(tags: Tags): string {
  const pairs = Object.entries(tags).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}=${value}`)
  );
  return pairs.length === 0 ? "-" : pairs.join(" ");
}
