import assert from "node:assert/strict";
import { RIGHTS } from "../../../src/model/access.ts";
import { appendAs, EDITIONS } from "../append_as.ts";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";
import { bearer, startWithTokens, tokenToml } from "../../support/tokens.ts";

const SUBJECTS = { SERVICE_SUBJECTS: "student" };

interface Proof {
  readonly storeId: string;
  readonly head: number;
  readonly root: string;
  readonly event?: string;
  readonly path?: readonly string[];
}

for (const edition of EDITIONS) {
  Deno.test(`edition ${edition}: GET /proof names a wrong parameter, and its root stays when a subject is forgotten`, async () => {
    await using server = await startServer({
      listen: "unix",
      env: { ...SUBJECTS, SERVICE_EDITION: edition },
    });
    const client = server.client();
    const proof = async (query: string): Promise<Proof> => {
      const reply = await client.request("GET", `/proof${query}`);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers.get("cache-control"), "no-store");
      const document = reply.json<Proof>();
      assert.equal(reply.headers.get("x-service-store"), document.storeId);
      assert.equal(reply.headers.get("x-service-head"), String(document.head));
      return document;
    };
    const event = { type: "t", identifiers: { student: "s1" }, payload: "of s1" };
    await appendAs(edition, client, event, event, event);
    const { root, head } = await proof("");
    assert.equal(head, 3);
    const before = await proof("?sequence=2");
    assert.deepEqual([before.root, before.path!.length], [root, 2]);
    assert.ok(before.event!.includes('"sealed":{') && !before.event!.includes("of s1"), before.event);
    const identifier = { name: "student", value: "s1" };
    const forgotten = await client.request("POST", "/forget", { json: { identifier } });
    assert.equal(forgotten.status, 200, forgotten.text);
    assert.equal((await proof("")).root, root);
    assert.deepEqual(await proof("?sequence=2"), before);
    assert.deepEqual((await proof("?head=2&from=2")).path, []);

    const wrong: readonly (readonly [string, RegExp])[] = [
      ["head=4", /^head must be at most 3, the head of the store, not 4$/],
      ["sequence=4", /^sequence must be at most 3, the head of the store, not 4$/],
      ["sequence=3&head=2", /^sequence must be at most 2, head, not 3$/],
      ["from=3&head=2", /^from must be at most 2, head, not 3$/],
      ["sequence=0", /^sequence must be a whole number from 1, not "0"$/],
      ["head=-1", /^head must be a whole number from 0, not "-1"$/],
      ["head=", /^head must be a whole number from 0, not ""$/],
      ["from=9007199254740993", /^from must be a whole number/],
      ["head=1&head=2", /^head is given twice$/],
      ["sequence=1&from=1", /^sequence and from exclude each other/],
      ["size=1", /^unknown parameter "size"$/],
    ];
    for (const [query, message] of wrong) {
      assertRejected(await client.request("GET", `/proof?${query}`), 400, "InvalidRequest", message);
    }
  });
}

Deno.test("without subjects, GET /proof is an unknown path", async () => {
  await using server = await startServer({ listen: "unix" });
  assertPlainText(await server.client().request("GET", "/proof"), 404);
});

Deno.test("a token with within gets no proof, since a root covers the events of others", async () => {
  const tokens = tokenToml("part", "part", ["read"], 'within = { tenant = "t1" }\n') +
    tokenToml("all", "all", RIGHTS);
  await using server = await startWithTokens("A", tokens, SUBJECTS);
  const asked = (token: string) => server.client(bearer(token)).request("GET", "/proof");
  assertRejected(
    await asked("part"),
    403,
    "Forbidden",
    /a proof covers all events, and the token part sees only some/,
  );
  assert.equal((await asked("all")).status, 200);
});
