import assert from "node:assert/strict";
import { runCampaign } from "./campaign.ts";
import { nodeIsThere } from "./reference.ts";

const CASES = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 20_000 : 8000;
const SEED = 20261120;

Deno.test({
  name: "ours is never looser than the parser of node:http, and understands alike what both take " +
    "(needs node 20 or later on the path)",
  ignore: !nodeIsThere(),
  async fn() {
    const { cases, requestsTaken, outcomes } = await runCampaign(SEED, CASES);
    assert.equal(cases, CASES);
    // Enough requests of both kinds are needed. Otherwise nothing was compared.
    assert.ok(requestsTaken > CASES / 2, `both took ${requestsTaken} requests`);
    assert.ok((outcomes.get("same") ?? 0) > CASES / 5, "too few cases are valid");
    assert.ok((outcomes.get("bothReject") ?? 0) > CASES / 5, "too few cases are malformed");
  },
});
