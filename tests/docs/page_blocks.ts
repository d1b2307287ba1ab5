/** A fenced block of a page. */
export interface Block {
  /** `sh`, `ts`, `text` ... */
  readonly language: string;
  /** The rest of the line of the opening fence. */
  readonly about: string;
  readonly text: string;
  /** The line of the opening fence. */
  readonly line: number;
}

/** The fenced blocks of a page of docs/, from top to bottom. */
export function pageBlocks(page: string): Block[] {
  const text = Deno.readTextFileSync(new URL(`../../docs/${page}`, import.meta.url));
  return [...text.matchAll(/^```(\w*) ?([^\n]*)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1]!,
    about: match[2]!,
    text: match[3]!,
    line: text.slice(0, match.index).split("\n").length,
  }));
}
