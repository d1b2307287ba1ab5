import assert from "node:assert/strict";
import { Connection, requestBytes } from "../../bench/connection.ts";
import { costOf, startCountedServer } from "./counted_server.ts";

/*
 * The main thread answers the requests of operators from memory: no SQL, and no message to another thread. So it
 * answers however busy the store is, and operators may ask as often as they like.
 */

const FROM_MEMORY = {
  A: ["/metrics", "/debug"],
  B: ["/metrics", "/debug", "/stats"],
  C: ["/metrics", "/debug"],
};

for (const [edition, paths] of Object.entries(FROM_MEMORY)) {
  Deno.test({
    name: `edition ${edition}: ${paths.join(" and ")} cost neither SQL nor messages`,
    // Executables cannot load the module that counts before their own.
    ignore: Deno.env.has("EVENTSTORE_DIST"),
    async fn() {
      await using server = await startCountedServer({ env: { SERVICE_EDITION: edition } });
      using connection = await Connection.open(server.address);
      const costs = (paths: readonly string[]) =>
        costOf(server, async () => {
          for (const path of paths) {
            assert.equal((await connection.request(requestBytes("GET", path, ""))).status, 200, path);
          }
          return paths.length;
        });
      const { statements, messages } = await costs(paths);
      assert.deepEqual({ statements, messages }, { statements: 0, messages: 0 });
      assert.ok((await costs(["/health"])).statements > 0, "nothing was counted");
    },
  });
}
