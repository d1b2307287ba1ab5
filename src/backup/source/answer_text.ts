import type { Answer } from "./http_client.ts";

/** The longest text of a response without events that is read. */
const TEXT_BYTES_MAX = 64 * 1024;

/** The longest text of a source that a message quotes. */
const QUOTE_LENGTH_MAX = 200;

/** Returns the text of a response that is not a page, up to a limit. */
export async function startOf({ body }: Answer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > TEXT_BYTES_MAX) break;
  }
  return text;
}

/** Returns status and error of a response that is not a page. */
export async function errorText(answer: Answer): Promise<string> {
  const text = await startOf(answer);
  const remedy = answer.status === 401 ? ", check sourceToken" : "";
  return `it returned ${answer.status}${detailOf(text)}${remedy}`;
}

/** Returns the envelope of an error as text; an empty text for anything else. */
function detailOf(text: string): string {
  const { error, message } = parsed(text);
  if (typeof error !== "string") return "";
  return ` ${oneLine(error)}${typeof message === "string" ? ` (${oneLine(message)})` : ""}`;
}

/** Returns the JSON object of a text; an empty object for anything else. */
export function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Makes a text of the source safe for one line of output. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[^\x20-\x7e]+/g, " ");
  return line.length > QUOTE_LENGTH_MAX ? `${line.slice(0, QUOTE_LENGTH_MAX)}...` : line;
}
