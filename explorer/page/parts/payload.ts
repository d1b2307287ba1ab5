/*
 * A JSON payload is shown in lines, each part in its colour. The text is split into tokens and never serialized again,
 * so that numbers with many digits, repeated keys and escapes stay as they are stored.
 */

export type PartKind = "key" | "string" | "number" | "word" | "punctuation" | "space";

export interface Part {
  readonly kind: PartKind;
  readonly text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[a-z]+|[{}[\],:]/g;
const INDENT = "  ";
/** The indentation stops growing here: thousands of brackets would make megabytes of spaces. */
const INDENTS_MAX = 40;

/** The parts of a JSON text in lines, or undefined when the text is not JSON. */
export function prettyParts(text: string): Part[] | undefined {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return undefined;
  const tokens = text.match(TOKEN) ?? [];
  const parts: Part[] = [];
  let depth = 0;
  const line = (): void =>
    void parts.push({ kind: "space", text: `\n${INDENT.repeat(Math.min(depth, INDENTS_MAX))}` });
  tokens.forEach((token, i) => {
    const next = tokens[i + 1];
    if (token === "{" || token === "[") {
      parts.push({ kind: "punctuation", text: token });
      depth++;
      if (next !== "}" && next !== "]") line();
    } else if (token === "}" || token === "]") {
      depth--;
      if (tokens[i - 1] !== "{" && tokens[i - 1] !== "[") line();
      parts.push({ kind: "punctuation", text: token });
    } else if (token === ",") {
      parts.push({ kind: "punctuation", text: token });
      line();
    } else if (token === ":") {
      parts.push({ kind: "punctuation", text: ": " });
    } else {
      parts.push({
        kind: token.startsWith('"') ? next === ":" ? "key" : "string" : kindOf(token),
        text: token,
      });
    }
  });
  return parts;
}

function kindOf(token: string): PartKind {
  return /^[-\d]/.test(token) ? "number" : "word";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
