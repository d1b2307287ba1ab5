import assert from "node:assert/strict";
import { inDirectory } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { sqliteTest } from "../support/test_storage.ts";
import { type Answer, assertTold, isAcknowledged, writeWhole } from "./acknowledged_writes.ts";

sqliteTest(
  "where no file may grow any more (ulimit -f), the server says why it ends, and nothing is lost",
  () =>
    inDirectory(async (directory) => {
      const answers = new Map<string, Answer>();
      {
        // Blocks of 512 bytes, or of 1024 in some shells.
        const under = ["sh", "-c", 'ulimit -f 1000 && exec "$@"', "sh"];
        await using server = await startServer({ directory, under });
        const client = server.client();
        for (let i = 0; i < 100; i++) {
          const name = `${i} `.padEnd(20_000, "x");
          const answer = await writeWhole(client, name);
          answers.set(name, answer);
          if (!isAcknowledged(answer)) break;
        }
        const { code, stderr } = await server.ended(60);
        assert.equal(code, 1, stderr);
        assert.match(
          stderr,
          /^eventstore-server: the store has failed and the server must be restarted: .*disk I\/O error$/m,
        );
      }
      assert.ok(answers.size > 3 && !isAcknowledged([...answers.values()].at(-1)!));
      await using server = await startServer({ directory });
      await assertTold(server.client(), answers);
    }),
);
