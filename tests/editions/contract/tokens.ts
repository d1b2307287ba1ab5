import assert from "node:assert/strict";
import { join } from "node:path";
import { type Right, RIGHTS } from "../../../src/model/access.ts";
import { eventually } from "../../support/eventually.ts";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import type { Reply } from "../../support/connection.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { bearer, readTokensAgain, startWithTokens, tokenToml } from "../../support/tokens.ts";
import { CONTRACT_ENV, type ContractEdition, eventOf, mustBe, Subject } from "./edition.ts";

/** A token for each right, with the right's name. */
const ONE_RIGHT_EACH = RIGHTS.map((right) => tokenToml(right, right, [right])).join("");

/** The right that a route needs; undefined when any valid token will do. */
function rightOf(method: string, target: string): Right | undefined {
  if (["/", "/health", "/whoami", "/openapi.json"].includes(target)) return undefined;
  if (target === "/reset" || target.startsWith("/debug/pprof")) return "develop";
  if (target === "/forget") return "forget";
  if (target === "/subjects/keys") return "keys";
  if (target === "/subjects" || target === "/subjects/forgotten" || target === "/events/stored") {
    return "copy";
  }
  if (method === "DELETE" && target.startsWith("/projections")) return "develop";
  if (/^\/(metrics|debug.*|stats|pause|resume|optimize)$/.test(target)) return "operate";
  return ["GET", "HEAD", "QUERY"].includes(method) ? "read" : "write";
}

function startOf(
  { name }: ContractEdition,
  tokens: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startWithTokens(name, tokens, { ...CONTRACT_ENV, ...env });
}

/** Several tokens: their rights, and what happens to those that go. Each test starts its own server. */
export function contractOfTokens(edition: ContractEdition, named: (name: string) => string): void {
  Deno.test(named("each route needs its right, and a token without it changes nothing"), async () => {
    await using server = await startOf(edition, ONE_RIGHT_EACH + tokenToml("all", "all", RIGHTS));
    const subject = new Subject(edition, server.client(bearer("all")));
    await subject.append(eventOf("t", "1"));
    await subject.createProjection("t", "a", "");
    const before = [await subject.payloads(), await subject.storeId()];
    for (const [target, methods] of edition.paths) {
      for (const method of methods) {
        const needed = rightOf(method, target);
        for (const right of RIGHTS) {
          if (needed === undefined || needed === right) continue;
          const reply = await server.client(bearer(right)).request(method, target, { body: "{" });
          if (method === "HEAD") mustBe(403, reply);
          else assertRejected(reply, 403, "Forbidden", `the token ${right} lacks the right "${needed}"`);
        }
      }
    }
    assert.deepEqual([await subject.payloads(), await subject.storeId()], before);
    for (const [target, methods] of edition.paths) {
      for (const method of methods) {
        const client = server.client(bearer(rightOf(method, target) ?? "read"));
        const { status } = await client.request(method, target);
        assert.ok(![401, 403, 405, 500].includes(status), `${method} ${target}: ${status}`);
      }
    }
    // An unknown path is the same for all.
    assertPlainText(await server.client(bearer("read")).request("GET", "/unknown"), 404);
  });

  Deno.test(named("GET /whoami says what a token may do, and log and metrics name it"), async () => {
    const tokens = tokenToml("billing", "b", ["read", "write"], "expires = 2099-01-01T00:00:00+01:00\n");
    const env = { SERVICE_LOG_LEVEL: "debug", SERVICE_AUTH_TOKEN: "all" };
    await using server = await startOf(edition, tokens, env);
    const whoami = async (token: string): Promise<unknown> =>
      JSON.parse(mustBe(200, await server.client(bearer(token)).request("GET", "/whoami")).text);
    assert.deepEqual(await whoami("b"), {
      edition: edition.name,
      name: "billing",
      may: ["read", "write"],
      expires: "2098-12-31T23:00:00.000000Z",
      subjects: ["student"],
    });
    const all = { edition: edition.name, name: null, may: RIGHTS };
    assert.deepEqual(await whoami("all"), { ...all, subjects: ["student"] });
    await server.client(bearer("b")).request("GET", "/metrics");
    const { text } = mustBe(200, await server.client(bearer("all")).request("GET", "/metrics"));
    assert.match(text, /^service_token_requests_total\{token="billing"\} 2$/m);
    assert.match(text, /^service_token_forbidden_total\{token="billing"\} 1$/m);
    assert.match(text, /^service_token_expiry_timestamp_seconds\{token="billing"\} 4070905200$/m);
    await eventually(() => assert.match(server.stdout, /GET \/metrics 403 \d+B [\d.]+ms token=billing$/m));
    assert.doesNotMatch(server.stdout, /token=(?!billing)/);
  });

  Deno.test(named("a read that waits ends with 401 when its token goes, others continue"), async () => {
    const [kept, gone] = [tokenToml("kept", "k", RIGHTS), tokenToml("gone", "g", RIGHTS)];
    await using server = await startOf(edition, kept + gone);
    const body = JSON.stringify({ query: edition.every, waitSeconds: 30 });
    const wait = (token: string): Promise<Reply> =>
      server.client(bearer(token)).request("QUERY", "/events", { body });
    const [keptRead, goneRead] = [wait("k"), wait("g")];
    const client = server.client(bearer("k"));
    await eventually(async () => {
      const debug = JSON.parse((await client.request("GET", "/debug")).text);
      assert.equal(debug.read.waiting, 2);
    });
    await readTokensAgain(server, kept);
    assertRejected(await goneRead, 401, "Unauthorized", /./);
    assertRejected(await server.client(bearer("g")).request("GET", "/health"), 401, "Unauthorized", /./);
    await new Subject(edition, client).append(eventOf("t", "1"));
    assert.match((await keptRead).text, /"payload":"1"/);
  });

  Deno.test(
    named("two tokens of one name are valid at once; a faulty file leaves the tokens as they are"),
    async () => {
      const first = tokenToml("billing", "first", RIGHTS);
      await using server = await startOf(edition, first);
      const works = async (token: string): Promise<boolean> =>
        (await server.client(bearer(token)).request("GET", "/health")).status === 200;
      await readTokensAgain(server, first + tokenToml("billing", "second", RIGHTS));
      assert.deepEqual([await works("first"), await works("second")], [true, true]);
      Deno.writeTextFileSync(
        join(server.directory, "tokens.toml"),
        "[[tokens]]\nname = 'x'\nmay = ['fly']\n",
      );
      server.signal("SIGHUP");
      await eventually(() => assert.match(server.stderr, /tokens\[0\]\.may must be/));
      const lines = server.stderr.trimEnd().split("\n");
      assert.ok(
        lines.every((line) => line.startsWith("eventstore-server: the tokens stay as they are: ")),
        server.stderr,
      );
      assert.match(server.stderr, /tokens\.toml:3:1: tokens\[0\]\.may must be a list of some of "read", /);
      assert.match(server.stderr, /tokens\.toml:2:1: tokens\[0\]\.sha256 must be the SHA-256/);
      assert.deepEqual([await works("first"), await works("second")], [true, true]);
      await readTokensAgain(server, tokenToml("billing", "second", RIGHTS));
      assert.deepEqual([await works("first"), await works("second")], [false, true]);
    },
  );

  Deno.test(
    named("with openHealth, a request without a token learns only that the server is up"),
    async () => {
      await using server = await startOf(edition, ONE_RIGHT_EACH, { SERVICE_OPEN_HEALTH: "true" });
      const stranger = server.client();
      const reply = mustBe(200, await stranger.request("GET", "/health?writes"));
      assert.equal(reply.text, '{"status":"ok"}');
      mustBe(200, await stranger.request("HEAD", "/health"));
      for (
        const [method, target] of [["GET", "/"], ["GET", "/whoami"], ["QUERY", "/events"], ["GET", "/healt"]]
      ) {
        assertRejected(await stranger.request(method!, target!), 401, "Unauthorized", /./);
      }
      // A wrong token is not the same as none.
      const wrong = server.client(bearer("wrong"));
      assertRejected(await wrong.request("GET", "/health"), 401, "Unauthorized", /./);
      const { text } = mustBe(200, await server.client(bearer("read")).request("GET", "/health"));
      assert.match(text, /"version"/);
    },
  );

  Deno.test(
    named("with recordTokenName, events keep the name of their token, which no client can write"),
    async () => {
      const env = { SERVICE_RECORD_TOKEN_NAME: "true", SERVICE_AUTH_TOKEN: "all" };
      await using server = await startOf(edition, tokenToml("billing", "b", ["read", "write"]), env);
      const [billing, all] = ["b", "all"].map((token) => new Subject(edition, server.client(bearer(token))));
      const odd = { by: 'x},"payload":', then: ["writtenBy", '"writtenBy":'] };
      await billing!.append(
        eventOf("t", "1"),
        { type: "t", identifiers: {}, metadata: odd, payload: "2" },
      );
      await all!.append(eventOf("t", "3", { writtenBy: "i" }));
      for (const { client } of [billing!, all!]) {
        const own = { type: "t", identifiers: {}, metadata: { writtenBy: "x" }, payload: "4" };
        const reply = await edition.sendEvents(client, JSON.stringify({ events: [eventOf("t", "5"), own] }));
        assertRejected(
          reply,
          400,
          "InvalidRequest",
          'events[1]: only the server writes the metadata "writtenBy"',
        );
      }
      const events = await all!.client.allEvents(edition.every);
      assert.deepEqual(events.map(({ metadata }) => metadata), [
        { writtenBy: "billing" },
        { ...odd, writtenBy: "billing" },
        {},
      ]);
      const query = [{ metadata: [{ name: "writtenBy", value: "billing" }] }];
      const found = await all!.client.allEvents(query);
      assert.deepEqual(found.map(({ payload }) => payload), ["1", "2"]);
    },
  );
}
