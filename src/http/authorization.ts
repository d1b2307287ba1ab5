import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Returns a check of the `Authorization` header. Digests are compared instead of the tokens, so the time taken
 * reveals neither the first difference nor the length.
 */
export function makeTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ""), expected);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
