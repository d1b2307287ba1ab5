import assert from "node:assert/strict";
import { KnownState } from "../../../../src/store/postgres/cluster/known_state.ts";
import { PeerMonitor } from "../../../../src/store/postgres/cluster/peer_monitor.ts";
import type { Primary } from "../../../../src/store/postgres/cluster/primary.ts";
import { SeenHistory } from "../../../../src/store/postgres/cluster/seen_history.ts";
import type { WriteOwnership } from "../../../../src/store/postgres/cluster/write_ownership.ts";
import type { Statement } from "../../../../src/store/postgres/protocol/session.ts";
import { CommitFeed } from "../../../../src/store/feed/commit_feed.ts";
import { eventually } from "../../../support/eventually.ts";

Deno.test("a commit during the first check is announced, since there may be other servers", async () => {
  const check = Promise.withResolvers<never>();
  let [checks, announced] = [0, 0];
  const session = {
    isOpen: true,
    async run(statements: readonly Statement[]) {
      for (const { sql } of statements) {
        if (sql.includes("pg_notify")) announced++;
        if (!sql.startsWith("SELECT s.id")) continue;
        checks++;
        await check.promise;
      }
      return statements.map(() => []);
    },
    close: () => Promise.resolve(),
  };
  const primary = { seen: new SeenHistory(), open: () => Promise.resolve(session), isCurrent: () => true };
  const monitor = new PeerMonitor(
    "eventstore",
    { server: "this server", edition: "A", primary: primary as unknown as Primary } as WriteOwnership,
    new KnownState(0, new CommitFeed({ storeId: "the store", head: 0 })),
    (reason) => assert.fail(reason),
  );
  try {
    await eventually(() => assert.equal(checks, 1));
    const before = announced;
    monitor.written();
    check.reject(new Error("PostgreSQL does not answer"));
    await eventually(() => assert.equal(announced, before + 1));
  } finally {
    await monitor.close();
  }
});
