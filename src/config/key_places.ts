import { parse } from "smol-toml";

/** Line and column count from 1; a column counts UTF-16 units, as editors and the TOML parser do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Where each key of a TOML document stands first, for messages: the parser gives values but no positions.
 * Every key on a path counts, so `[server]` and `server.port = 1` both place `server`.
 */
export class KeyPlaces {
  readonly #text: string;
  readonly #places = new Map<string, Place>();
  #at = 0;

  /** @param text a document that the parser has accepted; only then is the scan meaningful. */
  constructor(text: string) {
    this.#text = text;
    this.#scanDocument();
  }

  /** @param path a key and those above it, from the top of the document. */
  of(path: readonly string[]): Place | undefined {
    return this.#places.get(JSON.stringify(path));
  }

  #scanDocument(): void {
    let table: readonly string[] = [];
    for (this.#skip(VOID); this.#at < this.#text.length; this.#skip(VOID)) {
      if (this.#skip(/\[{1,2}/y) !== "") {
        table = this.#scanKey([]);
        this.#need(/[ \t]*\]{1,2}/y);
      } else {
        this.#scanAssignment(table);
      }
    }
  }

  #scanAssignment(table: readonly string[]): void {
    const path = this.#scanKey(table);
    this.#need(/[ \t]*=[ \t]*/y);
    this.#scanValue(path);
  }

  /** Reads `a . "b"` and records each part below `table`. */
  #scanKey(table: readonly string[]): readonly string[] {
    const path = [...table];
    do {
      this.#skip(BLANKS);
      const start = this.#at;
      const part = this.#need(KEY_PART);
      path.push(part.startsWith('"') || part.startsWith("'") ? unquote(part) : part);
      this.#record(path, start);
    } while (this.#skip(/[ \t]*\./y) !== "");
    return path;
  }

  #scanValue(path: readonly string[]): void {
    if (this.#skip(/\[/y) !== "") {
      for (this.#skip(VOID_AND_COMMAS); this.#skip(/\]/y) === ""; this.#skip(VOID_AND_COMMAS)) {
        this.#scanValue(path);
      }
    } else if (this.#skip(/\{/y) !== "") {
      for (this.#skip(VOID_AND_COMMAS); this.#skip(/\}/y) === ""; this.#skip(VOID_AND_COMMAS)) {
        this.#scanAssignment(path);
      }
    } else {
      this.#need(SCALAR);
    }
  }

  #record(path: readonly string[], start: number): void {
    const key = JSON.stringify(path);
    if (this.#places.has(key)) return;
    const before = this.#text.slice(0, start);
    const lineStart = before.lastIndexOf("\n") + 1;
    this.#places.set(key, { line: before.split("\n").length, column: start - lineStart + 1 });
  }

  /** Steps over what the sticky pattern matches here, which may be nothing. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  /** Like skip, but the document can only be as the parser accepted it if something matches. */
  #need(pattern: RegExp): string {
    const found = this.#skip(pattern);
    if (found === "") throw new Error(`no ${pattern.source} at offset ${this.#at} of the TOML document`);
    return found;
  }
}

const BLANKS = /[ \t]*/y;
const VOID = /(?:[ \t\r\n]|#[^\n]*)*/y;
const VOID_AND_COMMAS = /(?:[ \t\r\n,]|#[^\n]*)*/y;
const KEY_PART = /[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*'/y;

// A multi-line string may end in up to five quotes: the last three close it.
const SCALAR = new RegExp(
  [
    String.raw`"""(?:\\[^]|(?!""")[^\\])*"{3,5}`,
    String.raw`'''(?:(?!''')[^])*'{3,5}`,
    String.raw`"(?:\\.|[^"\\])*"`,
    String.raw`'[^']*'`,
    String.raw`[^\s,\]}#]+(?: \d\d:[\d:.]+(?:Z|[-+]\d\d:\d\d)?)?`,
  ].join("|"),
  "iy",
);

function unquote(part: string): string {
  return parse(`key = ${part}`)["key"] as string;
}
