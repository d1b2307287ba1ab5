import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { ConfigError } from "./config_error.ts";

/** A value of a TOML document. Integers are bigint, which distinguishes 8085 from 8085.0. */
export type TomlValue = string | bigint | number | boolean | Date | readonly TomlValue[] | TomlTable;

/** The dates and times without an offset. */
const withoutOffset = new WeakSet<Date>();

/** True when a date says which moment it is. */
export function hasOffset(date: Date): boolean {
  return !withoutOffset.has(date);
}

/** The keys of a table in the order in which the document first names them. */
export type TomlTable = ReadonlyMap<string, TomlKey>;

/** A key with its value and where it first appears. Line and column count from 1, a column in UTF-16 units. */
export interface TomlKey {
  readonly line: number;
  readonly column: number;
  readonly value: TomlValue;
}

/**
 * Reads the file at `path` as a TOML 1.1 document.
 * @param hint returns advice on the first line that is not TOML, as the end of a message
 * @throws ConfigError that quotes nothing of the text, which may contain a token
 */
export function parseToml(path: string, text: string, hint: (line: string) => string = () => ""): TomlTable {
  const notToml = (line: number, column: number, what: string): ConfigError =>
    new ConfigError([
      `${path}:${line}:${column}: not valid TOML: ${what}${hint(text.split("\n")[line - 1] ?? "")}`,
    ]);
  // The parser accepts a carriage return anywhere as the end of a line.
  const at = text.search(/\r(?!\n)/);
  if (at >= 0) {
    const lines = text.slice(0, at).split("\n");
    throw notToml(lines.length, lines.at(-1)!.length + 1, "Carriage return without a line feed");
  }
  try {
    return fill(new Map(), parseTOML(text, { tomlVersion: "1.1" }).body[0].body);
  } catch (error) {
    if (error instanceof ParseError) throw notToml(error.lineNumber, error.column + 1, error.message);
    // The parser and `valueOf` are recursive.
    if (error instanceof RangeError) throw notToml(1, 1, "Nested too deep");
    throw error;
  }
}

type Table = Map<string, TomlKey>;
type KeyPart = AST.TOMLKey["keys"][number];

/** Adds the entries of a document, of the part below a header, or of an inline table. */
function fill(table: Table, nodes: AST.TOMLTopLevelTable["body"]): Table {
  for (const node of nodes) {
    if (node.type === "TOMLKeyValue") addKey(table, node);
    else fill(openTable(table, node), node.body);
  }
  return table;
}

function addKey(table: Table, { key, value }: AST.TOMLKeyValue): void {
  const last = key.keys.at(-1)!;
  innermost(table, key).set(nameOf(last), { ...positionOf(last), value: valueOf(value) });
}

/** Returns the table that a header opens. A header of a list adds a table to the list. */
function openTable(document: Table, { key, kind }: AST.TOMLTable): Table {
  const last = key.keys.at(-1)!;
  const parent = innermost(document, key);
  if (kind === "standard") return tableAt(parent, last);
  const list = parent.get(nameOf(last))?.value as TomlTable[] | undefined;
  const table: Table = new Map();
  if (list === undefined) parent.set(nameOf(last), { ...positionOf(last), value: [table] });
  else list.push(table);
  return table;
}

/** Returns the table that contains the last part of a key. */
function innermost(table: Table, key: AST.TOMLKey): Table {
  return key.keys.slice(0, -1).reduce(tableAt, table);
}

/** Returns the table that a part of a key names, and creates it if it does not exist; for a list, its last table. */
function tableAt(parent: Table, part: KeyPart): Table {
  const known = parent.get(nameOf(part))?.value;
  if (known !== undefined) return (Array.isArray(known) ? known.at(-1) : known) as Table;
  const table: Table = new Map();
  parent.set(nameOf(part), { ...positionOf(part), value: table });
  return table;
}

function valueOf(node: AST.TOMLContentNode): TomlValue {
  if (node.type === "TOMLArray") return node.elements.map(valueOf);
  if (node.type === "TOMLInlineTable") return fill(new Map(), node.body);
  if (node.kind === "integer") return node.bigint;
  if (node.value instanceof Date && node.kind !== "offset-date-time") withoutOffset.add(node.value);
  return node.value;
}

function nameOf(part: KeyPart): string {
  return part.type === "TOMLBare" ? part.name : part.value;
}

function positionOf({ loc }: KeyPart): { line: number; column: number } {
  return { line: loc.start.line, column: loc.start.column + 1 };
}
