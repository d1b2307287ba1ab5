import { printable } from "./printable.ts";

/** Returns a value as one line of JSON that is safe for a terminal. */
export function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}
