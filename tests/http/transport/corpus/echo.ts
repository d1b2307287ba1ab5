import { ClientDisconnected } from "../../../../src/model/errors.ts";
import { BodyTooLarge, type Handler, type Malformed } from "../../../../src/http/exchange.ts";
import { textReply } from "../../../../src/http/replies.ts";
import { fromBytes, toBytes } from "../fuzz/latin1.ts";

export const BODY_BYTES_MAX = 1000;

async function* letters(text: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (const letter of text) yield await Promise.resolve(toBytes(letter));
}

/**
 * A handler that records each request as `POST /a {x-a field} hello`, with the field and the body if there are
 * any. It does not read the body of `/unread`, and answers `/stream` with a stream.
 */
export function echo(seen: string[]): Handler {
  return async (request) => {
    const parts = [request.method, request.target];
    const field = request.header("x-a");
    if (field !== undefined) parts.push(`{${field}}`);
    try {
      const body = request.target === "/unread" ? new Uint8Array() : await request.body(BODY_BYTES_MAX);
      if (body.length > 0) parts.push(fromBytes(body));
    } catch (error) {
      if (error instanceof ClientDisconnected) throw error;
      if (error instanceof BodyTooLarge) return textReply(413, "too large");
      return textReply(400, (error as Malformed).message);
    }
    seen.push(parts.join(" "));
    const reply = textReply(200, "seen");
    return request.target === "/stream" ? { ...reply, body: letters("seen\n") } : reply;
  };
}
