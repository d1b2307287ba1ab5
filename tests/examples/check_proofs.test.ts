import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { needingTest, problemOf } from "../support/needing_test.ts";
import { runCommand } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";

/*
 * An implementation in another language comes to the same roots and accepts the same proofs. It needs Python, but no
 * package.
 */

const SCRIPT = fileURLToPath(new URL("../../examples/check_proofs.py", import.meta.url));

needingTest(
  "the script in Python computes the root of the server, and notices a root that is none of the store",
  { missing: problemOf("python3"), excused: false },
  async () => {
    await using server = await startServer({
      listen: "tcp",
      listenOnly: true,
      env: { SERVICE_SUBJECTS: "student" },
    });
    const client = server.client();
    let earlier = "";
    for (let i = 0; i < 26; i++) {
      const event = (k: number) => ({
        type: "t",
        identifiers: { student: `s${k % 7}` },
        payload: `\u00e4 ${i}.${k}`,
      });
      await client.append(...Array.from({ length: 89 }, (_, k) => event(k)));
      if (i !== 12) continue;
      const { root, head } = (await client.request("GET", "/proof")).json<{ root: string; head: number }>();
      earlier = `${root}@${head}`;
    }
    assert.ok(server.address.transport === "tcp");
    const url = `http://127.0.0.1:${server.address.port}`;
    const run = (...args: string[]) => runCommand(["python3", SCRIPT, url, ...args]);
    const right = await run(earlier);
    assert.equal(right.code, 0, right.stdout + right.stderr);
    const { root } = (await client.request("GET", "/proof")).json<{ root: string }>();
    assert.equal(right.stdout, `right: 2314 events, root ${root}@2314\n`);
    const wrong = await run(earlier.replace("@1157", "@1156"));
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^WRONG: the first 1156 events are not those of [0-9a-f]{64}@1156\n$/);
  },
);
