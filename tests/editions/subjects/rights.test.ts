import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import { bearer, startWithTokens, tokenToml } from "../../support/tokens.ts";
import { appendAs, EDITIONS } from "../append_as.ts";
import { about, EVERY } from "./side.ts";

/* Rights and tenants of tokens in a store with subjects. */

const tenant = (name: string): string =>
  tokenToml(name, name, ["read", "write"], `within = { tenant = "${name}" }\n`);
const TOKENS = tenant("t1") + tenant("t2") + tokenToml("copier", "copier", ["copy"]) +
  tokenToml("keeper", "keeper", ["keys"]) + tokenToml("officer", "officer", ["forget"]) +
  tokenToml("all", "all", ["read", "write", "copy", "keys", "forget", "operate", "develop"]);

const FORGET = { json: { identifier: { name: "student", value: "s1" } } };
const REQUESTS = [
  ["read", "GET", "/subjects/student/s1", {}],
  ["copy", "QUERY", "/events/stored", { json: {} }],
  ["copy", "GET", "/subjects", {}],
  ["copy", "GET", "/subjects/forgotten", {}],
  ["keys", "GET", "/subjects/keys", {}],
  ["forget", "POST", "/forget", FORGET],
] as const;

async function lines(client: Client, target: string): Promise<Record<string, unknown>[]> {
  const { text } = expectStatus(await client.request("GET", target), 200);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

for (const edition of EDITIONS) {
  Deno.test(`edition ${edition}: a token does with subjects what its rights allow, within its tenant`, async () => {
    await using server = await startWithTokens(edition, TOKENS, { SERVICE_SUBJECTS: "student" });
    const client = (token: string): Client => server.client(bearer(token));
    for (const name of ["t1", "t2"]) {
      const event = about(`of ${name}`, { tenant: name, student: "s1" });
      assert.ok([200, 204].includes(await appendAs(edition, client(name), event)));
    }
    for (const [token, right] of [["t1", "read"], ["copier", "copy"], ["keeper", "keys"]] as const) {
      for (const [needed, method, target, options] of REQUESTS) {
        const reply = await client(token).request(method, target, options);
        if (needed === right) expectStatus(reply, 200);
        else assertRejected(reply, 403, "Forbidden", `the token ${token} lacks the right "${needed}"`);
      }
    }
    const payloads = async (token: string): Promise<unknown[]> =>
      (await lines(client(token), "/subjects/student/s1")).slice(0, -1).map(({ payload }) => payload);
    assert.deepEqual(await payloads("t1"), ["of t1"], "not the events of another tenant");
    assert.deepEqual(await payloads("all"), ["of t1", "of t2"]);

    // A subject is one person in the whole store, so all tenants lose the payloads.
    expectStatus(await client("officer").request("POST", "/forget", FORGET), 200);
    const read = await client("t1").request("QUERY", "/events", { json: { query: EVERY[edition] } });
    assert.deepEqual(JSON.parse(read.text.split("\n")[0]!).forgotten, ["student"]);
    assert.deepEqual(await payloads("all"), ["", ""]);
  });
}
