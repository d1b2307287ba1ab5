/*
 * Stored text is shown as it is, but without effects: visible signs replace characters that move the cursor, change
 * the direction of text or are invisible.
 */

/** Characters that change the direction of text: embeddings, overrides, isolates and marks. */
const DIRECTION = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
/** Characters without width. */
const INVISIBLE = "\\u00ad\\u200b-\\u200d\\u2028\\u2029\\u2060-\\u2064\\ufeff\\ufff9-\\ufffb";
const HIDDEN = new RegExp(`[\\u0000-\\u001f\\u007f-\\u009f${DIRECTION}${INVISIBLE}]`, "g");

/** Text on one line, with every character visible. */
export function visibleLine(text: string): string {
  return text.replace(HIDDEN, signOf);
}

/** Text in lines: line feeds and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => character === "\n" || character === "\t" ? character : signOf(character),
  );
}

/** Equal JSON without characters that have effects in a terminal. Line feeds stay. */
export function escapedJson(json: string): string {
  return json.replace(
    HIDDEN,
    (character) =>
      character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The Unicode picture of a control character, or its number. */
function signOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
}
