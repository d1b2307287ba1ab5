import { sha256 } from "../model/sha256.ts";

/**
 * Returns a check of the `Authorization` header. Digests are compared instead of the tokens, and always as a whole,
 * so the time taken reveals neither the first difference nor the length.
 */
export function makeTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = sha256(`Bearer ${token}`).slice();
  return (authorization) => {
    const given = sha256((authorization ?? "").toWellFormed());
    let difference = 0;
    for (const [i, word] of expected.entries()) difference |= word ^ given[i]!;
    return difference === 0;
  };
}
