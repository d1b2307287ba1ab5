import assert from "node:assert/strict";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { CONTRACT_ENV, type ContractEdition, eventOf, mustBe, Subject } from "./edition.ts";

const TOKEN = "correct-horse-battery";

function startWithAuth(edition: ContractEdition): Promise<ServerProcess> {
  const auth = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
  return startServer({ env: { ...CONTRACT_ENV, ...auth, SERVICE_EDITION: edition.name } });
}

/** The bearer token is checked on every route, before every other check. These tests start their own servers. */
export function contractOfAuth(edition: ContractEdition, named: (name: string) => string): void {
  Deno.test(named("without the token every route is 401 and does nothing, with it they answer"), async () => {
    await using server = await startWithAuth(edition);
    const subject = new Subject(edition, server.client({ authorization: `Bearer ${TOKEN}` }));
    await subject.append(eventOf("t", "1"));
    const version = await subject.createProjection("t", "a", "");
    const store = await subject.storeId();
    for (const [target, methods] of edition.paths) {
      for (const method of methods) {
        const reply = await server.client().request(method, target);
        if (method === "HEAD") mustBe(401, reply);
        else assertRejected(reply, 401, "Unauthorized", /./);
      }
    }
    const read = await subject.client.request("GET", "/projections/t/a");
    assert.equal(read.headers.get("x-service-version"), version);
    assert.deepEqual([await subject.payloads(), await subject.storeId()], [["1"], store]);
    for (const [target, methods] of edition.paths) {
      for (const method of methods) {
        const { status } = await subject.client.request(method, target);
        assert.ok(![401, 405, 500].includes(status), `${method} ${target}: ${status}`);
      }
    }
  });

  Deno.test(named("the token comes first: every other fault is 401 as well"), async () => {
    await using server = await startWithAuth(edition);
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
      const reply = await server.client().request(method, target, options);
      assertRejected(reply, 401, "Unauthorized", /./);
    }
    const client = server.client({ authorization: `Bearer ${TOKEN}` });
    assertPlainText(await client.request("GET", "/unknown"), 404);
    assertPlainText(await client.request("PUT", "/health"), 405);
    assertPlainText(await client.request("GET", "/projections/t/%ff"), 400);
  });

  Deno.test(named("anything but one exact Bearer token is 401"), async () => {
    await using server = await startWithAuth(edition);
    const values: readonly string[][] = [
      [""],
      ["Bearer"],
      [`Bearer ${TOKEN}x`],
      [`Bearer ${TOKEN.slice(0, -1)}`],
      [`Bearer  ${TOKEN}`],
      [`Basic ${TOKEN}`],
      [TOKEN],
      [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
    ];
    for (const value of values) {
      const headers = value.map((text) => ["authorization", text] as const);
      const reply = await server.client().request("GET", "/health", { headers });
      assertRejected(reply, 401, "Unauthorized", /./);
    }
    mustBe(
      200,
      await server.client().request("GET", "/health", { headers: { authorization: `Bearer ${TOKEN}` } }),
    );
  });
}
