import assert from "node:assert/strict";
import type { ServerSettings } from "../../../src/config/load.ts";
import { editionB } from "../../../src/editions/b_tx/edition_b.ts";
import type { EditionHost } from "../../../src/editions/edition.ts";
import type { RoutedRequest } from "../../../src/http/router.ts";
import { done, type Outcome } from "../../../src/store/api/outcome.ts";
import { WriteQueue } from "../../../src/write_queue/write_queue.ts";
import { storeOf } from "../../write_queue/fake_writer.ts";

Deno.test("GET /debug: the refresh at the start has the turn, but is no request", async () => {
  const optimized = Promise.withResolvers<Outcome<void>>();
  const queue = new WriteQueue({
    store: storeOf({ group: () => assert.fail("nobody writes") }),
    waitingMax: 1,
    fullCode: "WriteQueueFull",
  });
  const host = {
    settings: { txIdleTimeout: 60, subjects: [] as readonly string[] } as unknown as ServerSettings,
    store: {
      opened: {},
      feed: { subscriptions: 0 },
      reads: { inUse: 0, max: 8 },
      writer: { optimize: () => optimized.promise },
    } as unknown as EditionHost["store"],
    views: {} as EditionHost["views"],
    queue,
    persistedPause: {} as EditionHost["persistedPause"],
    programMetrics: () => "",
    hashedEvents: () => undefined,
    reportFailure: (error: Error) => assert.fail(error),
    warn: () => {},
  };
  const { routes, close } = editionB.open(host);
  const debug = async (): Promise<unknown[]> => {
    const route = routes.find(({ path }) => path === "/debug")!;
    const { write } = JSON.parse((await route.handle({} as RoutedRequest)).body as string);
    return [write.active?.kind, write.httpOpen, write.sqliteInUse];
  };
  assert.deepEqual(await debug(), ["firstOptimize", 0, 1]);
  optimized.resolve(done(undefined));
  await queue.shutdown();
  assert.deepEqual(await debug(), [undefined, 0, 0]);
  close();
});
