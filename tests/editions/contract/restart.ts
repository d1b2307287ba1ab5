import assert from "node:assert/strict";
import type { ServerProcess } from "../../support/server_process.ts";
import { type ContractEdition, type ContractTest, eventOf, mustBe } from "./edition.ts";

/** Tests of what is the same after a restart. */
export function contractOfRestarts(
  edition: ContractEdition,
  test: ContractTest,
  server: ServerProcess,
): void {
  test("NUL is part of types, tags, payloads and projections, and queries find it, also after a restart", async (subject) => {
    const event = {
      type: "t\0y",
      identifiers: { "n\0": ["v\0", "\0"], "\0": "v\0w" },
      metadata: { m: "\0\0" },
      payload: "\0p\0",
    };
    const found = [edition.every, [{ types: ["t\0y"] }], [{ identifiers: [{ name: "n\0", value: "\0" }] }], [
      { metadata: [{ name: "m", value: "\0\0" }] },
    ]];
    const notFound = [[{ types: ["t"] }], [{ identifiers: [{ name: "n\0", value: "v" }] }], [{
      metadata: [{ name: "m", value: "\0" }],
    }]];
    await subject.append(event);
    await subject.createProjection("t\0", "\0i\0", "a\0b");
    for (const end of ["none", "restart"]) {
      if (end === "restart") await server.restart();
      for (const query of found) {
        const [read] = (await subject.page(query)).events;
        const { sequence: _sequence, time: _time, ...rest } = read!;
        assert.deepEqual(rest, event);
      }
      for (const query of notFound) assert.deepEqual((await subject.page(query)).events, []);
      assert.equal((await subject.client.request("GET", "/projections/t%00/%00i%00")).text, "a\0b");
      mustBe(404, await subject.client.request("GET", "/projections/t/%00i%00"));
    }
  });

  test("store ID, events, projections and versions are the same after a restart, and after one that follows a reset", async (subject) => {
    const { client } = subject;
    const shown = async (): Promise<unknown[]> => {
      const [page, projection] = [await subject.page(), await client.request("GET", "/projections/t/a")];
      assert.equal(projection.headers.get("x-service-store"), page.store);
      return [page.store, page.reply.text, projection.text, projection.headers.get("x-service-version")];
    };
    await subject.append(eventOf("t", "1", { a: ["x", "y\0"] }), eventOf("t", "2"));
    await subject.createProjection("t", "a", "x\0y");
    const before = await shown();
    await server.restart();
    assert.deepEqual(await shown(), before);
    mustBe(204, await edition.reset(client));
    const store = await subject.storeId();
    await server.restart();
    assert.deepEqual([await subject.storeId(), await subject.payloads()], [store, []]);
    mustBe(404, await client.request("GET", "/projections/t/a"));
    await subject.append(eventOf("t", "3"));
    assert.equal((await subject.page()).events[0]?.sequence, 1);
  });
}
