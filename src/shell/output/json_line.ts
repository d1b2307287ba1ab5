import { printable } from "./printable.ts";

/** A value as one line of JSON that a terminal can be shown. */
export function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}
