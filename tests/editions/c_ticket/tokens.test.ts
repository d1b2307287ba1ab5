import assert from "node:assert/strict";
import { RIGHTS } from "../../../src/model/access.ts";
import { eventually } from "../../support/eventually.ts";
import { assertRejected } from "../../support/replies.ts";
import { bearer, readTokensAgain, startWithTokens, tokenToml } from "../../support/tokens.ts";

Deno.test("edition C: a ticket belongs to the name of its token, and ends when the token goes", async () => {
  const [ours, spare, theirs] = [
    tokenToml("ours", "first", ["read", "write"]),
    tokenToml("ours", "second", ["read", "write"]),
    tokenToml("theirs", "other", RIGHTS),
  ];
  const env = { SERVICE_TRANSACTION_TIMEOUT: "600", SERVICE_MAX_TRANSACTION_DURATION: "600" };
  await using server = await startWithTokens("C", ours + spare + theirs, env);
  const [first, second, other] = ["first", "second", "other"].map((token) => server.client(bearer(token)));
  const { ticket } = JSON.parse((await first!.request("POST", "/begin")).text);
  const headers = { "x-service-ticket": ticket };
  assertRejected(await other!.request("POST", "/commit", { headers }), 410, "TicketNotActive");
  const events = [{ type: "t", identifiers: {}, payload: "1" }];
  // The second token of the same name may continue.
  assert.equal((await second!.request("POST", "/events", { headers, json: { events } })).status, 200);
  // Without a ticket's end, this would wait for ten minutes. So would one that waits when its own token goes.
  const [waiting, next] = [first!.request("POST", "/begin"), other!.request("POST", "/begin")];
  await eventually(async () => {
    const debug = JSON.parse((await other!.request("GET", "/debug")).text);
    assert.equal(debug.write.queued.length, 2);
  });
  await readTokensAgain(server, spare + theirs);
  assertRejected(await waiting, 401, "Unauthorized", /./);
  assert.equal((await next).status, 200);
  assertRejected(await first!.request("POST", "/commit", { headers }), 401, "Unauthorized", /./);
  assertRejected(await second!.request("POST", "/commit", { headers }), 410, "TicketNotActive");
});
