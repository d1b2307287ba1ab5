import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";
import { inDirectory } from "../support/directory.ts";
import deno from "../../deno.json" with { type: "json" };

Deno.test("task dev runs the server with the flags of task start", () => {
  const { dev, start } = deno.tasks;
  assert.equal(dev.command, start.command.replace(/main\.ts$/, "tools/dev.ts"));
});

Deno.test("task dev obeys variables, and its log has the reason of a rejected request", () =>
  inDirectory(async (directory) => {
    const port = freePort();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", "dev"],
      cwd: new URL("../../", import.meta.url),
      env: { SERVICE_PORT: String(port), SERVICE_DATA_DIR: join(directory, "data") },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const stderr = new Response(child.stderr).text();
    await eventually(async () => {
      const { status } = await fetch(`http://127.0.0.1:${port}/write`, {
        method: "POST",
        body: '{"events":[{}]}',
      });
      assert.equal(status, 400);
    }, 30);
    child.kill("SIGTERM");
    assert.match(await stderr, /^eventstore-server: POST \/write 400: events\[0\]: type is missing$/m);
    await child.status;
  }));
