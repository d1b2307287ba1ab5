import assert from "node:assert/strict";
import { TIMESTAMP } from "../../support/replies.ts";
import { type ContractTest, mustBe } from "./edition.ts";

/** Tests of the list of rejected writes, which is for operators. */
export function contractOfConflicts(test: ContractTest): void {
  test("GET /debug/conflicts shows the writes that were rejected, the newest first", async (subject) => {
    const listed = async (): Promise<
      { conflicts: Record<string, unknown>[]; hours: Record<string, unknown>[] }
    > => mustBe(200, await subject.client.request("GET", "/debug/conflicts")).json();
    const before = (await listed()).conflicts.length;
    const version = await subject.createProjection("t", "a", "1");
    assert.equal((await listed()).conflicts.length, before, "a write is none");
    mustBe(409, await subject.change({ create: [{ type: "t", id: "a", payload: "2" }] }));
    mustBe(200, await subject.change({ replace: [{ type: "t", id: "a", version, payload: "2" }] }));
    mustBe(409, await subject.change({ replace: [{ type: "t", id: "a", version, payload: "3" }] }));
    const { conflicts, hours } = await listed();
    const [second, first] = conflicts.map(({ time, ...rest }) => {
      assert.match(time as string, TIMESTAMP);
      return rest;
    });
    const projection = { type: "t", id: "a" };
    assert.deepEqual(first, { types: [], cause: "exists", projection });
    assert.deepEqual(second, { types: [], cause: "otherVersion", projection });
    assert.match(hours[0]!["from"] as string, /:00:00\.000000Z$/);
    const [ofHour] = hours[0]!["types"] as { type: string; count: number }[];
    assert.ok(ofHour!.type === "" && ofHour!.count >= 1, JSON.stringify(hours));
  });
}
