import assert from "node:assert/strict";
import type { ServerProcess } from "../../support/server_process.ts";
import { type ContractEdition, type ContractTest, eventOf, mustBe } from "./edition.ts";

/** Tests of what is the same after a restart. */
export function contractOfRestarts(
  edition: ContractEdition,
  test: ContractTest,
  server: ServerProcess,
): void {
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
