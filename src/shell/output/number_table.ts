import { printable } from "./printable.ts";

/** A table with numbers on the left, and a name of any length on the right. */
export function numberTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const lines = [head, ...rows.map((row) => row.map((cell) => printable(String(cell))))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) => {
    const numbers = line.slice(0, -1).map((cell, column) => cell.padStart(widths[column]!));
    return `${[...numbers, line.at(-1)].join("  ")}\n`;
  }).join("");
}
