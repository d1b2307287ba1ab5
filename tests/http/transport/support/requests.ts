import { withTimeout } from "../../../../src/async/with_timeout.ts";
import type { Reply } from "../../../../src/http/exchange.ts";

const encoder = new TextEncoder();

export function textBody(status: number, text: string): Reply {
  return { status, headers: { "Content-Type": "text/plain" }, body: encoder.encode(text) };
}

/** The bytes of a request with a body of known length. */
export function requestBytes(method: string, target: string, body: Uint8Array | string = ""): Uint8Array {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const head = encoder.encode(
    `${method} ${target} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes.length}\r\n\r\n`,
  );
  const request = new Uint8Array(head.length + bytes.length);
  request.set(head);
  request.set(bytes, head.length);
  return request;
}

/** Positions to cut a request at, at most `cutsMax`; some may be equal. */
export function randomCuts(bytes: number, cutsMax: number, random: (below: number) => number): number[] {
  return Array.from({ length: random(cutsMax + 1) }, () => random(bytes));
}

/** Resolves once the promise has settled, or fails after this number of seconds. */
export function within<T>(seconds: number, promise: Promise<T>, what: string): Promise<T> {
  return withTimeout(promise, seconds * 1000, () => {
    throw new Error(`not within ${seconds} s: ${what}`);
  });
}
