import type { StoredEvent } from "../store/stored_event.ts";

/*
 * Events as CSV by RFC 4180. Names and values of tags are JSON, because a name may have several values.
 */

const COLUMNS = ["sequence", "time", "type", "identifiers", "metadata", "payload"] as const;

export const CSV_HEAD = `${COLUMNS.join(",")}\r\n`;

/** A cell that begins with one of these is a formula for a spreadsheet, also behind white space. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/;

/** An event as a line, with its line end. */
export function csvLine({ sequence, time, type, identifiers, metadata, payload }: StoredEvent): string {
  const texts = [JSON.stringify(identifiers), JSON.stringify(metadata), payload];
  return `${[String(sequence), time, type, ...texts].map(csvCell).join(",")}\r\n`;
}

/** A text as a cell. An apostrophe before a formula makes it text. */
export function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
