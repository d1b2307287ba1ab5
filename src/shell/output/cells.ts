/** Characters that most terminals show in two cells: East Asian characters and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const CELLS_PER_CHAR_MAX = 2;
const COMBINING = /\p{M}/u;

/** Marks a text that was cut off. */
const ELLIPSIS = "\u2026";

/** Returns the number of terminal cells of a text. */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const char of text) cells += cellsOfChar(char);
  return cells;
}

function cellsOfChar(char: string): number {
  if (char < "\u0300") return 1;
  return COMBINING.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
}

/** Cuts a text to a number of cells, with a mark at its end if a part is missing. */
export function cut(text: string, cells: number): string {
  if (CELLS_PER_CHAR_MAX * text.length <= cells) return text;
  let used = 0;
  let kept = "";
  let keptWithMark = "";
  for (const char of text) {
    used += cellsOfChar(char);
    if (used > cells) return keptWithMark + ELLIPSIS;
    kept += char;
    if (used < cells) keptWithMark = kept;
  }
  return text;
}

/** Adds spaces to the end of a text, up to a number of cells. */
export function padded(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - cellsOf(text)));
}
