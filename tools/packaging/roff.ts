/** The few macros of man(7) that the pages need. Each function gives whole lines. */

/** Text shown literally, escaped for roff. */
export function plain(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/gm, "\\&$&");
}

export function bold(text: string): string {
  return `\\fB${plain(text)}\\fR`;
}

export function italic(text: string): string {
  return `\\fI${plain(text)}\\fR`;
}

/** The first lines of a page. Words are not hyphenated: many of them are keys and flags. */
export function titleLine(page: string, section: number, version: string): string {
  return `.TH ${plain(page.toUpperCase())} ${section} "" "eventstore ${version}" "eventstore"\n.nh\n.ad l\n`;
}

export function section(name: string, ...parts: readonly string[]): string {
  return `.SH ${name}\n${parts.join("")}`;
}

export function subsection(name: string, ...parts: readonly string[]): string {
  return `.SS "${plain(name)}"\n${parts.join("")}`;
}

/** Paragraphs of plain text, separated by empty lines. */
export function paragraphs(text: string): string {
  return text.trim().split("\n\n").map((paragraph) => `.PP\n${plain(paragraph.trim())}\n`).join("");
}

/** A term, which may contain fonts, and its meaning, in plain text, one line each. */
export function entry(term: string, ...lines: readonly string[]): string {
  return `.TP\n${term}\n${lines.map(plain).join("\n.br\n")}\n`;
}

/** Lines that are shown unchanged. */
export function example(text: string): string {
  return `.PP\n.nf\n.RS\n${plain(text.trim())}\n.RE\n.fi\n`;
}
