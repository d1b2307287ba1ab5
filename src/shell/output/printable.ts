/**
 * Characters that a terminal executes instead of showing them: control characters, changes of the writing direction,
 * invisible and private characters, and halves of characters.
 */
const OBEYED = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]]);

/** Escapes these characters as JSON does, so that the text stays on one line. JSON text keeps its value. */
export function printable(text: string): string {
  return text.replace(OBEYED, (char) => SHORT.get(char) ?? unitsOf(char));
}

/** Returns a value as one line of JSON that is safe for a terminal. */
export function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}

function unitsOf(char: string): string {
  return Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}
