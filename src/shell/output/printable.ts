/**
 * Everything that a terminal obeys instead of showing it: control characters, what turns the direction of writing
 * round, what is invisible, private characters and halves of characters.
 */
const OBEYED = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]]);

/**
 * A text with the escapes of JSON for everything that a terminal would obey, on one line. JSON text stays the same
 * value.
 */
export function printable(text: string): string {
  return text.replace(OBEYED, (char) => SHORT.get(char) ?? unitsOf(char));
}

function unitsOf(char: string): string {
  return Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}
