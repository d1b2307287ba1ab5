import assert from "node:assert/strict";
import { RemoteWorker } from "../../src/workers/remote_worker.ts";
import type { Odd } from "./odd_worker.ts";

async function withOdd(run: (odd: RemoteWorker<typeof Odd>["object"]) => Promise<void>): Promise<void> {
  const worker = new RemoteWorker<typeof Odd>(new URL("./odd_worker.ts", import.meta.url), "odd");
  try {
    await worker.open();
    await run(worker.object);
  } finally {
    worker.terminate();
  }
}

Deno.test("a call that cannot be sent fails alone, and the next one goes through", async () => {
  await withOdd(async (odd) => {
    await assert.rejects(odd.echo(() => {}), { name: "DataCloneError" });
    assert.equal(await odd.echo("next"), "next");
  });
});

Deno.test("an answer that cannot be sent fails its call alone", async () => {
  await withOdd(async (odd) => {
    await assert.rejects(odd.unsendable(), { name: "DataCloneError" });
    await assert.rejects(odd.sentBefore(), { name: "DataCloneError" });
    assert.equal(await odd.echo("next"), "next");
  });
});

Deno.test("a second call in parallel with a running one is rejected without disturbing it", async () => {
  await withOdd(async (odd) => {
    const first = odd.echo("first");
    await assert.rejects(odd.echo("second"), /as many calls as it takes/);
    assert.equal(await first, "first");
  });
});
