import assert from "node:assert/strict";
import { limitFileSize } from "../../../audit/disks/capacities.ts";
import { type Answer, assertAnswered, isAcknowledged, writeWhole } from "../../server/acknowledged_writes.ts";
import { inDirectory } from "../../support/directory.ts";
import { startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";

await debianTest(
  ["prlimit"],
  "where no file may grow any more (ulimit -f), the server says why it ends, and nothing is lost",
  () =>
    inDirectory(async (directory) => {
      const answers = new Map<string, Answer>();
      {
        await using server = await startServer({ directory });
        // Only now: the runtime has large files of its own, which it may write at its start.
        await limitFileSize(server.pid, 512_000);
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
      await assertAnswered(server.client(), answers);
    }),
);
