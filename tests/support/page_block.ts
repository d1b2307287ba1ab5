/** The fenced block of a page in docs/ that begins with this line: tests run what operators copy. */
export function pageBlock(page: string, firstLine: string): string {
  const text = Deno.readTextFileSync(new URL(`../../docs/${page}`, import.meta.url));
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block]) => block!);
  const block = blocks.find((candidate) => candidate.startsWith(`${firstLine}\n`));
  if (block === undefined) throw new Error(`docs/${page} has no block that begins with "${firstLine}"`);
  return block;
}

/** Replaces one part of a block for the test. The block must contain the part exactly once. */
export function replacePart(block: string, part: string, replacement: string): string {
  const parts = block.split(part);
  if (parts.length !== 2) throw new Error(`"${part}" is there ${parts.length - 1} times`);
  return parts.join(replacement);
}

/** The SQL statements of a block, without its comments. */
export function pageStatements(page: string, firstLine: string): string[] {
  const block = pageBlock(page, firstLine).replaceAll(/^--.*\n/gm, "");
  return block.split(";").map((sql) => sql.trim()).filter((sql) => sql !== "");
}
