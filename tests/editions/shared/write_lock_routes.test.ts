import assert from "node:assert/strict";
import type { EditionHost } from "../../../src/editions/edition.ts";
import { writeLockRoute } from "../../../src/editions/shared/write_lock_routes.ts";
import type { RoutedRequest } from "../../../src/http/router.ts";
import { ApiError, OutcomeUnknown } from "../../../src/model/errors.ts";
import { done, type Outcome } from "../../../src/store/api/outcome.ts";
import { WriteQueue } from "../../../src/write_queue/write_queue.ts";
import { storeOf } from "../../write_queue/fake_writer.ts";

async function answered(act: () => Promise<Outcome<void>>): Promise<unknown> {
  const queue = new WriteQueue({
    store: storeOf({ group: () => Promise.resolve([]) }),
    waitingMax: 1,
    fullCode: "WriteQueueFull",
  });
  const action = { kind: "projections", right: "develop", leavesWithClient: false, act } as const;
  const { handle } = writeLockRoute({ queue } as unknown as EditionHost, "DELETE", "/projections", action);
  return await Promise.try(() => handle({} as RoutedRequest)).catch((error) => error);
}

Deno.test("when the writer dies in a turn, no answer says that nothing was changed", async () => {
  assert.equal((await answered(() => Promise.resolve(done(undefined))) as { status: number }).status, 204);
  const failed = await answered(() => Promise.resolve({ kind: "failed", reason: "disk full" }));
  assert.ok(failed instanceof ApiError && failed.code === "InternalError");
  assert.ok(await answered(() => Promise.reject(new Error("the writer died"))) instanceof OutcomeUnknown);
});
