import assert from "node:assert/strict";
import { RIGHTS } from "../../../src/model/access.ts";
import { eventually } from "../../support/eventually.ts";
import { assertRejected } from "../../support/replies.ts";
import { bearer, readTokensAgain, startWithTokens, tokenToml } from "../../support/tokens.ts";

Deno.test("edition B: a transaction belongs to the name of its token, and ends when the token goes", async () => {
  const [ours, spare, theirs] = [
    tokenToml("ours", "first", ["read", "write"]),
    tokenToml("ours", "second", ["read", "write"]),
    tokenToml("theirs", "other", RIGHTS),
  ];
  await using server = await startWithTokens("B", ours + spare + theirs);
  const [first, second, other] = ["first", "second", "other"].map((token) => server.client(bearer(token)));
  const begin = async (): Promise<string> => JSON.parse((await first!.request("POST", "/tx")).text).txId;
  const [read, left] = [await begin(), await begin()];
  for (const [method, rest] of [["POST", "/commit"], ["QUERY", "/events"], ["GET", "/projections/t/a"]]) {
    const json = { query: "all" };
    const reply = await other!.request(method!, `/tx/${read}${rest}`, method === "QUERY" ? { json } : {});
    assertRejected(reply, 404, "TransactionNotFound");
  }
  await other!.request("DELETE", `/tx/${read}`);
  // The second token of the same name may continue.
  assert.equal((await second!.request("POST", `/tx/${read}/commit`)).status, 204);
  await readTokensAgain(server, spare + theirs);
  assertRejected(await first!.request("POST", `/tx/${left}/commit`), 401, "Unauthorized", /./);
  await eventually(async () => {
    assert.equal(JSON.parse((await other!.request("GET", "/debug")).text).transactions.open, 0);
  });
  assertRejected(await second!.request("POST", `/tx/${left}/commit`), 404, "TransactionNotFound");
});
