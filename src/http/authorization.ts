import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Makes the check of the `Authorization` header. Digests are compared instead of the tokens, so that neither
 * the place of the first difference nor the length shows in the time it takes.
 */
export function makeTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ""), expected);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
