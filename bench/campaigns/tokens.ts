import { tokenDigest, type TokenSetting } from "../../src/config/tokens.ts";
import { Tokens } from "../../src/http/authorization.ts";
import { newToken } from "../../cli/new_token.ts";
import { print, table } from "./report.ts";

/*
 * The cost of the check of a request's token, with one token and with many. Prints a table in markdown.
 *
 *   deno task campaign:tokens
 */

const CHECKS = 500_000;
const ROUNDS = 3;

/** Nanoseconds for each check, the fastest of some rounds. Each token is sent in turn. */
function nanosecondsWith(count: number): number {
  const sent = Array.from({ length: count }, newToken);
  const settings = sent.map((token, i): TokenSetting => ({
    name: `token-${i}`,
    sha256: tokenDigest(token),
    may: ["read"],
    within: undefined,
    expires: undefined,
  }));
  const tokens = new Tokens(settings);
  const headers = sent.map((token) => `Bearer ${token}`);
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    for (let i = 0; i < CHECKS; i++) tokens.accept(headers[i % count]);
    fastest = Math.min(fastest, performance.now() - begun);
  }
  return Math.round(1e6 * fastest / CHECKS);
}

const rows = [1, 1000, 10_000].map((count) => [String(count), String(nanosecondsWith(count))]);
print(table(["Tokens", "ns for each request"], rows));
