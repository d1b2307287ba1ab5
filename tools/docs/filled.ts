const COLUMNS_MAX = 110;

/** A paragraph or list item in lines as long as `deno fmt` makes them. */
export function filled(text: string): string {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= COLUMNS_MAX) lines[lines.length - 1] = longer;
    else lines.push(text.startsWith("- ") && lines.length > 0 ? `  ${word}` : word);
  }
  return lines.join("\n");
}
