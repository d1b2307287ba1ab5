import assert from "node:assert/strict";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";
import {
  CONTRACT_ENV,
  type ContractEdition,
  type ContractTest,
  eventOf,
  mustBe,
  Subject,
} from "./edition.ts";
import { assertPagesNeedOnlyToken } from "./pages.ts";

const TOKEN = "correct-horse-battery";

/** Values of `Authorization`, each with its headers, that are not one exact Bearer token. `authorization.test.ts` has more. */
const WRONG: readonly (readonly string[])[] = [
  [],
  [""],
  ["Bearer"],
  [`Bearer ${TOKEN}x`],
  [`Bearer ${TOKEN.slice(0, -1)}`],
  [`Bearer  ${TOKEN}`],
  [`Basic ${btoa(TOKEN)}`],
  [TOKEN],
  [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
  [`Bearer ${TOKEN}`, "Bearer wrong"],
];

/** The bearer token is checked on every route, before every other check. These tests start their own server. */
export function contractOfAuth(edition: ContractEdition, named: (name: string) => string): void {
  Deno.test(named("the bearer token"), async (test) => {
    // One edition shows that a unix socket needs the token just the same.
    await using server = await startServer({
      listen: edition.name === "B" ? "unix" : "tcp",
      env: {
        ...CONTRACT_ENV,
        SERVICE_EDITION: edition.name,
        SERVICE_ENABLE_AUTH: "true",
        SERVICE_AUTH_TOKEN: TOKEN,
      },
    });
    const subject = new Subject(edition, server.client({ authorization: `Bearer ${TOKEN}` }));
    const { client } = subject;
    const stranger = server.client();

    await test.step("without it every route is 401 and does nothing, with it they answer", async () => {
      await subject.append(eventOf("t", "1"));
      const version = await subject.createProjection("t", "a", "");
      const store = await subject.storeId();
      for (const [target, methods] of edition.paths) {
        for (const method of methods) {
          const reply = await stranger.request(method, target);
          if (method === "HEAD") mustBe(401, reply);
          else assertRejected(reply, 401, "Unauthorized", /./);
        }
      }
      const read = await client.request("GET", "/projections/t/a");
      assert.equal(read.headers.get("x-service-version"), version);
      assert.deepEqual([await subject.payloads(), await subject.storeId()], [["1"], store]);
      for (const [target, methods] of edition.paths) {
        for (const method of methods) {
          const { status } = await client.request(method, target);
          assert.ok(![401, 405, 500].includes(status), `${method} ${target}: ${status}`);
        }
      }
    });

    await test.step("it comes first: every other fault is 401 as well", async () => {
      const faults: readonly [method: string, target: string, body?: string][] = [
        ["GET", "/unknown"],
        ["OPTIONS", "/events"],
        ["PUT", "/health"],
        ["GET", "/projections/t/%ff"],
        ["QUERY", "/events", "{"],
        ["QUERY", "/events", " ".repeat(edition.bodyCap.bytes + 1)],
      ];
      for (const [method, target, body] of faults) {
        const options = body === undefined ? {} : { body };
        assertRejected(await stranger.request(method, target, options), 401, "Unauthorized", /./);
      }
      assertPlainText(await client.request("GET", "/unknown"), 404);
      assertPlainText(await client.request("PUT", "/health"), 405);
      assertPlainText(await client.request("GET", "/projections/t/%ff"), 400);
    });

    await test.step("anything but one exact Bearer token is 401, always with the same body", async () => {
      const bodies = new Set<string>();
      for (const values of WRONG) {
        const headers = values.map((value) => ["authorization", value] as const);
        const reply = await stranger.request("GET", "/health", { headers });
        assertRejected(reply, 401, "Unauthorized", /./);
        bodies.add(reply.text);
      }
      assert.equal(bodies.size, 1);
      mustBe(200, await client.request("GET", "/health"));
    });

    await test.step("with it, Host and Origin are not checked", async () => {
      await assertPagesNeedOnlyToken(server.address, TOKEN);
    });

    await test.step("the start-up line says auth=true, and nothing printed shows the token", () => {
      assert.match(server.stdout, /\(auth=true\)$/m);
      assert.ok(!(server.stdout + server.stderr).includes(TOKEN));
    });
  });
}

/** Without `enableAuth`, no request is checked. */
export function contractWithoutAuth(test: ContractTest): void {
  test("with enableAuth off a token is ignored", async ({ client }) => {
    const headers = { authorization: "Bearer wrong" };
    mustBe(200, await client.request("GET", "/health", { headers }));
  });
}
