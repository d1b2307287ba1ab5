import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory } from "../support/directory.ts";
import { runServer, type ServerOptions, startServer } from "../support/server_process.ts";

/* The steps of docs/master_key.md, with the real program. */

const [OLD, NEW] = [1, 2].map((byte) => new Uint8Array(32).fill(byte).toBase64());
const [OLD_ID, NEW_ID] = ["72cd6e8422c407fb", "75877bb41d393b5f"];

Deno.test("a store gets a master key, then another one, and does not start without the one that it needs", async () => {
  await inDirectory(async (directory) => {
    const keyFile = join(directory, "master.key");
    const startWith = (...keys: (string | undefined)[]): ServerOptions => {
      Deno.writeTextFileSync(keyFile, `${keys.join("\n")}\n`, { mode: 0o600 });
      const env = { SERVICE_SUBJECTS: "student", SERVICE_DATA_DIR: join(directory, "data") };
      return { env: keys.length === 0 ? env : { ...env, SERVICE_MASTER_KEY_FILE: keyFile } };
    };
    let keys = "";
    for (const [master, id] of [[[], undefined], [[OLD], OLD_ID], [[NEW, OLD], NEW_ID]] as const) {
      await using server = await startServer(startWith(...master));
      const client = server.client();
      if (id === undefined) {
        await client.append({ type: "a", identifiers: { student: "s1" }, payload: "Ada" });
        keys = (await client.request("GET", "/subjects/keys")).text;
        continue;
      }
      const line =
        `eventstore-server: [WARNING] all keys of subjects (1) are wrapped with the master key ${id}; ` +
        "earlier ones can be removed\n";
      await server.waitForOutput((stdout) => stdout.includes(line));
      assert.equal((await client.allEvents())[0]!.payload, "Ada");
      assert.equal((await client.request("GET", "/subjects/keys")).text, keys, "copies have them unwrapped");
    }
    for (const master of [[], [OLD]]) {
      const { code, stderr } = await runServer(startWith(...master));
      assert.equal(code, 1);
      const lacks =
        `keys of its subjects are wrapped with the master key ${NEW_ID}, which neither masterKeyFile nor`;
      assert.match(
        stderr,
        new RegExp(`^eventstore-server: .*events\\.db cannot be opened: ${lacks} masterKey has\n$`),
      );
    }
    await using server = await startServer(startWith(NEW));
    assert.equal((await server.client().allEvents())[0]!.payload, "Ada");
    assert.doesNotMatch(server.stdout, /are wrapped/);
  });
});
