import type { Json, JsonObject } from "./json.ts";

/*
 * Writes JSON values as YAML for people. A test reads the YAML back with the linter's parser and compares the values.
 */

/** Text without quotes: begins with a word that is neither a number nor a constant. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z/$](?:[\w ./$*(),;'"`+<>{}=-]|:(?=\S))*$/i;

const LINE_LENGTH = 110;

/** A whole document. */
export function yamlText(document: JsonObject): string {
  return members(document, "");
}

function members(object: JsonObject, indent: string): string {
  return Object.entries(object).map(([key, value]) => `${indent}${keyText(key)}:${after(value, indent)}`)
    .join("");
}

function keyText(key: string): string {
  return /^[A-Za-z/$_][\w/${}.-]*$/.test(key) ? key : JSON.stringify(key);
}

/** The text after the colon of a key. */
function after(value: Json, indent: string): string {
  if (isList(value)) {
    return value.length === 0 ? " []\n" : `\n${value.map((item) => listItem(item, indent + "  ")).join("")}`;
  }
  if (isObject(value)) return isEmpty(value) ? " {}\n" : `\n${members(value, indent + "  ")}`;
  return ` ${typeof value === "string" ? stringText(value, indent + "  ") : String(value)}\n`;
}

function listItem(item: Json, indent: string): string {
  if (!isObject(item) || isEmpty(item)) return `${indent}-${after(item, indent)}`;
  // The first member follows the dash.
  return `${indent}- ${members(item, indent + "  ").trimStart()}`;
}

function stringText(text: string, indent: string): string {
  if (text.includes("\n")) return blockText(text, indent);
  if (isProse(text) && indent.length + text.length > LINE_LENGTH) return `>-\n${folded(text, indent)}`;
  if (PLAIN.test(text) && !text.endsWith(" ")) return text;
  // Single quotes need no escapes.
  return /^[ -&(-~]*"[ -&(-~]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
}

/** A literal block. The text must not begin with a space, because YAML takes the indentation from the first line. */
function blockText(text: string, indent: string): string {
  if (text.startsWith(" ") || /[^\n]\n\n+$/.test(text)) return JSON.stringify(text);
  const lines = text.replace(/\n$/, "").split("\n").map((line) => line === "" ? "" : indent + line);
  return `${text.endsWith("\n") ? "|" : "|-"}\n${lines.join("\n")}`;
}

/** True if folding and unfolding gives the same text. */
function isProse(text: string): boolean {
  return /^\S+(?: \S+)+$/.test(text);
}

function folded(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    if (line.length > indent.length && line.length + 1 + word.length > LINE_LENGTH) {
      lines.push(line);
      line = indent;
    }
    line += line.length > indent.length ? ` ${word}` : word;
  }
  return [...lines, line].join("\n");
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}
